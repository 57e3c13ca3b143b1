/** `braggbench run` of a transport scenario. */
import { summaryDocument } from '../../../contract/summary.ts';
import { shareText } from '../../../contract/units.ts';
import { summaryOf } from '../../../host/workloads/transport/readouts.ts';
import { significant } from '../../numbers.ts';
import { runReport } from '../../reports/run-report.ts';
import type { ProgressWords } from '../../run-progress.ts';
import type { Solving } from '../solve.ts';

export const stepWords: ProgressWords<'transport'> = ({ step, depth_mm, weight_left, steps_per_s }) => [
  `step ${step}`,
  `depth ${depth_mm.toFixed(1)} mm`,
  `${shareText(weight_left, 3)} in flight`,
  `${significant(steps_per_s, 3)} steps/s`,
];

export const solvingTransport: Solving<'transport'> = {
  workload: 'transport',
  words: stepWords,
  tell: (run, { scenario, issues, range_mm: beamRange_mm, table }) => {
    const summary = summaryOf(run);
    const range_mm = scenario?.initial.kind === 'beam' ? beamRange_mm : null;
    const { background = 'water', regions = [], ct } = scenario?.geometry ?? {};
    const inWater = background === 'water' && regions.length === 0 && ct === undefined;
    const { z_mm: entrance_mm, angle_deg } = scenario?.beam ?? { z_mm: 0, angle_deg: 0 };
    const facts = { summary, range_mm, inWater, entrance_mm, angle_deg, table: table ?? '' };
    return {
      document: {
        ...summaryDocument(summary),
        csda_range_mm: range_mm,
        // What is said beside the run before it starts.
        warnings: issues.filter(({ severity }) => severity === 'warning'),
      },
      lines: (file, style) => runReport({ ...facts, file }, style),
      status: summary.status,
      error: summary.error,
    };
  },
};
