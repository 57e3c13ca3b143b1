/** Accuracy of a diffraction image, and the wording of sessions for images. */
import type { Accuracy, Words } from '../../../contract/bench/session.ts';
import { BRIGHT_PARITY, type ImageError } from '../../../contract/image.ts';

export const imageWords: Words = {
  time: 'Image',
  timeTip: 'of one image, without its set-up',
  size: 'pixels',
  rate: 'Pixels',
};

const columns = [
  { id: 'rel_l2', title: 'relL2', tip: 'Norm of the difference from the FP64 image over its norm' },
  { id: 'max', title: 'max / max', tip: 'Largest difference over the largest pixel of the FP64 image' },
  {
    id: 'bright',
    title: 'Bright pixels',
    tip: `Largest relative error of the pixels above a thousandth of the largest; at most ${BRIGHT_PARITY} is right`,
  },
  { id: 'sum', title: 'Sum', tip: 'Relative difference of the sums' },
  { id: 'mean', title: 'Mean', tip: 'Mean relative error of the pixels above a thousandth of the largest' },
  { id: 'correlation', title: 'Correlation', tip: 'With the FP64 image, over all pixels' },
] as const;

/** `judged`: both images are of one problem, so that a difference is an error. */
export function imageAccuracy(error: Partial<ImageError>, judged: boolean): Accuracy[] {
  return columns.flatMap(({ id, title, tip }) => {
    const value = error[id];
    if (value === undefined) return [];
    const bound = judged && id === 'bright' ? BRIGHT_PARITY : null;
    return { id, title, tip, unit: '', value, bound, holds: bound === null || (value !== null && value <= bound) };
  });
}
