/**
 * Reads text files up to a maximum size. Tables of other programs may also be UTF-16, or compressed with gzip like
 * published tuning results.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { messageOf } from '../../../contract/errors.ts';
import { decodeTableText, UNDECODABLE_TEXT } from '../../../domain/values/csv.ts';
import { openNonBlocking } from '../files/plain-file.ts';

/** Maximum size of a scenario, 256 KiB: two hundred regions with names need 30 KiB. */
export const MAX_SCENARIO_BYTES = 256 * 1024;

/**
 * Number of bytes per read. Most files are far smaller than the size limits, so no buffer of the limit's size is
 * allocated.
 */
const PIECE_BYTES = 256 * 1024;

/** Failure to read a file, with the reason. */
interface UnreadableFile {
  readonly ok: false;
  readonly reason: string;
  /** True if the file does not exist; false if it exists but cannot be read. */
  readonly missing: boolean;
}

export type TextOrReason = { readonly ok: true; readonly text: string } | UnreadableFile;

function unreadableFile(reason: string, missing = false): UnreadableFile {
  return { ok: false, reason, missing };
}

/** Encodings to accept: `scenarios` are UTF-8, `tables` may also be UTF-16, because other programs write them. */
type TextKind = 'scenarios' | 'tables';

/** Decodes a file's bytes, without the byte order mark. Returns the reason if they are not valid text. */
function decodeText(bytes: Uint8Array, largest_bytes: number, kind: TextKind): TextOrReason {
  if (bytes.length > largest_bytes) {
    const what = largest_bytes === MAX_SCENARIO_BYTES ? 'the limit for scenarios' : 'the maximum';
    return unreadableFile(`is larger than ${largest_bytes / 1024} KiB, ${what}`);
  }
  if (kind === 'tables') {
    const text = decodeTableText(bytes);
    return text === null ? unreadableFile(`is ${UNDECODABLE_TEXT}`) : { ok: true, text };
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unreadableFile('is not UTF-8 text');
  }
}

function toUnreadableFile(error: unknown): UnreadableFile {
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
 * Reads at most `largest_bytes` + 1 bytes, whatever size the file reports, because a device may be endlessly long.
 * Rejects pipes: reading one would wait for the process at its other end.
 */
async function readBytes(path: string, largest_bytes: number): Promise<BytesOrReason> {
  try {
    const file = await openNonBlocking(path);
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
    return toUnreadableFile(error);
  }
}

/** Reads the text of a file, or returns the reason why that is not possible. */
export async function readText(path: string, largest_bytes: number = MAX_SCENARIO_BYTES): Promise<TextOrReason> {
  const read = await readBytes(path, largest_bytes);
  return read.ok ? decodeText(read.bytes, largest_bytes, 'scenarios') : read;
}

/** Like `readText`, for a table of another program. */
export async function readTableText(path: string, largest_bytes: number): Promise<TextOrReason> {
  const read = await readBytes(path, largest_bytes);
  return read.ok ? decodeText(read.bytes, largest_bytes, 'tables') : read;
}

const GZIP = [0x1f, 0x8b] as const;

/** Like `readTableText`, for a file that may be compressed with gzip. The limit applies to the uncompressed text. */
export async function readCompressedText(file: string, largest_bytes: number): Promise<TextOrReason> {
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
