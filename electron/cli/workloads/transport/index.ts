/** Proton transport on the command line. */
import { problemOf } from '../../../host/workloads/scenarios/index.ts';
import { asTransport } from '../../../host/workloads/transport/scenario/reading.ts';
import { short } from '../../numbers.ts';
import { runBy } from '../solve.ts';
import { variantList, type Workload } from '../workload.ts';
import { compareTransport } from './compare.ts';
import { fitTransport } from './fit.ts';
import { solvingTransport } from './run.ts';

export const transport: Workload = {
  fit: fitTransport,
  run: runBy(solvingTransport),
  // Those that the scenario's stepping fits; the plain reference is what they are held to.
  usual: (addon, reading) => {
    const { stepping } = problemOf(asTransport(reading, '')).solver;
    return addon.variants().filter(({ id, steppings }) => id !== 'reference' && steppings.includes(stepping));
  },
  variants: (addon) =>
    variantList(addon.variants(), [
      { title: 'Precision', text: ({ precisions }) => precisions.join(' ') },
      { title: 'Stepping', text: ({ steppings }) => steppings.join(' ') },
      { title: 'B', align: 'right', text: ({ bytesPerCellStep }) => short(bytesPerCellStep, 3) },
      { title: 'FLOP', align: 'right', text: ({ flopsPerCellStep }) => short(flopsPerCellStep, 3) },
    ]),
  compare: compareTransport,
};
