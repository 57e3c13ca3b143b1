/** Result of every reader of images, and errors that they share. */
import { BraggError } from '../../../../contract/errors.ts';

/** Geometry of a recorded image from its file, in the units of scenarios. */
export type Header = Readonly<Partial<Record<'distance_mm' | 'pixel_mm' | 'wavelength_A', number>>>;

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Slow · width + fast. */
  readonly counts: Float32Array;
  /** A pixel of this and more counts is overloaded; infinite where counts have no end. */
  readonly full: number;
  readonly header: Header;
  /** Facts about the file that a user must know. */
  readonly notes?: readonly string[];
}

/** Pixels of the largest image that is read. */
const MOST_PIXELS = 64 * 2 ** 20;

export const foreign = (message: string): BraggError => new BraggError('foreign-file', message);

/** Throws a BraggError where a size is none, or more than is read. */
export function sized(width: number, height: number): void {
  const whole = [width, height].every((side) => Number.isInteger(side) && side > 0);
  if (!whole || width * height > MOST_PIXELS) {
    throw foreign(`${width} × ${height} pixels; allowed: whole numbers from 1, ${MOST_PIXELS} pixels in all`);
  }
}

/** Throws a BraggError where a file ends before its pixels do, or goes on after them. */
export function exactly(bytes: Uint8Array, from: number, length: number): Uint8Array {
  const pixels = reaching(bytes, from, length);
  if (from + length === bytes.length) return pixels;
  throw foreign(
    `it has ${bytes.length} bytes, and its pixels end at ${from + length}: their type or number is another`,
  );
}

/** Throws a BraggError where a file ends before its pixels do. */
export function reaching(bytes: Uint8Array, from: number, length: number): Uint8Array {
  if (!(from >= 0) || from + length > bytes.length) {
    throw foreign(`it ends at byte ${bytes.length}, before its pixels do at ${from + length}`);
  }
  return bytes.subarray(from, from + length);
}
