/** Images that detectors or programs have recorded: SMV, TIFF, CBF, NXmx and raw 32-bit numbers. */
import { extname } from 'node:path';
import { BraggError } from '../../../../contract/errors.ts';
import { foreign, type Pixels, sized } from './pixels-read.ts';
import { readCbf } from './read-cbf.ts';
import { type ReadLinkedFile, readNexus } from './read-nexus.ts';
import { readSmv } from './read-smv.ts';
import { readTiff } from './read-tiff.ts';

export interface Measured extends Pixels {
  /** 1 for a pixel that counts nothing: full, behind a gap, or no number. */
  readonly left: Uint8Array;
}

function readRaw(bytes: Uint8Array, size: readonly [number, number] | null): Pixels {
  if (size === null) throw foreign('raw numbers have no size of their own; give it, as in --size 1024x1024');
  const [width, height] = size;
  sized(width, height);
  if (bytes.length !== 4 * width * height) {
    throw foreign(
      `${width} × ${height} numbers of 32 bits are ${4 * width * height} bytes; the file has ${bytes.length}`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const counts = Float32Array.from({ length: width * height }, (_, i) => view.getFloat32(4 * i, true));
  return { width, height, counts, full: Number.POSITIVE_INFINITY, header: {} };
}

type Reader = (bytes: Uint8Array, size: readonly [number, number] | null) => Pixels;
const readers: Readonly<Record<string, Reader>> = {
  '.img': readSmv,
  '.tif': readTiff,
  '.tiff': readTiff,
  '.cbf': readCbf,
  '.bin': readRaw,
  '.raw': readRaw,
};

/** Which pixels have no part. */
export function withoutUncounted(pixels: Pixels): Measured {
  const left = Uint8Array.from(pixels.counts, (count) => (count >= 0 && count < pixels.full ? 0 : 1));
  return { ...pixels, left };
}

/** The pixels of a file of this name. Throws a BraggError that says what is wrong with it. */
export function readImage(bytes: Uint8Array, name: string, size: readonly [number, number] | null = null): Measured {
  const extension = extname(name).toLowerCase();
  const reader = readers[extension];
  if (reader === undefined) {
    const known = [...Object.keys(readers), '.h5'].join(', ');
    throw new BraggError(
      'unsupported',
      `${name}: ${extension || 'no extension'} is read as no image; allowed: ${known}`,
    );
  }
  try {
    return withoutUncounted(reader(bytes, size));
  } catch (error) {
    throw named(name, error);
  }
}

const named = (name: string, error: unknown): unknown =>
  error instanceof BraggError ? new BraggError(error.code, `${name}: ${error.message}`) : error;

/** The first image of an HDF5 file of a detector. Throws a BraggError that says what is wrong with it. */
export async function readNexusImage(bytes: Uint8Array, name: string, readLinked: ReadLinkedFile): Promise<Measured> {
  try {
    return withoutUncounted(await readNexus(bytes, readLinked));
  } catch (error) {
    throw named(name, error);
  }
}

/** An HDF5 file of this program, or else of a detector. */
export async function runOrNexus<Run>(
  run: () => Promise<Run>,
  nexus: () => Promise<Measured>,
): Promise<{ readonly run: Run } | { readonly image: Measured }> {
  try {
    return { run: await run() };
  } catch (error) {
    if (!(error instanceof BraggError) || error.code !== 'foreign-file') throw error;
    try {
      return { image: await nexus() };
    } catch (other) {
      // A file of neither kind is a run that cannot be read.
      throw other instanceof BraggError && other.code === 'unsupported' ? error : other;
    }
  }
}
