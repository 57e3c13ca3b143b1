/** Comparison of diffraction images. */
import type { ComparedRuns } from '../compared.ts';
import { runOf } from '../run-data.ts';
import { imageAccuracy, imageWords } from './accuracy.ts';
import { errorOfImage } from './aside.ts';
import { imageField } from './field.ts';

export const comparedImages: ComparedRuns = {
  kind: 'answers',
  words: imageWords,
  of: async (any) => {
    const run = runOf('diffraction', any);
    const { threads, isa, setup_s, solve_s, device_s, terms, width, height, done, setup_parts } = run;
    const time_s = device_s > 0 ? device_s : solve_s;
    return {
      ...{ threads, isa, time_s, setup_s },
      setup_parts: setup_parts.map(({ name, seconds }) => ({ name, first_s: seconds, warm_s: null })),
      size: width * height,
      quantities: [
        { id: 'to_host', title: 'Until in memory', value: solve_s, unit: 's' },
        ...(terms === 0
          ? []
          : [
              {
                id: 'per_term',
                title: 'Per lattice term and core',
                value: (1e9 * time_s * threads) / terms,
                unit: 'ns',
              },
            ]),
        ...(done < 1 ? [{ id: 'done', title: 'Share of the image', value: done, unit: '' }] : []),
      ],
      accuracy: [],
      field: imageField(run),
      environment: {},
    };
  },
  against: async (here, reference, judged) =>
    imageAccuracy(await errorOfImage(here.field.values, reference.field.values), judged),
};
