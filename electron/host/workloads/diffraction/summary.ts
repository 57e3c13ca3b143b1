/**
 * Readouts of a diffraction image for display: summary, brightest spots, display pixels and comparison. Images have up
 * to a hundred million pixels, so large ones are processed on a worker thread.
 */
import { BraggError } from '../../../contract/errors.ts';
import type { FieldMap } from '../../../contract/fields.ts';
import type { ImageError, ImagePeak, ImageSummary, ImageView } from '../../../contract/image.ts';
import { type DiffractionScenario, imageGeometry } from '../../../contract/scenario/index.ts';
import { countText } from '../../../domain/values/units.ts';
import { defineArrayTask } from '../../io/threads/task.ts';
import {
  type ComparedField,
  type GridAxis,
  reducePlane,
  sampleAxis,
  sampledMapAxis,
} from '../../model/fields/field.ts';
import { NO_SPANS } from '../../model/recording/recording.ts';
import { type AnyRunData, runOf } from '../run-data.ts';
import { brightestPixelPhotons, type ImageRunData, imageError } from './image-data.ts';

/** Photons per pixel at index slow · width + fast. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly image: Float32Array;
}

function pixelAxis(name: 'fast' | 'slow', count: number): GridAxis {
  return { name, unit: 'px', uniform: true, edges: Float64Array.from({ length: count + 1 }, (_, i) => i) };
}

/** Map of an image with at most one sample per pixel of the screen. */
export async function imageMap(
  { width, height, image }: Image,
  { viewport, statistic = 'mean' }: ImageView,
  quantity = 'photons',
): Promise<FieldMap> {
  const [fast, slow] = [pixelAxis('fast', width), pixelAxis('slow', height)];
  const across = sampleAxis(fast, viewport.horizontal, viewport.pixels[0]);
  const down = sampleAxis(slow, viewport.vertical, viewport.pixels[1]);
  const plane = { values: image, strideHorizontal: 1, strideVertical: width };
  return {
    quantity,
    unit: 'photons',
    horizontal: sampledMapAxis(fast, across),
    vertical: sampledMapAxis(slow, down),
    ...(await reducePlane(plane, across, down, statistic, 1)),
  };
}

/** Throws BraggError `unsupported` if the images have different sizes. */
export function checkSameSize(a: Image, b: Image): void {
  if (a.width === b.width && a.height === b.height) return;
  const size = ({ width, height }: Image): string => `${width} × ${height} pixels`;
  throw new BraggError('unsupported', `The images differ in size: ${size(a)} and ${size(b)}.`);
}

/** Subtracts `there` from `here`, pixel by pixel. */
function imageDifference(here: Image, there: Image): Image {
  checkSameSize(here, there);
  const image = here.image.map((value, i) => value - (there.image[i] ?? 0));
  return { width: here.width, height: here.height, image };
}

export function imageField({ width, height, image }: Image): ComparedField {
  return {
    quantity: 'photons',
    unit: 'photons',
    values: image,
    scale: 1,
    horizontal: pixelAxis('fast', width),
    vertical: pixelAxis('slow', height),
    strideHorizontal: 1,
    strideVertical: width,
    statistic: 'max',
    curve: null,
  };
}

interface LocalMaximum {
  readonly index: number;
  readonly photons: number;
}

/** Whether a pixel is brighter than its neighbours. Among equal pixels, only the first in reading order is a peak. */
function isPeak(image: Float32Array, width: number, height: number, fast: number, slow: number): boolean {
  const own = image[slow * width + fast] ?? 0;
  for (let s = Math.max(0, slow - 1); s <= Math.min(height - 1, slow + 1); s += 1) {
    for (let f = Math.max(0, fast - 1); f <= Math.min(width - 1, fast + 1); f += 1) {
      if (s === slow && f === fast) continue;
      const other = image[s * width + f] ?? 0;
      const before = s < slow || (s === slow && f < fast);
      if (other > own || (before && other === own)) return false;
    }
  }
  return own > 0;
}

/** Returns at most `count` local maxima, brightest first. */
function findLocalMaxima(image: Float32Array, width: number, height: number, count: number): readonly LocalMaximum[] {
  const found: LocalMaximum[] = [];
  let least = 0;
  for (let index = 0; index < image.length; index += 1) {
    const photons = image[index] ?? 0;
    if (photons <= least || !isPeak(image, width, height, index % width, Math.floor(index / width))) continue;
    found.push({ index, photons });
    // Truncate the list while it grows, because in an image of noise every ninth pixel is a peak.
    if (found.length >= 4 * count) {
      found.sort((a, b) => b.photons - a.photons);
      found.length = count;
      least = found[count - 1]?.photons ?? 0;
    }
  }
  return found.sort((a, b) => b.photons - a.photons || a.index - b.index).slice(0, count);
}

/** Data of a run that are needed to find peaks. */
type PeakInputs = Pick<ImageRunData, 'image' | 'width' | 'height' | 'completeScenario'>;

export function imagePeaks(run: PeakInputs, count: number): ImagePeak[] {
  const { image, width, height } = run;
  const { at } = imageGeometry(run.completeScenario as unknown as DiffractionScenario);
  return findLocalMaxima(image, width, height, count).map(({ index, photons }) => {
    const [fast, slow] = [index % width, Math.floor(index / width)];
    let [sum, f, s] = [0, 0, 0];
    for (let y = Math.max(0, slow - 1); y <= Math.min(height - 1, slow + 1); y += 1) {
      for (let x = Math.max(0, fast - 1); x <= Math.min(width - 1, fast + 1); x += 1) {
        const value = image[y * width + x] ?? 0;
        sum += value;
        f += value * (x + 0.5);
        s += value * (y + 0.5);
      }
    }
    return { ...at(f / sum, s / sum), photons, pixel: [fast, slow] };
  });
}

