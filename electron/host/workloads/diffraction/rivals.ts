/** Requests of diffraction images to other programs, and the accuracy of their answers. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionProblem } from '../../io/addon/diffraction.ts';
import type { RivalTerms } from '../../model/external/contestant.ts';
import { imageAccuracy } from './accuracy.ts';
import { imageError } from './image-error.ts';
import { REFERENCE } from './render.ts';

export function imageTerms(addon: NativeAddon, problem: DiffractionProblem): RivalTerms {
  const { plan } = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant: REFERENCE } });
  const pixels = plan.width * plan.height;
  return {
    // The plan determines the oversampling of each pixel edge.
    request: { problem: { ...problem, detector: { ...problem.detector, oversample: plan.oversample } } },
    ...{ precision: 'fp64', samples: 'run', sample_s: 0, lengths: [pixels], size: pixels },
    accuracy: ({ arrays: [image] }, oracle) =>
      image === undefined || oracle === null
        ? []
        : imageAccuracy(imageError(Float32Array.from(image), Float32Array.from(oracle)), true),
    values: ([image]) => image ?? null,
    quantities: (_told, time_s) => [{ id: 'rate', title: 'Pixels', value: pixels / time_s, unit: '1/s' }],
  };
}
