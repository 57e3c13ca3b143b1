/** A contestant's samples as its row of the report. */
import type { BenchReport } from '../../../contract/bench/bench.ts';
import { gpuOf, type Whole } from '../../../contract/bench/bench-session.ts';
import { energyColumns, ledgerValue, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import type { TransportResult } from '../../io/addon/addon.ts';
import type { Candidate } from './candidates.ts';
import { type Basis, compareTimes, type Flagged, type Ranked } from './comparison.ts';
import { type Contestant, type RawSample, ranked } from './contestant.ts';
import { parityLimit, relativeL2 } from './parity.ts';
import type { MeasuredEntry, Sample } from './report.ts';
import { roofline } from './roofline.ts';
import { median } from './statistics.ts';

export interface SessionFacts {
  readonly basis: Basis<RawSample>;
  /** The same by the time of whole runs. */
  readonly whole: Basis<RawSample>;
  /** With the ceilings of each GPU that entries ran on. */
  readonly machine: BenchReport['machine'];
  readonly oracleDose: (stepping: 'path' | 'depth') => Float64Array | null;
}

export function headOf({ label, variant, problem, note, gpu }: Candidate) {
  return {
    label,
    variant: variant.id,
    title: variant.title,
    builds_on: variant.buildsOn,
    device: variant.device,
    stepping: problem.solver.stepping,
    precision: problem.solver.precision,
    note,
    ...(gpu === null ? {} : { gpu }),
  };
}

/** The last row's relative errors: they are of the sums over all steps. */
export function ledgerError({
  ledger_number,
  ledger_energy,
}: Pick<TransportResult, 'ledger_number' | 'ledger_energy'>): number {
  if (ledger_number.length === 0) return Number.NaN;
  const [number, energy] = [
    ledgerValue(ledger_number, numberColumns, 'rel_error'),
    ledgerValue(ledger_energy, energyColumns, 'rel_error'),
  ];
  return Math.max(Math.abs(number), Math.abs(energy));
}

function reported({ raw, flag }: Flagged<RawSample>): Sample {
  const { clocks, parts: _parts, ...timing } = raw;
  return { ...timing, sm_MHz: clocks.after?.sm_MHz ?? null, flag };
}

function partsOf(first: RawSample, samples: readonly RawSample[]): MeasuredEntry['setup_parts'] {
  return [...first.parts].map(([name, first_s]) => ({
    name,
    first_s,
    warm_s: median(samples.map(({ parts }) => parts.get(name) ?? 0)),
  }));
}

function wholeOf(own: Ranked<RawSample>, basis: Basis<RawSample>): Whole {
  const { ratio, verdict } = compareTimes(own, basis);
  return { ratio, verdict };
}

export function measuredEntry(contestant: Contestant, facts: SessionFacts): MeasuredEntry {
  const { candidate, first, determinism } = contestant;
  const { result, plan } = first;
  const own = facts.basis.all.find(({ label }) => label === candidate.label) ?? ranked(contestant);
  const { raw, spread, verdict, modes, samples, ...compared } = compareTimes(own, facts.basis);
  const oracle = facts.oracleDose(candidate.problem.solver.stepping);
  const rel_l2 = oracle === null ? null : relativeL2(result.dose, oracle);
  const { precision } = candidate.problem.solver;
  const limit = parityLimit[precision];
  const device = raw.flatMap(({ device_s }) => device_s ?? []);
  const cellRate = result.cell_steps / compared.time_s;
  return {
    ...headOf(candidate),
    status: 'measured',
    threads: result.threads,
    isa: result.isa,
    first: first.timing,
    ...(result.secondaries === undefined ? {} : { products_s: result.secondaries.seconds }),
    setup_parts: partsOf(own.first, raw),
    setup_s: median(raw.map(({ setup_s }) => setup_s)),
    solve_s: median(raw.map(({ solve_s }) => solve_s)),
    device_s: device.length === 0 ? null : median(device),
    wall_s: median(raw.map(({ wall_s }) => wall_s)),
    whole: wholeOf(own, facts.whole),
    solve_spread: spread,
    steps: result.steps,
    cells: plan.ne * plan.ntheta * plan.nz * plan.nx,
    cell_steps: result.cell_steps,
    cell_steps_per_s: cellRate,
    peak_state_bytes: result.peak_state_bytes,
    ...compared,
    verdict: rel_l2 !== null && !(rel_l2 <= limit) ? 'wrong' : verdict,
    roofline: roofline(result, precision, cellRate, gpuOf(facts.machine, candidate.gpu)?.ceilings ?? null),
    rel_l2,
    rel_l2_limit: limit,
    ledger_error: ledgerError(result),
    determinism: determinism.report(),
    modes: modes.map(({ samples: own_samples, ...mode }) => ({ ...mode, samples: own_samples.map(reported) })),
    samples: samples.map(reported),
  };
}
