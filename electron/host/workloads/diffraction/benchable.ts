/** Diffraction images as benchmarks take them. */
import { IMAGE_SESSION_FORMAT } from '../../../contract/bench/image-bench.ts';
import { type Answers, type Benchable, problemFor, reportEach } from '../benchable.ts';
import { problemOf } from '../scenarios/index.ts';
import { benchImages } from './bench.ts';
import { imageCandidates } from './candidates.ts';
import { imageField } from './field.ts';
import { imageSurroundings } from './surroundings.ts';
import { imageFits } from './sweep.ts';
import { leastOfEach } from './work.ts';

export const imageBenchable: Benchable = {
  problem: (reading) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of ${reading.kind} came to diffraction`);
    return { kind: 'diffraction', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    imageCandidates(problemFor('diffraction', problem), variants, addon.diffractionVariants());
  },
  least_s: async (addon, problem, variants) => leastOfEach(addon, problemFor('diffraction', problem), variants),
  hasRivals: false,
  measure: async (addon, task, { tell, signal }) => {
    const { scenario, document, variants, modes, seed, limits, assetsFolder, sweep, created, command } = task;
    const { gpus, claims, recorded, commit } = await imageSurroundings(addon, assetsFolder, () => undefined);
    const answers: Answers[] = [];
    const reports = await reportEach(task, signal, (problem, index) => {
      const found = new Map<string, Float32Array>();
      answers.push(found);
      return benchImages(addon, problemFor('diffraction', problem), {
        ...{ scenario, variants, seed, limits, gpus, claims, signal },
        modes: ['warm', ...modes],
        recorded: { document: { ...document }, ...recorded },
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
