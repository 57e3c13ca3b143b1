/** X-ray diffraction on the command line. */
import { formatBytes } from '../../../contract/units.ts';
import { short, smallError } from '../../numbers.ts';
import type { Workload } from '../workload.ts';
import { benchDiffraction } from './bench.ts';
import { sizeText } from './report.ts';
import { runDiffraction } from './run.ts';

export const diffraction: Workload = {
  run: runDiffraction,
  bench: benchDiffraction,
  plan: (host, reading) => {
    if (reading.kind !== 'diffraction' || reading.problem === null) return null;
    const { plan } = host.addon.createDiffraction(reading.problem());
    const { variant, width, height, oversample, sources, orientations, layers, terms, estimate_bytes } = plan;
    const image = { width, height, oversample, sources, orientations, layers, terms };
    return {
      document: { variant, image, state_bytes: estimate_bytes },
      takes: `${sizeText(plan)}, ${formatBytes(estimate_bytes)} with ${variant}`,
    };
  },
  variants: (addon) => {
    const all = addon.diffractionVariants();
    return {
      columns: [
        { title: 'Variant' },
        { title: 'Device' },
        { title: 'Precision' },
        { title: 'Bright error', align: 'right' },
        { title: 'FLOP', align: 'right' },
        { title: 'Builds on' },
        { title: 'What it changes' },
      ],
      rows: all.map(({ id, device, precision, brightError, flopsPerTerm, buildsOn, changes }) => [
        id,
        device,
        precision,
        brightError >= 1 ? 'wrong' : brightError === 0 ? '–' : `≤ ${smallError(brightError)}`,
        short(flopsPerTerm, 3),
        buildsOn ?? '–',
        changes,
      ]),
      all,
    };
  },
  compare: null,
};
