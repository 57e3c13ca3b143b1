/** Benchmarks of images kept in files. */
import { IMAGE_SESSION_FORMAT, type ImageSession, imageSessionSchema } from '../../../contract/bench/image-bench.ts';
import { isKeptAs, parseKept } from '../../model/bench/session-file.ts';

/** Throws BraggError 'foreign-file' that says what is wrong. */
export function parseImageSession(text: string, path: string): ImageSession {
  return parseKept(text, path, [IMAGE_SESSION_FORMAT], imageSessionSchema);
}

export function isImageSession(text: string): boolean {
  return isKeptAs(text, IMAGE_SESSION_FORMAT);
}
