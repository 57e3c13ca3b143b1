/** A contestant's samples as its row of the report. */

import type { MeasuredTask, TaskSampleRecord } from '../../../contract/bench/task-bench.ts';
import type { Ceilings } from '../../../contract/devices.ts';
import { type Basis, compareTimes, type Flagged, type Ranked } from '../../model/bench/comparison.ts';
import { median } from '../../model/bench/statistics.ts';
import type { TaskCandidate } from './candidates.ts';
import type { RawTaskSample, TaskContestant } from './contestant.ts';

export function headOf({ label, variant, gpu }: TaskCandidate) {
  return {
    label,
    variant: variant.id,
    title: variant.title,
    builds_on: variant.buildsOn,
    device: variant.device,
    precision: variant.precision,
    ...(gpu === null ? {} : { gpu }),
  };
}

export function ranked({ candidate, first, warm, others }: TaskContestant): Ranked<RawTaskSample> {
  return { label: candidate.label, buildsOn: candidate.variant.buildsOn, first, warm, others };
}

function reported({ raw, flag }: Flagged<RawTaskSample>): TaskSampleRecord {
  const { clocks, ...sample } = raw;
  return { ...sample, sm_MHz: clocks.after?.sm_MHz ?? null, flag };
}

function middle(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : median(known);
}

/** The measured ceiling of an arithmetic; null where none is measured: of tensor cores and integers. */
function peakOf(precision: string, ceilings: Ceilings | null): number | null {
  if (precision === 'fp32') return ceilings?.fp32_flops_per_s ?? null;
  return precision === 'fp64' ? (ceilings?.fp64_flops_per_s ?? null) : null;
}

function over(work: number | null, time_s: number): number | null {
  return work === null || !(time_s > 0) ? null : work / time_s;
}

/** The ceilings are of the GPU: of a CPU variant there is no share. */
export function measuredTask(
  contestant: TaskContestant,
  basis: Basis<RawTaskSample>,
  gpuCeilings: Ceilings | null,
): MeasuredTask {
  const { candidate, preparation, verdict: checked, estimate_bytes } = contestant;
  const own = basis.all.find(({ label }) => label === candidate.label) ?? ranked(contestant);
  const { raw, verdict, modes, samples, ...compared } = compareTimes(own, basis);
  const ceilings = candidate.variant.device === 'cuda' ? gpuCeilings : null;
  const bytes_per_s = over(checked.work.bytes, compared.time_s);
  const flops_per_s = over(checked.work.flops, compared.time_s);
  const peak = peakOf(candidate.variant.precision, ceilings);
  return {
    ...headOf(candidate),
    status: 'measured',
    isa: preparation.isa,
    setup_s: preparation.setup_s,
    setup_parts: preparation.setup_parts.map((part) => ({ ...part })),
    estimate_bytes,
    clock: checked.clock,
    device_s: middle(raw.map(({ device_s }) => device_s)),
    wall_s: middle(raw.map(({ wall_s }) => wall_s)),
    ...compared,
    verdict: checked.holds ? verdict : 'wrong',
    bytes_per_s,
    flops_per_s,
    share_of_copy: bytes_per_s === null || ceilings === null ? null : bytes_per_s / ceilings.copy_bytes_per_s,
    share_of_flops: flops_per_s === null || peak === null ? null : flops_per_s / peak,
    checks: checked.checks.map((check) => ({ ...check })),
    compared: checked.compared,
    determinism: { runs: checked.runs, bitwise: checked.bitwise, hash: checked.hash },
    quantities: checked.quantities.map((quantity) => ({ ...quantity })),
    modes: modes.map(({ samples: all, ...mode }) => ({ ...mode, samples: all.map(reported) })),
    samples: samples.map(reported),
  };
}
