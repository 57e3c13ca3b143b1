/** Photons as the 16-bit counts of image files. */

/** The largest pixel becomes this, and no photons this offset, as simulated images are written. */
const FULL_SCALE = 55_000;
const OFFSET = 40;
const MOST = 65_535;

interface Counts {
  readonly counts: Uint16Array;
  /** Counts per photon. */
  readonly scale: number;
  readonly offset: number;
}

/** Halves round up; an image without photons is all offset. */
export function counts(image: Float32Array): Counts {
  let max = 0;
  for (const photons of image) max = Math.max(max, photons);
  const scale = max > 0 ? FULL_SCALE / max : 1;
  const out = Uint16Array.from(image, (photons) =>
    Math.min(MOST, Math.max(0, Math.floor(photons * scale + OFFSET + 0.5))),
  );
  return { counts: out, scale, offset: OFFSET };
}

/** Little-endian bytes, whatever this machine's order is. */
export function littleEndian(values: Float32Array | Uint16Array): Uint8Array {
  const size = values.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (const [i, value] of values.entries()) {
    if (size === 4) view.setFloat32(4 * i, value, true);
    else view.setUint16(2 * i, value, true);
  }
  return bytes;
}
