/** A benchmark of a small measured workload as comparisons take it. */
import { environmentFacts } from '../../../contract/bench/environment.ts';
import type { Accuracy, Session, SessionEntry, SessionReport } from '../../../contract/bench/session.ts';
import type { MeasuredTask, TaskEntry, TaskReport, TaskSession } from '../../../contract/bench/task-bench.ts';
import type { WorkloadName } from '../../../contract/workload.ts';

const ratio = (a: number | null, b: number | null): number | null =>
  a === null || b === null || b === 0 ? null : a / b;

/** Checks in a column's head; their sentences are the tips. */
const heads: Readonly<Record<string, string>> = {
  relative: 'Relative error',
  nan: 'NaN mismatches',
  mask: 'Mask mismatches',
  bits: 'Mask bits',
  largest: 'Largest error',
  l2: 'RMS error',
};

export function accuracyOf({ checks, compared }: MeasuredTask): Accuracy[] {
  return checks.map(({ id, title, value, limit, holds }) => ({
    ...{ id, value, holds },
    title: heads[id] ?? title,
    tip: `${title}: ${compared}`,
    unit: '',
    bound: limit,
  }));
}

function entryOf(entry: TaskEntry): SessionEntry {
  const { label, variant, title, builds_on, device, precision, gpu = null } = entry;
  const head = { label, variant, title, builds_on, device, precision, gpu, note: null };
  if (entry.status === 'refused') return { ...head, status: 'refused', reason: entry.reason };
  const { setup_s, setup_parts, time_s, wall_s, spread, ratio: over, flagged, verdict, rung, cumulative } = entry;
  const { bytes_per_s, flops_per_s, share_of_copy, share_of_flops, determinism, quantities, modes, samples } = entry;
  const declared = bytes_per_s !== null || flops_per_s !== null;
  return {
    ...head,
    status: 'measured',
    threads: null,
    // Prepared once: there is no later set-up to tell it from.
    first_setup_s: null,
    setup_parts: setup_parts.map(({ name, seconds }) => ({ name, first_s: seconds, warm_s: null })),
    ...{ setup_s, time_s, wall_s, spread, ratio: over, flagged, verdict, rung, cumulative, quantities },
    roofline: declared
      ? { bytes_per_s, flops_per_s, flops_per_byte: ratio(flops_per_s, bytes_per_s), share_of_copy, share_of_flops }
      : null,
    accuracy: accuracyOf(entry),
    determinism: { runs: determinism.runs, bitwise: determinism.bitwise, spread: determinism.bitwise ? 0 : null },
    size: null,
    modes: modes.map(({ mode, reason, time_s: own_s, ratio: own }) => ({ mode, reason, time_s: own_s, ratio: own })),
    samples: samples.map(({ round, instance, time_s: own_s, sm_MHz, flag }) => ({
      ...(instance === undefined ? {} : { instance }),
      ...{ round, time_s: own_s, sm_MHz, flag },
    })),
  };
}

function reportOf(report: TaskReport): SessionReport {
  // Spans are for the timeline alone, and many times as much as all the rest.
  const {
    workload: _,
    recordings: __,
    title,
    program,
    entries,
    claims,
    resources,
    document,
    environment,
    ...rest
  } = report;
  return {
    ...rest,
    program: { ...program, commit: program.commit ?? null },
    ...(document === undefined ? {} : { document }),
    ...(resources === undefined ? {} : { resources }),
    facts: [['Measured', title], ...environmentFacts(environment, report.machine.logical_cores)],
    entries: entries.map(entryOf),
    external: [],
    claims,
  };
}

export function taskSession({ created, command, reports, sweep }: TaskSession): Session {
  return {
    workload: reports[0]?.workload as WorkloadName,
    words: {
      time: 'Time',
      timeTip: 'of one repetition',
      size: sweep?.path ?? 'sizes',
      rate: null,
    },
    created,
    command,
    reports: reports.map(reportOf),
    sweep: sweep && {
      ...sweep,
      fits: sweep.fits.map(({ label, points, fixed_s, slope_s }) => ({
        ...{ label, fixed_s, slope_s },
        points: points.map(({ value, time_s, setup_s }) => ({
          ...{ value, time_s, setup_s },
          size: value,
          setup_share: setup_s / (setup_s + time_s),
          rate: null,
        })),
      })),
    },
  };
}
