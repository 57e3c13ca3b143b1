/** Text that may be packed by gzip, as tuning results are published. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { decodeText, readBytes, type TextOrReason, unread } from './read.ts';

const GZIP = [0x1f, 0x8b] as const;

/** As `readText`; packed or not, the text has at most `largest_bytes`. */
export async function readPackedText(file: string, largest_bytes: number): Promise<TextOrReason> {
  const read = await readBytes(file, largest_bytes);
  if (!read.ok) return read;
  const { bytes } = read;
  if (bytes.length > largest_bytes || GZIP.some((byte, i) => bytes[i] !== byte))
    return decodeText(bytes, largest_bytes);
  try {
    return decodeText(await promisify(gunzip)(bytes, { maxOutputLength: largest_bytes }), largest_bytes);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    const tooLarge = code === 'ERR_BUFFER_TOO_LARGE';
    return unread(
      tooLarge
        ? `is larger than ${largest_bytes / 1024} KiB when it is unpacked`
        : 'its compressed data are cut off or damaged',
    );
  }
}
