/**
 * Compares variants on one problem: a first run each, the FP64 answer, then
 * interleaved rounds in shuffled order with the first variant twice in each, so
 * that every session measures its own noise.
 */
import type { Variant } from '../../contract/capabilities.ts';
import { BraggError } from '../../contract/errors.ts';
import { energyColumns, numberColumns } from '../../contract/run.ts';
import type { NativeAddon, TransportProblem, TransportResult } from '../addon.ts';
import { type Candidate, candidates } from './candidates.ts';
import { type Measured, measure } from './measure.ts';
import { type Oracle, oracleFor } from './oracle.ts';
import { Determinism, parityLimit, relativeL2 } from './parity.ts';
import { seededRandom, shuffled } from './random.ts';
import type { BenchEntry, BenchReport, MeasuredEntry, Ratio, RefusedEntry, Sample } from './report.ts';
import { type Interval, median, ratioInterval, relativeSpread } from './statistics.ts';
import { type StoppingLimits, type StopReason, stopReason } from './stopping.ts';
import { noiseFloor, verdictOf } from './verdict.ts';

export interface BenchOptions {
  /** How the report names the scenario. */
  readonly scenario: string;
  /** The first that can run is what the others are compared with. */
  readonly variants: readonly string[];
  readonly seed: number;
  readonly limits: StoppingLimits;
  /** Called before every timed run: what runs now, and how far the session is. */
  readonly onProgress?: (progress: BenchProgress) => void;
  /** Ends the session after the run at hand; what was measured is reported. */
  readonly signal?: AbortSignal;
}

export interface BenchProgress {
  readonly phase: 'first runs' | 'fp64 reference' | 'rounds';
  readonly variant: string;
  readonly round: number;
  readonly mostRounds: number;
  readonly elapsed_s: number;
}

interface Contestant {
  readonly candidate: Candidate;
  readonly first: Measured;
  readonly determinism: Determinism;
  readonly samples: Sample[];
}

function headOf({ variant, problem, note }: Candidate) {
  return {
    variant: variant.id,
    title: variant.title,
    builds_on: variant.buildsOn,
    stepping: problem.solver.stepping,
    precision: problem.solver.precision,
    note,
  };
}

/** The last row's relative errors: they are of the sums over all steps. */
function ledgerError({ ledger_number, ledger_energy }: TransportResult): number {
  const last = (rows: Float64Array, columns: readonly string[]): number =>
    Math.abs(rows[rows.length - columns.length + columns.indexOf('rel_error')] ?? Number.NaN);
  return Math.max(last(ledger_number, numberColumns), last(ledger_energy, energyColumns));
}

const solveTimes = ({ samples }: { readonly samples: readonly Sample[] }): readonly number[] =>
  samples.map(({ solve_s }) => solve_s);

class Session {
  private readonly start = performance.now();
  private readonly refused = new Map<Candidate, RefusedEntry>();
  private readonly contestants: Contestant[] = [];
  private readonly control: Sample[] = [];
  private readonly oracles = new Map<string, { readonly oracle: Oracle | null; readonly reason: string | null }>();
  private rounds = 0;
  private readonly addon: NativeAddon;
  private readonly options: BenchOptions;

  constructor(addon: NativeAddon, options: BenchOptions) {
    this.addon = addon;
    this.options = options;
  }

  async run(all: readonly Candidate[]): Promise<BenchReport> {
    await this.firstRuns(all);
    await this.findOracles();
    const stopped = this.contestants.length === 0 ? 'refused' : await this.takeRounds();
    return this.report(all, stopped);
  }

  private get cancelled(): boolean {
    return this.options.signal?.aborted === true;
  }

  private tell(phase: BenchProgress['phase'], variant: string): void {
    this.options.onProgress?.({
      phase,
      variant,
      round: this.rounds,
      mostRounds: this.options.limits.mostRounds,
      elapsed_s: this.elapsed(),
    });
  }

  private elapsed(): number {
    return (performance.now() - this.start) / 1000;
  }

  private async firstRuns(all: readonly Candidate[]): Promise<void> {
    for (const candidate of all) {
      if (this.cancelled) return;
      this.tell('first runs', candidate.variant.id);
      try {
        const first = await measure(this.addon, candidate.problem, this.options.signal);
        if (first.result.status !== 'done') return;
        const determinism = new Determinism();
        determinism.add(first.result.dose);
        this.contestants.push({ candidate, first, determinism, samples: [] });
      } catch (error) {
        if (!(error instanceof BraggError) || error.code === 'internal') throw error;
        // The engine begins with the field that it refuses; here the variant stands beside it anyway.
        const reason = error.message.replace(/^solver\.variant = \S+: /, '');
        this.refused.set(candidate, { ...headOf(candidate), status: 'refused', reason });
      }
    }
  }

  private async findOracles(): Promise<void> {
    for (const { candidate } of this.contestants) {
      const { stepping } = candidate.problem.solver;
      if (this.cancelled || this.oracles.has(stepping)) continue;
      this.tell('fp64 reference', 'fp64');
      this.oracles.set(stepping, await oracleFor(this.addon, candidate.problem, this.options.signal));
    }
  }

