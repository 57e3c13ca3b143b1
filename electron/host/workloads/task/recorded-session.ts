/** Imports benchmarks of small measured workloads that were recorded before all workloads had one format. */
import { environmentFacts } from '../../../contract/bench/environment.ts';
import type { TaskEntry, TaskReport, TaskSession } from '../../../contract/bench/recorded/task.ts';
import {
  SESSION_FORMAT,
  type Session,
  type SessionEntry,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import { taskAccuracy, taskWords } from './accuracy.ts';

const ratio = (a: number | null, b: number | null): number | null =>
  a === null || b === null || b === 0 ? null : a / b;

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
    accuracy: taskAccuracy({
      checks: entry.checks.map((check) => ({ ...check, where: '' })),
      compared: entry.compared,
    }),
    determinism: { runs: determinism.runs, bitwise: determinism.bitwise, spread: determinism.bitwise ? 0 : null },
    size: null,
    modes: modes.map(({ mode, reason, time_s: own_s, ratio: own }) => ({ mode, reason, time_s: own_s, ratio: own })),
    samples: samples.map(({ round, instance, time_s: own_s, sm_MHz, flag }) => ({
      ...(instance === undefined ? {} : { instance }),
      ...{ round, time_s: own_s, sm_MHz, flag },
    })),
  };
}

/** What results were compared with, each once. */
function comparedIn(entries: readonly TaskEntry[]): [string, string][] {
  const all = entries.flatMap((entry) => (entry.status === 'measured' ? [entry.compared] : []));
  return [...new Set(all)].map((text): [string, string] => ['Compared', `${text}.`]);
}

function reportOf(report: TaskReport): SessionReport {
  const { workload: _, title, program, entries, claims, resources, document, environment, ...rest } = report;
  return {
    ...rest,
    title,
    program: { ...program, commit: program.commit ?? null },
    ...(document === undefined ? {} : { document }),
    ...(resources === undefined ? {} : { resources }),
    facts: [
      ['Measured', title],
      ...comparedIn(entries),
      ...environmentFacts(environment, report.machine.logical_cores),
    ],
    entries: entries.map(entryOf),
    external: [],
    claims,
  };
}

export function taskSession({ created, command, reports, sweep }: TaskSession): Session {
  return {
    format: SESSION_FORMAT,
    format_version: 2,
    workload: reports[0]?.workload as WorkloadName,
    words: taskWords(sweep?.path),
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
