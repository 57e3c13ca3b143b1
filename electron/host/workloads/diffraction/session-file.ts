/** Benchmarks of images kept in files. */
import { IMAGE_SESSION_FORMAT, type ImageSession, imageSessionSchema } from '../../../contract/image-bench.ts';
import { parseKept } from '../../bench/session-file.ts';

/** Throws BraggError 'foreign-file' that says what is wrong. */
export function parseImageSession(text: string, path: string): ImageSession {
  return parseKept(text, path, IMAGE_SESSION_FORMAT, imageSessionSchema);
}

/** By the name that the file gives its format, without reading the rest. */
export function isImageSession(text: string): boolean {
  return text.slice(0, 200).includes(`"${IMAGE_SESSION_FORMAT}"`);
}