  private async takeRounds(): Promise<StopReason> {
    const random = seededRandom(this.options.seed);
    const [reference] = this.contestants;
    if (reference === undefined) return 'cancelled';
    const turns = [
      ...this.contestants.map((contestant) => ({ contestant, samples: contestant.samples })),
      { contestant: reference, samples: this.control },
    ];
    for (;;) {
      const complete = await this.takeRound(shuffled(turns, random));
      if (!complete) return 'cancelled';
      this.rounds += 1;
      const ratios = turns.slice(1).map(({ samples }) => this.interval(samples.map(({ solve_s }) => solve_s)));
      const times = turns.map(({ samples }) => samples.map(({ solve_s }) => solve_s));
      const reason = stopReason(times, ratios, this.elapsed(), this.options.limits);
      if (reason !== null) return reason;
    }
  }

  /** Samples are kept only when the round is whole, so that entry i of every list is of round i. */
  private async takeRound(
    turns: readonly { readonly contestant: Contestant; readonly samples: Sample[] }[],
  ): Promise<boolean> {
    const taken: (() => void)[] = [];
    for (const [position, { contestant, samples }] of turns.entries()) {
      if (this.cancelled) return false;
      this.tell('rounds', contestant.candidate.variant.id);
      const { timing, result } = await measure(this.addon, contestant.candidate.problem, this.options.signal);
      if (result.status !== 'done') return false;
      const sample = { round: this.rounds, position, ...timing };
      taken.push(() => {
        samples.push(sample);
        contestant.determinism.add(result.dose);
      });
    }
    for (const take of taken) take();
    return true;
  }

  private interval(times: readonly number[], references?: readonly number[]): Interval | null {
    const [reference] = this.contestants;
    return ratioInterval(times, references ?? (reference ? solveTimes(reference) : []), this.options.seed);
  }

  private ratio(times: readonly number[], references: readonly number[]): Ratio {
    return { value: median(times) / median(references), interval: this.interval(times, references) };
  }

  private report(all: readonly Candidate[], stopped: BenchReport['stopped']): BenchReport {
    const [reference] = this.contestants;
    const noise =
      reference === undefined || this.rounds === 0
        ? null
        : this.ratio(
            this.control.map(({ solve_s }) => solve_s),
            solveTimes(reference),
          );
    const floor = noiseFloor(noise?.interval ?? null);
    const build = this.addon.buildInfo();
    const machine = this.addon.machine();
    return {
      scenario: this.options.scenario,
      machine: { cpu: machine.cpu, logical_cores: machine.logicalCores, isa: machine.isa, os: machine.os },
      program: { version: build.version, build: build.build, compiler: build.compiler },
      reference: reference?.candidate.variant.id ?? null,
      seed: this.options.seed,
      rounds: this.rounds,
      stopped,
      elapsed_s: this.elapsed(),
      noise: { ratio: noise, floor },
      oracles: [...this.oracles].map(([stepping, { oracle, reason }]) => ({
        stepping: stepping as 'path' | 'depth',
        variant: oracle?.variant ?? null,
        reason,
      })),
      entries: all.flatMap((candidate): BenchEntry[] => {
        const refused = this.refused.get(candidate);
        if (refused !== undefined) return [refused];
        const contestant = this.contestants.find((one) => one.candidate === candidate);
        return contestant === undefined ? [] : [this.entry(contestant, floor)];
      }),
    };
  }

  private entry(contestant: Contestant, floor: number | null): MeasuredEntry {
    const { candidate, first, determinism, samples } = contestant;
    const { result } = first;
    const [reference] = this.contestants;
    // Cancelled before the first round was whole: the first run is all there is.
    const timings = samples.length > 0 ? samples : [first.timing];
    const times = timings.map(({ solve_s }) => solve_s);
    const referenceTimes =
      reference === undefined || samples.length === 0
        ? [reference?.first.timing.solve_s ?? Number.NaN]
        : solveTimes(reference);
    const ratio = this.ratio(times, referenceTimes);
    const base = this.contestants.find((one) => one.candidate.variant.id === candidate.variant.buildsOn);
    const oracle = this.oracles.get(candidate.problem.solver.stepping)?.oracle ?? null;
    const rel_l2 = oracle === null ? null : relativeL2(result.dose, oracle.dose);
    const limit = parityLimit[candidate.problem.solver.precision];
    const solve_s = median(times);
    return {
      ...headOf(candidate),
      status: 'measured',
      threads: result.threads,
      isa: result.isa,
      first: first.timing,
      setup_s: median(timings.map(({ setup_s }) => setup_s)),
      solve_s,
      wall_s: median(timings.map(({ wall_s }) => wall_s)),
      solve_spread: relativeSpread(times),
      steps: result.steps,
      cell_steps: result.cell_steps,
      cell_steps_per_s: result.cell_steps / solve_s,
      peak_state_bytes: result.peak_state_bytes,
      ratio,
      verdict:
        rel_l2 !== null && rel_l2 > limit
          ? 'wrong'
          : contestant === reference
            ? 'reference'
            : verdictOf(ratio.interval, floor),
      rung: base === undefined || samples.length === 0 ? null : this.ratio(times, solveTimes(base)),
      rel_l2,
      rel_l2_limit: limit,
      ledger_error: ledgerError(result),
      determinism: determinism.report(),
      samples,
    };
  }
}

/** Measures; never gives an empty report. Throws a BraggError for variants that are not known. */
export function benchmark(
  addon: NativeAddon,
  problem: TransportProblem,
  options: BenchOptions,
  known: readonly Variant[] = addon.variants(),
): Promise<BenchReport> {
  return new Session(addon, options).run(candidates(problem, options.variants, known));
}
