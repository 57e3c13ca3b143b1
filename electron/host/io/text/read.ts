/**
 * Converts the bytes of a file to text, with limits far above any scenario.
 *
 * Text that may be packed by gzip, like published tuning results.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { messageOf } from '../../../contract/errors.ts';
import { NO_TABLE_TEXT, tableText } from '../../../domain/values/csv.ts';
import { openWithoutWaiting } from '../files/plain-file.ts';

/** 256 KiB: two hundred regions with names need 30 KiB. A larger file is not a scenario. */
export const largestText_bytes = 256 * 1024;

/** Bytes per read: reading in pieces, because the size limits are far above the size of most files. */
const PIECE_BYTES = 256 * 1024;

/** Reason why a file could not be read. */
interface UnreadableFile {
  readonly ok: false;
  readonly reason: string;
  /** True if the file does not exist, false if it cannot be read. */
  readonly missing: boolean;
}

export type TextOrReason = { readonly ok: true; readonly text: string } | UnreadableFile;

function unreadableFile(reason: string, missing = false): UnreadableFile {
  return { ok: false, reason, missing };
}

/** `tables` may also be UTF-16, because other programs write them. */
type Kind = 'scenarios' | 'tables';

/** Text from UTF-8 without the byte order mark, or the reason why it is invalid. */
function decodeText(bytes: Uint8Array, largest_bytes: number, kind: Kind): TextOrReason {
  if (bytes.length > largest_bytes) {
    const what = largest_bytes === largestText_bytes ? 'the limit for scenarios' : 'the maximum';
    return unreadableFile(`is larger than ${largest_bytes / 1024} KiB, ${what}`);
  }
  if (kind === 'tables') {
    const text = tableText(bytes);
    return text === null ? unreadableFile(`is ${NO_TABLE_TEXT}`) : { ok: true, text };
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unreadableFile('is not UTF-8 text');
  }
}

function failBy(error: unknown): UnreadableFile {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return unreadableFile('there is no such file', true);
    case 'EISDIR':
      return unreadableFile('is a folder, not a file');
    case 'EACCES':
    case 'EPERM':
      return unreadableFile('may not be read (permission denied)');
    default:
      return unreadableFile(`cannot be read: ${messageOf(error)}`);
  }
}

type BytesOrReason = { readonly ok: true; readonly bytes: Uint8Array } | UnreadableFile;

/**
 * Reads at most `largest_bytes` + 1 bytes, whatever size the file reports: a device may have no end. Rejects pipes,
 * because reading one waits for the process at its other end.
 */
async function readBytes(path: string, largest_bytes: number): Promise<BytesOrReason> {
  try {
    const file = await openWithoutWaiting(path);
    try {
      const found = await file.stat();
      if (found.isDirectory()) return unreadableFile('is a folder, not a file');
      if (found.isFIFO() || found.isSocket()) return unreadableFile('is a pipe, not a file');
      const pieces: Uint8Array[] = [];
      for (let left = largest_bytes + 1; left > 0; ) {
        const piece = new Uint8Array(Math.min(left, PIECE_BYTES));
        const { bytesRead } = await file.read(piece, 0, piece.length, null);
        if (bytesRead === 0) break;
        pieces.push(piece.subarray(0, bytesRead));
        left -= bytesRead;
      }
      return { ok: true, bytes: pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return failBy(error);
  }
}

/** Text of at most `largest_bytes`, or the reason why it cannot be read. */
export async function readText(path: string, largest_bytes: number = largestText_bytes): Promise<TextOrReason> {
  const read = await readBytes(path, largest_bytes);
  return read.ok ? decodeText(read.bytes, largest_bytes, 'scenarios') : read;
}

/** Like `readText`, for a table of another program. */
export async function readTableText(path: string, largest_bytes: number): Promise<TextOrReason> {
  const read = await readBytes(path, largest_bytes);
  return read.ok ? decodeText(read.bytes, largest_bytes, 'tables') : read;
}

const GZIP = [0x1f, 0x8b] as const;

/** Like `readTableText`; packed or not, the text has at most `largest_bytes`. */
export async function readPackedText(file: string, largest_bytes: number): Promise<TextOrReason> {
  const read = await readBytes(file, largest_bytes);
  if (!read.ok) return read;
  const { bytes } = read;
  if (bytes.length > largest_bytes || GZIP.some((byte, i) => bytes[i] !== byte))
    return decodeText(bytes, largest_bytes, 'tables');
  try {
    return decodeText(await promisify(gunzip)(bytes, { maxOutputLength: largest_bytes }), largest_bytes, 'tables');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    const tooLarge = code === 'ERR_BUFFER_TOO_LARGE';
    return unreadableFile(
      tooLarge
        ? `is larger than ${largest_bytes / 1024} KiB when decompressed`
        : 'its compressed data are truncated or damaged',
    );
  }
}
