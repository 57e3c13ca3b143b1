/** What looks at every pixel of an image, beside the host's loop: images have up to a hundred million. */
import type { ImageError, ImagePeak, ImageSummary } from '../../../contract/image.ts';
import { aside } from '../../io/aside/task.ts';
import { noSpans } from '../../model/recording/recording.ts';
import type { ImageRunData } from './image-data.ts';
import { imageError } from './image-error.ts';
import { imagePeaks, type PeaksRun } from './peaks.ts';
import { imageSummary } from './summary.ts';
import { type Image, imageDifference } from './view.ts';

/** Looked at within milliseconds. */
const FEW_PIXELS = 2 ** 20;
const isLarge = ({ image }: Pick<ImageRunData, 'image'>): boolean => image.length > FEW_PIXELS;

/** The run without its recording, which may be larger than the image. */
const withoutRecording = (run: ImageRunData): ImageRunData => ({ ...run, spans: noSpans, trace: null });

const summary = aside('sum up an image', imageSummary);
const peaks = aside('find peaks', ({ run, count }: { readonly run: PeaksRun; readonly count: number }) =>
  imagePeaks(run, count),
);
interface Two {
  readonly here: Image;
  readonly there: Image;
}
const error = aside('hold an image to another', ({ here, there }: Two) => imageError(here.image, there.image));
const difference = aside('subtract images', ({ here, there }: Two) => imageDifference(here, there));

const imageOf = ({ width, height, image }: Image): Image => ({ width, height, image });

export async function summaryOfImage(run: ImageRunData): Promise<ImageSummary> {
  return isLarge(run) ? summary(withoutRecording(run)) : imageSummary(run);
}

/** At most `count`, the brightest first. */
export async function peaksOfImage(run: ImageRunData, count: number): Promise<ImagePeak[]> {
  const { image, width, height, completeScenario } = run;
  return isLarge(run) ? peaks({ run: { image, width, height, completeScenario }, count }) : imagePeaks(run, count);
}

/** Throws a RangeError for images of different sizes. */
export async function errorOfImage(here: Image, there: Image): Promise<ImageError> {
  const two = { here: imageOf(here), there: imageOf(there) };
  return isLarge(here) ? error(two) : imageError(here.image, there.image);
}

/** Throws BraggError `unsupported` for images of different sizes. */
export async function differenceOfImages(here: Image, there: Image): Promise<Image> {
  const two = { here: imageOf(here), there: imageOf(there) };
  return isLarge(here) ? difference(two) : imageDifference(here, there);
}
