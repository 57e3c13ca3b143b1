/** Work on every pixel of an image, on a worker thread if the image is large: up to a hundred million pixels. */
import type { ImageError, ImagePeak, ImageSummary } from '../../../contract/image.ts';
import { asideIfLarge } from '../../io/aside/large.ts';
import { noSpans } from '../../model/recording/recording.ts';
import { brightestOf, type ImageRunData } from './image-data.ts';
import { imageError } from './image-error.ts';
import { imagePeaks, type PeaksRun } from './peaks.ts';
import { imageSummary } from './summary.ts';
import { type Image, imageDifference } from './view.ts';

interface Two {
  readonly here: Image;
  readonly there: Image;
}

const summary = asideIfLarge('sum up an image', imageSummary);
const peaks = asideIfLarge('find peaks', ({ run, count }: { readonly run: PeaksRun; readonly count: number }) =>
  imagePeaks(run, count),
);
const error = asideIfLarge('hold an image to another', ({ here, there }: { here: Pixels; there: Pixels }) =>
  imageError(here, there),
);
const difference = asideIfLarge('subtract images', ({ here, there }: Two) => imageDifference(here, there));

type Pixels = Float32Array | Float64Array;

const imageOf = ({ width, height, image }: Image): Image => ({ width, height, image });

/** Photons of the brightest pixel. */
export const brightestOfImage = asideIfLarge('find the brightest pixel', brightestOf);

/** Without the run's recording, which may be larger than the image. */
export const summaryOfImage = (run: ImageRunData): Promise<ImageSummary> =>
  summary({ ...run, scenario: {}, spans: noSpans, trace: null });

/** At most `count`, the brightest first. */
export const peaksOfImage = (
  { image, width, height, completeScenario }: ImageRunData,
  count: number,
): Promise<ImagePeak[]> => peaks({ run: { image, width, height, completeScenario }, count });

/** Throws a RangeError for images of different sizes. */
export const errorOfImage = (here: Pixels, there: Pixels): Promise<ImageError> => error({ here, there });

/** Throws BraggError `unsupported` for images of different sizes. */
export const differenceOfImages = (here: Image, there: Image): Promise<Image> =>
  difference({ here: imageOf(here), there: imageOf(there) });
