/** Measures of a diffraction image that studies save. */
import { keptCurve, type Measured, measuresOf, unitBySuffix } from '../measures.ts';
import { imageField } from './field.ts';
import type { ImageRunData } from './image-data.ts';
import { imageSummary } from './summary.ts';

const photons = new Set(['max', 'sum', 'mean']);

export async function imageMeasures(run: ImageRunData): Promise<Measured> {
  const { image, brightest, resolution_A, ...summary } = imageSummary(run);
  const { max, sum, mean, bright_pixels } = image;
  const curve = await imageField(run).curve?.();
  return {
    variant: run.variant,
    precision: run.precision,
    threads: run.threads,
    measures: [
      ...measuresOf('readouts', (name) => (photons.has(name) ? 'photons' : unitBySuffix(name)), {
        ...{ max, sum, mean, bright_pixels },
        ...{ brightest_fast: brightest.fast, brightest_slow: brightest.slow },
        ...{ brightest_h: brightest.h, brightest_k: brightest.k, brightest_l: brightest.l },
        ...{ edge_resolution_A: resolution_A.edge, corner_resolution_A: resolution_A.corner },
      }),
      ...measuresOf('times', unitBySuffix, {
        ...{ wall_s: run.wall_s, setup_s: run.setup_s, solve_s: run.solve_s, device_s: summary.device_s },
        ...{ terms: run.terms, per_term_and_core_ns: summary.ns_per_term },
      }),
      ...measuresOf('memory', unitBySuffix, {
        scratch_bytes: run.scratch_bytes,
        process_peak_bytes: run.peak_rss_bytes,
      }),
    ],
    curves: curve === undefined ? [] : [keptCurve('curve', curve)],
  };
}
