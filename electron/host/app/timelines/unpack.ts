/** Packed files whose reader needs them whole on the disk: unpacked piece by piece, up to a limit. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';
import { formatBytes } from '../../../contract/units.ts';

const CHUNK_BYTES = 2 ** 20;
/** Databases of hours have some gigabytes; a file that was made to fill a disk has more. */
const MOST_BYTES = 16 * 2 ** 30;

/** Plain message for a zlib error of a damaged file; other errors are returned unchanged. */
export function gzipFault(error: unknown, read_bytes: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') {
    return new BraggError('foreign-file', `its compressed data are cut off after ${read_bytes} bytes`);
  }
  return code.startsWith('Z_') ? new BraggError('foreign-file', 'its compressed data are damaged') : error;
}

/** Its first bytes unpacked; none of a damaged one, whose reader says so. */
export async function unpackedHead(file: string, bytes: number): Promise<Buffer> {
  const source = createReadStream(file, { end: 16 * 1024 });
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    for await (const chunk of unpacked) return (chunk as Buffer).subarray(0, bytes);
  } catch {
    // Cut off, by us or before.
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  return Buffer.alloc(0);
}

/** Throws BraggError `foreign-file` of a damaged file, `memory` of one that is too large. */
export async function unpack(
  file: string,
  target: string,
  progress: (read_bytes: number) => void,
  most_bytes: number = MOST_BYTES,
): Promise<void> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      progress(source.bytesRead);
      const says = `it is more than ${formatBytes(most_bytes)} when unpacked, the most that is taken in`;
      done(bytes > most_bytes ? new BraggError('memory', says) : null, chunk);
    },
  });
  try {
    await pipeline(
      source,
      createGunzip({ chunkSize: CHUNK_BYTES }),
      counted,
      createWriteStream(target, { flags: 'wx' }),
    );
  } catch (error) {
    throw gzipFault(error, source.bytesRead);
  }
}
