/**
 * Compares variants on one problem: a first run each, the FP64 answer, then
 * interleaved rounds in shuffled order, each run prepared anew. The first variant is in each twice, so
 * that every session measures its own noise.
 */
import type { BenchReport, ExternalEntry } from '../../../contract/bench/bench.ts';
import type { Mode } from '../../../contract/bench/bench-session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { KernelResources } from '../../../contract/resources.ts';
import type { NativeAddon, TransportProblem, TransportVariant as Variant } from '../../io/addon/addon.ts';
import { type Candidate, candidates } from './candidates.ts';
import { claimResults, measuredTransport } from './claim-results.ts';
import type { Claim } from './claims.ts';
import { floorAsRatio, instancesOf, noiseOf, type Series } from './comparison.ts';
import { type Contestant, type RawSample, ranked, rawSample } from './contestant.ts';
import { headOf, measuredEntry } from './entry.ts';
import { environmentOf, type Surroundings, unknownSurroundings } from './environment.ts';
import { machineFacts, noGpus, type SessionGpus } from './machine.ts';
import { measure, timeOf } from './measure.ts';
import { type Oracle, oracleFor } from './oracle.ts';
import { Determinism } from './parity.ts';
import type { BenchEntry, RefusedEntry } from './report.ts';
import { type Turn, takeRounds } from './rounds.ts';
import { type BenchProgress, SessionClock } from './session-clock.ts';
import type { BenchLimits, StopReason } from './stopping.ts';

export interface BenchOptions {
  /** How the report names the scenario. */
  readonly scenario: string;
  /** Ids, or id@precision. The first that can run is what the others are compared with. */
  readonly variants: readonly string[];
  /** Beside `warm`, which is always measured. */
  readonly modes?: readonly Mode[];
  readonly seed: number;
  readonly limits: BenchLimits;
  /** With their ceilings; none by default. */
  readonly gpus?: SessionGpus;
  readonly claims?: readonly Claim[];
  /** Runs other programs on the problem, after the rounds. */
  readonly rivals?: (context: RivalContext) => Promise<readonly ExternalEntry[]>;
  /** Called before every timed run: what runs now, and how far the session is. */
  readonly onProgress?: (progress: BenchProgress) => void;
  /** What the report says besides: the scenario as the user wrote it, the commit, the kernels' resources. */
  readonly recorded?: {
    readonly document?: Readonly<Record<string, unknown>>;
    readonly commit?: string;
    readonly resources?: KernelResources;
    readonly surroundings?: Surroundings;
  };
  /** Told each variant's dose, MeV per cell [z][x], when the session ends. */
  readonly onDose?: (label: string, dose: Float64Array) => void;
  /** Ends the session after the run at hand; what was measured is reported. */
  readonly signal?: AbortSignal;
}

/** What other programs are compared with. */
export interface RivalContext {
  readonly problem: TransportProblem;
  readonly entries: readonly BenchEntry[];
  readonly reference: string | null;
  readonly seed: number;
  readonly oracleDose: Float64Array | null;
  readonly tell: (what: string) => void;
}

/** A run allocates, uploads and fills its state anew: each is an instance of its own. */
const ROUNDS_PER_INSTANCE = 1;

const noGraphOnCpu = 'the CPU launches nothing that a graph could replay';

class Session {
  private readonly refused = new Map<Candidate, RefusedEntry>();
  private readonly contestants: Contestant[] = [];
  private readonly control: RawSample[] = [];
  private readonly oracles = new Map<string, { readonly oracle: Oracle | null; readonly reason: string | null }>();
  private readonly clock: SessionClock;
  private readonly addon: NativeAddon;
  private readonly options: BenchOptions;

  constructor(addon: NativeAddon, options: BenchOptions) {
    this.addon = addon;
    this.options = options;
    this.clock = new SessionClock(options.limits);
  }

