/** `braggbench run` of a diffraction scenario. */
import { imageSummary } from '../../../host/workloads/diffraction/summary.ts';
import { metric } from '../../numbers.ts';
import type { Solving } from '../solve.ts';
import { imageReport } from './report.ts';

export const solvingDiffraction: Solving<'diffraction'> = {
  workload: 'diffraction',
  words: ({ terms_per_s }) => [`${metric(terms_per_s)} terms/s`],
  tell: (run) => {
    const summary = imageSummary(run);
    const lines = (file: string | null, style: Parameters<typeof imageReport>[2]) => imageReport(summary, file, style);
    return { document: summary, lines, status: summary.status, error: null };
  },
};