const BRIGHT = 1e-3;

/** Smallest or largest resolution in ångström. The largest is null if a position is in the forward direction. */
function extremeResolution(
  places: readonly { readonly resolution_A: number | null }[],
  of: (...values: number[]) => number,
): number | null {
  const known = places.map(({ resolution_A }) => resolution_A);
  const finite = known.filter((value) => value !== null);
  return finite.length < known.length && of === Math.max ? null : of(...finite);
}

function resolutions(scenario: DiffractionScenario, width: number, height: number): ImageSummary['resolution_A'] {
  const { at } = imageGeometry(scenario);
  const beam = {
    fast: scenario.detector.beam_y_mm / scenario.detector.pixel_mm + 0.5,
    slow: scenario.detector.beam_x_mm / scenario.detector.pixel_mm + 0.5,
  };
  const edges = [at(0, beam.slow), at(width, beam.slow), at(beam.fast, 0), at(beam.fast, height)];
  const corners = [at(0, 0), at(width, 0), at(0, height), at(width, height)];
  return {
    edge: extremeResolution(edges, Math.max),
    corner: extremeResolution(corners, Math.min),
  };
}

export function imageSummary(run: ImageRunData): ImageSummary {
  const { image, width, height } = run;
  const scenario = run.completeScenario as unknown as DiffractionScenario;
  let [max, place, sum] = [0, 0, 0];
  // Loop by index, because an iterator creates an object for each of up to a hundred million pixels.
  for (let i = 0; i < image.length; i += 1) {
    const photons = image[i] ?? 0;
    sum += photons;
    if (photons > max) [max, place] = [photons, i];
  }
  let bright = 0;
  for (let i = 0; i < image.length; i += 1) if ((image[i] ?? 0) > BRIGHT * max) bright += 1;
  const { at } = imageGeometry(scenario);
  const [fast, slow] = [place % width, Math.floor(place / width)];
  return {
    workload: 'diffraction',
    scenario: run.name,
    variant: run.variant,
    precision: run.precision,
    status: run.status,
    done: run.done,
    threads: run.threads,
    isa: run.isa,
    wall_s: run.wall_s,
    setup_s: run.setup_s,
    solve_s: run.solve_s,
    device_s: run.device_s > 0 ? run.device_s : null,
    terms: run.terms,
    ns_per_term:
      run.terms > 0 ? ((run.device_s > 0 ? run.device_s : run.solve_s * run.threads) * 1e9) / run.terms : null,
    image: {
      width,
      height,
      oversample: run.oversample,
      sources: run.sources,
      orientations: run.orientations,
      layers: run.layers,
      max,
      sum,
      mean: sum / image.length,
      bright_pixels: bright,
    },
    brightest: { ...at(fast + 0.5, slow + 0.5), fast, slow },
    resolution_A: resolutions(scenario, width, height),
    peak_rss_MB: run.peak_rss_bytes / 1e6,
    state_bytes: run.scratch_bytes + image.byteLength,
  };
}

interface ImagePair {
  readonly here: Image;
  readonly there: Image;
}

const summary = defineArrayTask('summarise an image', imageSummary);
const peaks = defineArrayTask('find peaks', ({ run, count }: { readonly run: PeakInputs; readonly count: number }) =>
  imagePeaks(run, count),
);
const error = defineArrayTask('compare an image with another', ({ here, there }: { here: Pixels; there: Pixels }) =>
  imageError(here, there),
);
const difference = defineArrayTask('subtract images', ({ here, there }: ImagePair) => imageDifference(here, there));

type Pixels = Float32Array | Float64Array;

const imageOf = ({ width, height, image }: Image): Image => ({ width, height, image });

/** Returns the photons in the brightest pixel. */
export const brightestOfImage = defineArrayTask('find the brightest pixel', brightestPixelPhotons);

/** Do not send the recording to the worker thread, because it may be larger than the image. */
export const summaryOfImage = (run: ImageRunData): Promise<ImageSummary> =>
  summary({ ...run, scenario: {}, spans: NO_SPANS, trace: null });

/** Returns at most `count` peaks, brightest first. */
export const peaksOfImage = (
  { image, width, height, completeScenario }: ImageRunData,
  count: number,
): Promise<ImagePeak[]> => peaks({ run: { image, width, height, completeScenario }, count });

/** Computes the error of `here` relative to `there`. Throws a RangeError if the images have different sizes. */
export const errorOfImage = (here: Pixels, there: Pixels): Promise<ImageError> => error({ here, there });

/** Returns `here` minus `there`. Throws BraggError `unsupported` if the images have different sizes. */
export const differenceOfImages = (here: Image, there: Image): Promise<Image> =>
  difference({ here: imageOf(here), there: imageOf(there) });

export function pixelsText({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${width} × ${height} pixels`;
}

export function imageProgressText(done: number): string {
  return `${Math.floor(100 * done)} % of the image`;
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  readonly orientations: number;
  readonly layers: number;
}

/** Describes the size of a problem, for example `1024 × 1024 pixels of 2 × 2 sub-pixels, 1 source, 4 orientations`. */
export function imageText(size: Size): string {
  const { oversample, sources, orientations, layers } = size;
  const sub = oversample === 1 ? '' : ` of ${oversample} × ${oversample} sub-pixels`;
  const deep = layers === 1 ? '' : `, ${layers} layers`;
  return `${pixelsText(size)}${sub}${deep}, ${countText(sources, 'source')}, ${countText(orientations, 'orientation')}`;
}

/** Returns the run if it is a diffraction run. Throws BraggError `unsupported` otherwise. */
export const imageRunOf = (run: AnyRunData): ImageRunData => runOf('diffraction', run);
