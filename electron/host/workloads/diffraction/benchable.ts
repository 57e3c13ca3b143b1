/** Diffraction images as benchmarks take them. */
import { IMAGE_SESSION_FORMAT } from '../../../contract/image-bench.ts';
import { devicesWithCeilings, gpuFacts, recordedFacts } from '../../bench/index.ts';
import { eachOnce, knownVariant } from '../../bench/known.ts';
import { problemOf } from '../../scenarios/index.ts';
import { type Answers, type Benchable, problemFor, reportEach } from '../benchable.ts';
import { benchImages } from './bench.ts';
import { imageField } from './field.ts';
import { imageFits } from './sweep.ts';

export const imageBenchable: Benchable = {
  problem: (reading) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of ${reading.kind} came to diffraction`);
    return { kind: 'diffraction', problem: problemOf(reading) };
  },
  check: (addon, _problem, variants) => {
    eachOnce(variants);
    for (const id of variants) knownVariant(id, addon.diffractionVariants());
  },
  hasRivals: false,
  measure: async (addon, task, { tell, signal }) => {
    const { scenario, document, variants, modes, seed, limits, assetsFolder, sweep, created, command } = task;
    const devices = await devicesWithCeilings(addon, () => undefined);
    const { commit = null, ...facts } = await recordedFacts(assetsFolder, devices, 'diffraction');
    const answers: Answers[] = [];
    const reports = await reportEach(task, signal, (problem, index) => {
      const found = new Map<string, Float32Array>();
      answers.push(found);
      return benchImages(addon, problemFor('diffraction', problem), {
        ...{ scenario, variants, seed, limits, signal },
        modes: ['warm', ...modes],
        gpu: gpuFacts(devices),
        recorded: { document: { ...document }, ...facts },
        onImage: (variant, image) => found.set(variant, image),
        onProgress: (progress) => tell(progress, index),
      });
    });
    const values = sweep?.values.slice(0, reports.length) ?? [];
    return {
      session: {
        ...{ format: IMAGE_SESSION_FORMAT, format_version: 1, created, command, commit, reports },
        sweep: sweep === null ? null : { path: sweep.path, values, fits: imageFits(values, reports) },
      },
      answers,
    };
  },
  field: (problem, answer) => {
    const { width, height } = problemFor('diffraction', problem).detector;
    return imageField({ width, height, image: Float32Array.from(answer) });
  },
};
