/** Imports benchmarks of proton transport that were recorded before all workloads had one format. */

import { environmentFacts } from '../../../../contract/bench/environment.ts';
import type {
  BenchReport,
  BenchSession,
  ExternalEntry,
  MeasuredEntry,
} from '../../../../contract/bench/recorded/transport.ts';
import {
  SESSION_FORMAT,
  type Session,
  type SessionEntry,
  type SessionExternal,
  type SessionReport,
} from '../../../../contract/bench/session.ts';
import { cellSteps, doseError, ledgerError, transportWords } from '../accuracy.ts';

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
    format: SESSION_FORMAT,
    format_version: 2,
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
