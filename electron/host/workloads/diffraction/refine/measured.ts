/** Measured images that crystals are fitted to: import, consistency with the scenario, and difference from the fit. */
import { BraggError } from '../../../../contract/errors.ts';
import type { DiffractionScenario } from '../../../../contract/scenario/diffraction/index.ts';
import { onThread, onThreadIfLarge } from '../../../io/threads/task.ts';
import type { AnyReading, DiffractionReading } from '../../scenarios/scenarios.ts';
import { type MaskedImage, readImage, readNexusImage, withoutUncounted } from '../images/read.ts';
import type { Header } from '../images/read-cbf.ts';
import type { Image } from '../summary.ts';

/** Computed images count photons, and no pixel is saturated. */
export const maskedImageOf = ({ width, height, image }: Image): MaskedImage =>
  withoutUncounted({ width, height, counts: image, full: Number.POSITIVE_INFINITY, header: {} });

/** Every pixel is visited, so files and large images are processed on a worker thread. */
export const processImage = onThreadIfLarge('take in an image', maskedImageOf);
export const readImageFile = onThread(
  'read an image file',
  ({ bytes, name, size }: { readonly bytes: Uint8Array; readonly name: string; readonly size: [number, number] }) =>
    readImage(bytes, name, size),
);

interface NamedImage {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const readNexusFile = onThread(
  'read an image of NXmx',
  ({ bytes, name, linked }: NamedImage & { readonly linked: readonly NamedImage[] }) =>
    readNexusImage(bytes, name, async (wanted) => linked.find((one) => one.name === wanted)?.bytes ?? null),
);

export interface FittedImage {
  readonly photons: Float32Array;
  /** Counts per photon, and counts of the background. */
  readonly scale: number;
  readonly background: number;
}

interface LoadedImage {
  readonly measured: Pick<MaskedImage, 'counts' | 'left'>;
  /** Null if only the counts are displayed. */
  readonly fitted: FittedImage | null;
}

/** Counts, or counts less the fit; 0 in excluded pixels. */
export const shownCounts = onThreadIfLarge('subtract a fit', ({ measured, fitted }: LoadedImage): Float32Array => {
  const { counts, left } = measured;
  return counts.map((count, i) => {
    if (left[i] === 1) return 0;
    return fitted === null ? count : count - fitted.scale * (fitted.photons[i] ?? 0) - fitted.background;
  });
});

export const countLeftOut = onThreadIfLarge('count what is left out', (left: Uint8Array): number =>
  left.reduce((sum, one) => sum + one, 0),
);

/** Throws BraggError for a scenario without a crystal. */
export function requireCrystal(reading: AnyReading): DiffractionReading {
  if (reading.kind === 'diffraction') return reading;
  throw new BraggError('unsupported', 'Only a crystal can be fitted to an image; this scenario is of another kind.');
}

/** Differences of more than a thousandth between the file's header and the scenario. */
export function disagreements(header: Header, { detector, beam }: DiffractionScenario): readonly string[] {
  const said = [
    ['detector.distance_mm', header.distance_mm, detector.distance_mm],
    ['detector.pixel_mm', header.pixel_mm, detector.pixel_mm],
    ['beam.wavelength_A', header.wavelength_A, beam.wavelength_A],
  ] as const;
  return said.flatMap(([place, file, own]) =>
    file === undefined || Math.abs(file / own - 1) < 1e-3
      ? []
      : [`${place} is ${own} in the scenario, but ${file} in the header of the image`],
  );
}
