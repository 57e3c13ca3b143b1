/** A benchmark of proton transport as comparisons take it. */
import type { BenchReport, BenchSession, ExternalEntry, MeasuredEntry } from '../../../contract/bench/bench.ts';
import { environmentFacts } from '../../../contract/bench/environment.ts';
import type {
  Accuracy,
  Session,
  SessionEntry,
  SessionExternal,
  SessionReport,
  Words,
} from '../../../contract/bench/session.ts';
import type { Precision } from '../../../contract/run.ts';

export const transportWords: Words = {
  time: 'Steps',
  timeTip: 'of the steps',
  size: 'cells',
  rate: 'Cell-steps',
};

const holds = (value: number | null, bound: number | null): boolean =>
  bound === null || value === null || value <= bound;

/** `bound` is null where the answers are of different problems. */
export function doseError(value: number | null, bound: number | null): Accuracy {
  return {
    id: 'parity',
    title: 'Dose error',
    tip: 'Relative L2 difference of the dose from the FP64 reference; of a stored run from the reference row',
    unit: '',
    value,
    bound,
    holds: holds(value, bound),
  };
}

/** Relative error of the ledger's sums; beyond it protons or energy were made or lost. */
const ledgerLimit: Readonly<Record<Precision, number>> = { fp32: 1e-6, fp64: 1e-12 };

/** `precision` is null where it is told, and not judged. */
export function ledgerError(value: number, precision: Precision | null): Accuracy {
  const bound = precision === null ? null : ledgerLimit[precision];
  return {
    id: 'ledger',
    title: 'Ledger',
    tip: 'Larger of the relative errors of the number and the energy balance',
    unit: '',
    value,
    bound,
    holds: holds(value, bound),
  };
}

export const cellSteps = (value: number) => ({ id: 'rate', title: 'Cell-steps', value, unit: '1/s' });

function accuracyOf({
  rel_l2,
  rel_l2_limit,
  ledger_error,
  precision,
}: Pick<MeasuredEntry, 'rel_l2' | 'rel_l2_limit' | 'ledger_error' | 'precision'>) {
  return [doseError(rel_l2, rel_l2_limit), ledgerError(ledger_error, precision)];
}

function entryOf(entry: BenchReport['entries'][number]): SessionEntry {
  const { label, variant, title, builds_on, device, precision, stepping, note, gpu = null } = entry;
  const head = { label, variant, title, builds_on, device, precision, note, gpu };
  if (entry.status === 'refused') return { ...head, status: 'refused', reason: entry.reason };
  const { threads, first, setup_s, setup_parts, time_s, wall_s, solve_spread, ratio, flagged, verdict } = entry;
  const { rung, cumulative, roofline, determinism, cells, modes, samples, steps, whole } = entry;
  return {
    ...head,
    note: note ?? (stepping === 'depth' ? 'depth stepping' : null),
    status: 'measured',
    ...{ threads, setup_s, setup_parts, time_s, wall_s, ratio, flagged, verdict, rung, cumulative, roofline },
    ...(whole === undefined ? {} : { whole }),
    first_setup_s: first.setup_s,
    spread: solve_spread,
    accuracy: accuracyOf(entry),
    determinism: { runs: determinism.runs, bitwise: determinism.bitwise, spread: determinism.spread },
    quantities: [cellSteps(entry.cell_steps_per_s), { id: 'steps', title: 'Steps taken', value: steps, unit: '' }],
    size: cells,
    modes: modes.map(({ mode, reason, time_s: own_s, ratio: own }) => ({ mode, reason, time_s: own_s, ratio: own })),
    samples: samples.map(({ round, instance, device_s, solve_s, wall_s: whole_s, sm_MHz, flag }) => ({
      ...(instance === undefined ? {} : { instance }),
      ...{ round, sm_MHz, flag },
      time_s: device_s ?? solve_s,
      wall_s: whole_s,
    })),
  };
}

function externalOf({ id, title, reason, result }: ExternalEntry): SessionExternal {
  if (result === null) return { id, title, reason, result };
  const { device, precision, time_s, wall_s, setup_s, spread, wrong, steps, cell_steps, samples } = result;
  return {
    ...{ id, title, reason },
    result: {
      ...{ device, precision, time_s, wall_s, setup_s, spread, wrong },
      size: steps === 0 ? null : cell_steps / steps,
      accuracy: accuracyOf(result),
      quantities: [cellSteps(cell_steps / time_s), { id: 'steps', title: 'Steps taken', value: steps, unit: '' }],
      times: samples.map(({ device_s, wall_s: whole_s }) => device_s ?? whole_s),
    },
  };
}

function reportOf(report: BenchReport): SessionReport {
  const { program, oracles, entries, external, claims, resources, document, environment, ...rest } = report;
  const { scenario, machine, reference, seed, rounds, stopped, judged, elapsed_s, noise } = rest;
  const held = oracles.map((one) => `${one.stepping}: ${one.variant ?? one.reason ?? 'nothing'}`).join('; ');
  return {
    bench: '',
    ...{ scenario, machine, reference, seed, rounds, stopped, elapsed_s, noise },
    ...(judged === undefined ? {} : { judged }),
    program: { ...program, commit: program.commit ?? null },
    ...(document === undefined ? {} : { document }),
    ...(resources === undefined ? {} : { resources }),
    facts: [['Doses held to', held || 'nothing'], ...environmentFacts(environment, report.machine.logical_cores)],
    entries: entries.map(entryOf),
    external: external.map(externalOf),
    claims: claims.map((claim) => ({ ...claim, values: [] })),
  };
}

export function transportSession({ created, command, reports, sweep }: BenchSession): Session {
  return {
    workload: 'transport',
    words: transportWords,
    created,
    command,
    reports: reports.map(reportOf),
    sweep: sweep && {
      ...sweep,
      fits: sweep.fits.map(({ label, points, fixed_s, slope_s_per_cell }) => ({
        label,
        fixed_s,
        slope_s: slope_s_per_cell,
        points: points.map(({ value, cells, time_s, setup_s, setup_share, cell_steps_per_s }) => ({
          ...{ value, time_s, setup_s, setup_share },
          size: cells,
          rate: cell_steps_per_s,
        })),
      })),
    },
  };
}
