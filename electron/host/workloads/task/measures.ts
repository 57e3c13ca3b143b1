/**
 * Measures of a small measured workload that studies save: of the requested variant, else of the fastest correct one.
 */
import { BraggError } from '../../../contract/errors.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import { type Measured, measuresOf, quantityReadouts, sessionEnergy, unitBySuffix } from '../measures.ts';
import { bestOf, type TaskRunData } from './task-data.ts';

export function taskMeasures(run: TaskRunData): Measured {
  const asked = valueAt(run.completeScenario, ['solver', 'variant']);
  const entries = run.session.reports[0]?.entries ?? [];
  const own = entries.find(({ variant }) => variant === asked);
  if (own?.status === 'refused') throw new BraggError('unsupported', `${own.label}: ${own.reason}`);
  const entry = own ?? bestOf(run.session);
  if (entry === null) throw new BraggError('unsupported', `${run.name}: no variant could be measured here.`);
  const checks = entry.accuracy.map(({ id, value }) => [`check.${id}`, value] as const);
  return {
    variant: entry.variant,
    precision: entry.precision,
    threads: entry.threads,
    measures: [
      // The verdict, and the errors that it is based on.
      ...measuresOf('readouts', unitBySuffix, { verdict: entry.verdict, ...Object.fromEntries(checks) }),
      ...quantityReadouts(entry.quantities),
      ...measuresOf('times', (name) => (name.endsWith('_per_s') ? '1/s' : unitBySuffix(name)), {
        ...{ time_s: entry.time_s, setup_s: entry.setup_s, wall_s: entry.wall_s },
        ...{ spread: entry.spread, rounds: entry.samples.length },
        ...{ bytes_per_s: entry.roofline?.bytes_per_s, flops_per_s: entry.roofline?.flops_per_s },
        ...{ share_of_copy: entry.roofline?.share_of_copy, share_of_flops: entry.roofline?.share_of_flops },
        ratio_to_first: entry.ratio.value,
        ratio_to_first_low: entry.ratio.interval?.low,
        ratio_to_first_high: entry.ratio.interval?.high,
      }),
      ...measuresOf('memory', unitBySuffix, { state_bytes: entry.state_bytes }),
      ...sessionEnergy(entry.quantities, run.session.reports[0]?.facts ?? []),
    ],
    curves: [],
  };
}
