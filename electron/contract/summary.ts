/** The run summary as a JSON document: what `braggbench run --json` prints. */
import type { RunSummary } from './run.ts';

type Pair = readonly [depth_mm: number, value: number];

export type SummaryDocument = Omit<RunSummary, 'metrics'> & {
  readonly metrics: Omit<RunSummary['metrics'], 'sigma_x' | 'theta_rms'> & {
    readonly sigma_x_mm: readonly Pair[];
    readonly theta_rms_mrad: readonly Pair[];
  };
};

function pairs(depths: Float64Array, values: Float64Array): readonly Pair[] {
  return Array.from(depths, (depth, i) => [depth, values[i] ?? Number.NaN] as const);
}

/** Lays the columns of a summary out as [depth, value] pairs, which is what people and scripts read. */
export function summaryDocument(summary: RunSummary): SummaryDocument {
  const { sigma_x, theta_rms, ...metrics } = summary.metrics;
  return {
    ...summary,
    metrics: {
      ...metrics,
      sigma_x_mm: pairs(sigma_x.depth_mm, sigma_x.sigma_x_mm),
      theta_rms_mrad: pairs(theta_rms.depth_mm, theta_rms.theta_rms_mrad),
    },
  };
}
