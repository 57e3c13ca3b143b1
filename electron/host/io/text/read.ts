/** Bytes of a file to text, with limits that no scenario reaches. */
import { messageOf } from '../../../contract/errors.ts';
import { openWithoutWaiting } from '../files/plain-file.ts';

/** 256 KiB: two hundred regions with names take 30 KiB. Larger files are something else. */
export const largestText_bytes = 256 * 1024;

/** Bytes of a single read: the limits are far above most files. */
const PIECE_BYTES = 256 * 1024;

/** Why there is nothing to read. */
interface Unread {
  readonly ok: false;
  readonly reason: string;
  /** There is no such file, rather than one that cannot be read. */
  readonly missing: boolean;
}

export type TextOrReason = { readonly ok: true; readonly text: string } | Unread;

export function unread(reason: string, missing = false): Unread {
  return { ok: false, reason, missing };
}

/** UTF-8 (a byte order mark is dropped), or why it is not. */
export function decodeText(bytes: Uint8Array, largest_bytes: number = largestText_bytes): TextOrReason {
  if (bytes.length > largest_bytes) {
    const what = largest_bytes === largestText_bytes ? 'which no scenario is' : 'the most that is read';
    return unread(`is larger than ${largest_bytes / 1024} KiB, ${what}`);
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unread('is not UTF-8 text');
  }
}

function failBy(error: unknown): Unread {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return unread('there is no such file', true);
    case 'EISDIR':
      return unread('is a folder, not a file');
    case 'EACCES':
    case 'EPERM':
      return unread('may not be read (permission denied)');
    default:
      return unread(`cannot be read: ${messageOf(error)}`);
  }
}

type BytesOrReason = { readonly ok: true; readonly bytes: Uint8Array } | Unread;

/**
 * Reads at most `largest_bytes` + 1 bytes, whatever the file claims to be: a device may have no end. Pipes are refused:
 * reading one waits for whoever is at its other end.
 */
export async function readBytes(path: string, largest_bytes: number): Promise<BytesOrReason> {
  try {
    const file = await openWithoutWaiting(path);
    try {
      const found = await file.stat();
      if (found.isDirectory()) return unread('is a folder, not a file');
      if (found.isFIFO() || found.isSocket()) return unread('is a pipe, not a file');
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

/** Text of at most `largest_bytes`, or why there is none. */
export async function readText(path: string, largest_bytes: number = largestText_bytes): Promise<TextOrReason> {
  const read = await readBytes(path, largest_bytes);
  return read.ok ? decodeText(read.bytes, largest_bytes) : read;
}
