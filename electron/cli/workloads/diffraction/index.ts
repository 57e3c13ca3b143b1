/** X-ray diffraction on the command line. */
import { short, smallError } from '../../numbers.ts';
import { fitByName } from '../../read-scenario.ts';
import { runBy } from '../solve.ts';
import { variantList, type Workload } from '../workload.ts';
import { solvingDiffraction } from './run.ts';

/** What its tests hold it to. */
const errorText = (bright: number): string => (bright >= 1 ? 'wrong' : bright === 0 ? '–' : `≤ ${smallError(bright)}`);

export const diffraction: Workload = {
  fit: fitByName,
  run: runBy(solvingDiffraction),
  usual: (addon) => addon.diffractionVariants(),
  variants: (addon) =>
    variantList(addon.diffractionVariants(), [
      { title: 'Precision', text: ({ precision }) => precision },
      { title: 'Bright error', align: 'right', text: ({ brightError }) => errorText(brightError) },
      { title: 'FLOP', align: 'right', text: ({ flopsPerTerm }) => short(flopsPerTerm, 3) },
    ]),
  compare: null,
};