  async run(all: readonly Candidate[]): Promise<BenchReport> {
    await this.firstRuns(all);
    await this.findOracles();
    const nothing = this.cancelled ? 'cancelled' : 'refused';
    const stopped = this.contestants.length === 0 ? nothing : await this.takeRounds();
    return this.report(all, stopped);
  }

  private get cancelled(): boolean {
    return this.options.signal?.aborted === true;
  }

  private tell(phase: string, variant: string): void {
    this.options.onProgress?.(this.clock.progress(phase, variant));
  }

  private async firstRuns(all: readonly Candidate[]): Promise<void> {
    for (const candidate of all) {
      if (this.cancelled) return;
      this.tell('first runs', candidate.label);
      try {
        const first = await measure(this.addon, candidate.problem, this.options.signal, 'first');
        if (first.result.status !== 'done') return;
        const determinism = new Determinism();
        determinism.add(first.result.dose);
        const warm: Series<RawSample> = { mode: 'warm', samples: [], reason: null };
        const others = await this.otherModes(candidate);
        this.contestants.push({ candidate, first, determinism, warm, others });
      } catch (error) {
        if (!(error instanceof BraggError) || error.code === 'internal') throw error;
        this.refuse(candidate, error);
      }
    }
  }

  /** Tries a replay once, because not every variant's launches can be captured. */
  private async otherModes(candidate: Candidate): Promise<readonly Series<RawSample>[]> {
    const wanted = (this.options.modes ?? []).filter((mode) => mode !== 'warm');
    const out: Series<RawSample>[] = [];
    for (const mode of wanted) {
      let reason: string | null = null;
      if (mode === 'graph' && candidate.variant.device === 'cpu') reason = noGraphOnCpu;
      else if (mode === 'graph') {
        reason = await measure(this.addon, candidate.problem, this.options.signal, mode).then(
          () => null,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
      }
      out.push({ mode, samples: [], reason });
    }
    return out;
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
    const [reference] = this.contestants;
    if (reference === undefined) return 'cancelled';
    const turns = this.contestants.flatMap((contestant) =>
      [contestant.warm, ...contestant.others]
        .filter(({ reason }) => reason === null)
        .map(({ mode, samples }) => this.turn(contestant, mode, samples)),
    );
    turns.push(this.turn(reference, 'warm', this.control));
    this.clock.roundsBegin();
    const { stopped } = await takeRounds(turns, {
      seed: this.options.seed,
      limits: this.options.limits,
      roundsPerInstance: ROUNDS_PER_INSTANCE,
      cancelled: () => this.cancelled,
      elapsed_s: () => this.clock.elapsed_s,
      tell: (what) => this.tell('rounds', what),
      onRound: (rounds) => this.afterRound(rounds),
    });
    return stopped;
  }

  private refuse(candidate: Candidate, error: BraggError): void {
    // The row says already which variant it is.
    const reason = error.message.replace(/^solver\.variant = [^:]+: /, '').replace(`${candidate.variant.id}: `, '');
    this.refused.set(candidate, { ...headOf(candidate), status: 'refused', reason });
  }

  private lose(contestant: Contestant, error: BraggError): void {
    this.refuse(contestant.candidate, error);
    this.contestants.splice(this.contestants.indexOf(contestant), 1);
  }

  private turn(contestant: Contestant, mode: Mode, samples: RawSample[]): Turn {
    const { label, problem } = contestant.candidate;
    const isReference = contestant === this.contestants[0];
    return {
      owner: contestant,
      // Without the reference there is nothing to compare with.
      ...(isReference ? {} : { lost: (error) => this.lose(contestant, error) }),
      what: mode === 'warm' ? label : `${label}, ${mode}`,
      times: () => instancesOf(samples, timeOf),
      take: async (where) => {
        const measured = await measure(this.addon, problem, this.options.signal, mode);
        if (measured.result.status !== 'done') return null;
        const sample = rawSample(measured, where);
        return () => {
          samples.push(sample);
          contestant.determinism.add(measured.result.dose);
        };
      },
    };
  }

  private afterRound(rounds: number): void {
    this.clock.afterRound(
      rounds,
      this.contestants.map(({ candidate, warm }) => ({
        label: candidate.label,
        times: instancesOf(warm.samples, timeOf),
      })),
    );
  }

  private async report(all: readonly Candidate[], stopped: BenchReport['stopped']): Promise<BenchReport> {
    const { seed, gpus = noGpus, scenario, limits } = this.options;
    const { precision, margin } = limits;
    const [reference] = this.contestants;
    const levels = (samples: readonly RawSample[]) => instancesOf(samples, timeOf);
    const noise =
      reference === undefined || this.clock.rounds === 0
        ? null
        : noiseOf(levels(this.control), levels(reference.warm.samples));
    const floor = noise?.floor ?? null;
    const oracleDose = (stepping: 'path' | 'depth') => this.oracles.get(stepping)?.oracle?.dose ?? null;
    const rankedOnes = this.contestants.map(ranked);
    const basis = { reference: rankedOnes[0], all: rankedOnes, floor, margin, timeOf };
    const { machine, program } = machineFacts(this.addon, gpus, all);
    const wall = ({ wall_s }: RawSample): number => wall_s;
    const wholeNoise = noiseOf(instancesOf(this.control, wall), instancesOf(reference?.warm.samples ?? [], wall));
    const whole = { ...basis, floor: wholeNoise.floor, timeOf: wall };
    const facts = { basis, whole, machine, oracleDose };
    const entries = all.flatMap((candidate): BenchEntry[] => {
      const refused = this.refused.get(candidate);
      if (refused !== undefined) return [refused];
      const contestant = this.contestants.find((one) => one.candidate === candidate);
      return contestant === undefined ? [] : [measuredEntry(contestant, facts)];
    });
    for (const { candidate, first } of this.contestants) this.options.onDose?.(candidate.label, first.result.dose);
    const { document, commit, resources, surroundings = unknownSurroundings } = this.options.recorded ?? {};
    const samples = [
      ...this.control,
      ...this.contestants.flatMap(({ warm, others }) => [warm, ...others].flatMap(({ samples }) => samples)),
    ];
    const external = [...(await this.rivals(entries, oracleDose('path')))];
    return {
      scenario,
      machine,
      program: { ...program, ...(commit === undefined ? {} : { commit }) },
      ...(document === undefined ? {} : { document: { ...document } }),
      ...(resources === undefined ? {} : { resources }),
      reference: reference?.candidate.label ?? null,
      seed,
      rounds: this.clock.rounds,
      stopped,
      judged: {
        precision,
        margin,
        instances: Math.ceil(this.clock.rounds / ROUNDS_PER_INSTANCE),
        rounds_per_instance: ROUNDS_PER_INSTANCE,
      },
      environment: environmentOf(surroundings, this.clock.otherLoad_cores, samples),
      noise: {
        ratio: noise?.ratio ?? null,
        floor: floorAsRatio(floor),
        whole_floor: floorAsRatio(wholeNoise.floor),
      },
      oracles: [...this.oracles].map(([stepping, { oracle, reason }]) => ({
        stepping: stepping as 'path' | 'depth',
        variant: oracle?.variant ?? null,
        reason,
      })),
      entries,
      external,
      claims: claimResults(this.options.claims ?? [], measuredTransport({ entries, external, machine, seed })),
      elapsed_s: this.clock.elapsed_s,
    };
  }

  private async rivals(entries: readonly BenchEntry[], oracleDose: Float64Array | null) {
    const [reference] = this.contestants;
    if (this.options.rivals === undefined || reference === undefined || this.cancelled) return [];
    return this.options.rivals({
      problem: reference.candidate.problem,
      entries,
      reference: reference.candidate.label,
      seed: this.options.seed,
      oracleDose,
      tell: (what) => this.tell('other programs', what),
    });
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
