/** A contestant's samples as its row of the report. */
import type { Ceilings } from '../../contract/devices.ts';
import { energyColumns, numberColumns } from '../../contract/run.ts';
import type { TransportResult } from '../addon.ts';
import type { Candidate } from './candidates.ts';
import { type Contestant, type RawSample, rawSample, type Series, timesOf } from './contestant.ts';
import { flagOf } from './flags.ts';
import { timeOf } from './measure.ts';
import { parityLimit, relativeL2 } from './parity.ts';
import type { MeasuredEntry, ModeEntry, Ratio, Sample } from './report.ts';
import { roofline } from './roofline.ts';
import { median, ratioInterval, relativeSpread } from './statistics.ts';

import { verdictOf } from './verdict.ts';

export interface SessionFacts {
  readonly reference: Contestant | undefined;
  readonly contestants: readonly Contestant[];
  readonly seed: number;
  readonly floor: number | null;
  readonly ceilings: Ceilings | null;
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
export function ledgerError({ ledger_number, ledger_energy }: TransportResult): number {
  const last = (rows: Float64Array, columns: readonly string[]): number =>
    Math.abs(rows[rows.length - columns.length + columns.indexOf('rel_error')] ?? Number.NaN);
  return Math.max(last(ledger_number, numberColumns), last(ledger_energy, energyColumns));
}

export function ratioOf(times: readonly number[], references: readonly number[], seed: number): Ratio {
  return { value: median(times) / median(references), interval: ratioInterval(times, references, seed) };
}

function highestClock(contestants: readonly Contestant[]): number | null {
  const clocks = contestants.flatMap(({ warm, others }) =>
    [warm, ...others].flatMap(({ samples }) => samples.flatMap(({ clocks }) => clocks.after?.sm_MHz ?? [])),
  );
  return clocks.length === 0 ? null : Math.max(...clocks);
}

function reported(raw: RawSample, highest_MHz: number | null): Sample {
  const { clocks, parts: _parts, ...timing } = raw;
  return { ...timing, sm_MHz: clocks.after?.sm_MHz ?? null, flag: flagOf(clocks, highest_MHz) };
}

/** The ratio over the rounds in which neither sample is flagged; null when none is flagged. */
function unflagged(own: readonly Sample[], reference: readonly Sample[], seed: number): Ratio | null {
  const clean = own.map((sample, i) => sample.flag === null && reference[i]?.flag === null);
  if (clean.every(Boolean)) return null;
  const keep = (all: readonly Sample[]): readonly number[] => all.filter((_, i) => clean[i]).map(timeOf);
  return ratioOf(keep(own), keep(reference), seed);
}

/** The chain of measured contestants that this one stands on, itself first. */
function chain(contestant: Contestant, all: readonly Contestant[]): readonly Contestant[] {
  const links = [contestant];
  for (;;) {
    const top = links.at(-1);
    const base = all.find(({ candidate }) => candidate.label === top?.candidate.variant.buildsOn);
    if (base === undefined || links.includes(base)) return links;
    links.push(base);
  }
}

function modeEntry(series: Series, warm: readonly number[], highest: number | null, seed: number): ModeEntry {
  const times = timesOf(series);
  const samples = series.samples.map((raw) => reported(raw, highest));
  if (times.length === 0) {
    const reason = series.reason ?? 'the session ended before a round was whole';
    return { mode: series.mode, reason, time_s: null, spread: null, ratio: null, samples };
  }
  const spread = relativeSpread(times);
  return { mode: series.mode, reason: null, time_s: median(times), spread, ratio: ratioOf(times, warm, seed), samples };
}

function partsOf(first: RawSample, samples: readonly RawSample[]): MeasuredEntry['setup_parts'] {
  return [...first.parts].map(([name, first_s]) => ({
    name,
    first_s,
    warm_s: median(samples.map(({ parts }) => parts.get(name) ?? 0)),
  }));
}

export function measuredEntry(contestant: Contestant, facts: SessionFacts): MeasuredEntry {
  const { candidate, first, determinism, warm, others } = contestant;
  const { reference, contestants, seed, floor, ceilings } = facts;
  const { result, plan } = first;
  // Cancelled before the first round was whole: the first run is all there is.
  const firstSample = rawSample(first, 0, 0);
  const raw = warm.samples.length > 0 ? warm.samples : [firstSample];
  const times = raw.map(timeOf);
  const whole = warm.samples.length > 0;
  const referenceRaw = whole ? (reference?.warm.samples ?? []) : reference ? [rawSample(reference.first, 0, 0)] : [];
  const ratio = ratioOf(times, referenceRaw.map(timeOf), seed);
  const highest = highestClock(contestants);
  const samples = warm.samples.map((one) => reported(one, highest));
  const links = chain(contestant, contestants);
  const [base, root] = [links[1], links.at(-1)];
  const oracle = facts.oracleDose(candidate.problem.solver.stepping);
  const rel_l2 = oracle === null ? null : relativeL2(result.dose, oracle);
  const { precision } = candidate.problem.solver;
  const limit = parityLimit[precision];
  const time_s = median(times);
  const device = raw.flatMap(({ device_s }) => device_s ?? []);
  const cellRate = result.cell_steps / time_s;
  return {
    ...headOf(candidate),
    status: 'measured',
    threads: result.threads,
    isa: result.isa,
    first: first.timing,
    setup_parts: partsOf(firstSample, raw),
    setup_s: median(raw.map(({ setup_s }) => setup_s)),
    solve_s: median(raw.map(({ solve_s }) => solve_s)),
    device_s: device.length === 0 ? null : median(device),
    wall_s: median(raw.map(({ wall_s }) => wall_s)),
    time_s,
    solve_spread: relativeSpread(times),
    steps: result.steps,
    cells: plan.ne * plan.ntheta * plan.nz * plan.nx,
    cell_steps: result.cell_steps,
    cell_steps_per_s: cellRate,
    peak_state_bytes: result.peak_state_bytes,
    ratio,
    ratio_unflagged: unflagged(
      samples,
      (reference?.warm.samples ?? []).map((one) => reported(one, highest)),
      seed,
    ),
    flagged: samples.filter(({ flag }) => flag !== null).length,
    verdict:
      rel_l2 !== null && !(rel_l2 <= limit)
        ? 'wrong'
        : contestant === reference
          ? 'reference'
          : verdictOf(ratio.interval, floor),
    rung: base === undefined || !whole ? null : ratioOf(times, timesOf(base.warm), seed),
    cumulative: root === undefined || root === contestant || !whole ? null : ratioOf(times, timesOf(root.warm), seed),
    roofline: roofline(candidate.variant, precision, cellRate, ceilings),
    rel_l2,
    rel_l2_limit: limit,
    ledger_error: ledgerError(result),
    determinism: determinism.report(),
    modes: others.map((series) => modeEntry(series, times, highest, seed)),
    samples,
  };
}
