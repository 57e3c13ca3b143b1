/** Proton transport on the command line. */
import { short } from '../../numbers.ts';
import { runBy } from '../solve.ts';
import { variantList, type Workload } from '../workload.ts';
import { benchTransport } from './bench.ts';
import { compareTransport } from './compare.ts';
import { fitTransport } from './fit.ts';
import { solvingTransport } from './run.ts';

export const transport: Workload = {
  fit: fitTransport,
  run: runBy(solvingTransport),
  bench: benchTransport,
  variants: (addon) =>
    variantList(addon.variants(), [
      { title: 'Precision', text: ({ precisions }) => precisions.join(' ') },
      { title: 'Stepping', text: ({ steppings }) => steppings.join(' ') },
      { title: 'B', align: 'right', text: ({ bytesPerCellStep }) => short(bytesPerCellStep, 3) },
      { title: 'FLOP', align: 'right', text: ({ flopsPerCellStep }) => short(flopsPerCellStep, 3) },
    ]),
  compare: compareTransport,
};
