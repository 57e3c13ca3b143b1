/** X-ray diffraction in the host. */
import type { Variant } from '../../../contract/capabilities.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { leastSeconds, refuseTooLong } from '../least-minutes.ts';
import { runOf } from '../run-data.ts';
import { type AnyReading, type DiffractionReading, problemOf } from '../scenarios/index.ts';
import { asVariant } from '../variant.ts';
import type { HostWorkload } from '../workload.ts';
import { brightestOfImage } from './aside.ts';
import { imageBenchable } from './benchable.ts';
import { comparedImages } from './compared.ts';
import { exportImage } from './export.ts';
import { imageMeasures } from './measures.ts';
import { imageRunFile } from './run-file.ts';
import { ImageRunning } from './running.ts';
import { diffractionScenario } from './scenario/side.ts';
import { imageText, imageUpTo, pixelsText } from './texts.ts';
import { imageTimeline } from './timeline.ts';
import { diffractionUserKernels } from './user-kernels.ts';
import { workOf } from './work.ts';

function narrowed(reading: AnyReading): DiffractionReading {
  if (reading.kind !== 'diffraction') throw new Error(`a scenario of ${reading.kind} came to diffraction`);
  return reading;
}

const variants = (addon: NativeAddon): readonly Variant[] =>
  addon.diffractionVariants().map((variant) => asVariant(variant, [variant.precision]));

export const diffraction: HostWorkload = {
  scenario: diffractionScenario,
  runFile: imageRunFile,
  timeline: (run) => imageTimeline(runOf('diffraction', run)),
  userKernels: diffractionUserKernels,
  compiledAtStart: false,
  variants,
  resolve: async ({ addon, memoryLimit_bytes }, any) => {
    const reading = narrowed(any);
    if (reading.problem === null) return null;
    const { plan } = addon.createDiffraction(reading.problem());
    refuseTooLong(workOf(addon, plan));
    const { variant, estimate_bytes, width, height, oversample, sources, orientations, layers, terms } = plan;
    return {
      kind: 'diffraction',
      scenario: { ...reading.scenario },
      variant,
      variants: variants(addon).map(({ id, reason }) => ({ id, refusal: reason })),
      estimate: { total_bytes: estimate_bytes, limit_bytes: memoryLimit_bytes },
      ...{ width, height, oversample, sources, orientations, layers, terms },
      reflections: reading.reflections,
    };
  },
  needs: async (addon, reading) => {
    const { plan } = addon.createDiffraction(problemOf(narrowed(reading)));
    const work = workOf(addon, plan);
    refuseTooLong(work);
    const { variant, precision, estimate_bytes, width, height, oversample, sources, orientations, layers, terms } =
      plan;
    const image = { width, height, oversample, sources, orientations, layers, terms };
    const least_s = leastSeconds(work);
    return { variant, precision, state_bytes: estimate_bytes, size: imageText(plan), sizes: { image }, least_s };
  },
  prepare: async (addon, reading, { trace }) => {
    const run = new ImageRunning(addon, problemOf(narrowed(reading)), trace);
    refuseTooLong(workOf(addon, run.plan));
    return run;
  },
  ended: async (any) => {
    const run = runOf('diffraction', any);
    const max = run.brightest ?? (await brightestOfImage(run.image));
    return {
      size: pixelsText(run),
      headline: { name: 'max', value: max, unit: 'photons' },
      detail: { workload: 'diffraction', done: run.done, terms_per_s: run.solve_s > 0 ? run.terms / run.solve_s : 0 },
      upTo: imageUpTo(run.done),
    };
  },
  exported: (run, what, packer) => exportImage(runOf('diffraction', run), what, packer),
  benchable: imageBenchable,
  compared: comparedImages,
  measures: (run) => imageMeasures(runOf('diffraction', run)),
  together: () => 'runs',
  // Claims may be limited to some sizes of the image.
  claimed: (filled) => {
    if (filled.kind !== 'diffraction') return null;
    const { width, height } = filled.detector;
    return { numbers: { pixels: width * height }, words: {} };
  },
  about: (document) => {
    const wavelength = valueAt(document, ['beam', 'wavelength_A']);
    return typeof wavelength === 'number' && Number.isFinite(wavelength) ? `${wavelength} Å` : '';
  },
};
