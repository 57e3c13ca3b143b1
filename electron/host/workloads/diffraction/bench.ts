/**
 * Times the variants of the diffraction workload against each other: interleaved
 * rounds in shuffled order, the first variant twice in each for the noise floor,
 * and every image held to the FP64 reference.
 */
import { BraggError } from '../../../contract/errors.ts';
import { fromNative, type NativeAddon } from '../../addon.ts';
import type { DiffractionProblem, DiffractionResult } from '../../addon-diffraction.ts';
import { type Turn, takeRounds } from '../../bench/rounds.ts';
import { type Interval, median, ratioInterval } from '../../bench/statistics.ts';
import type { StoppingLimits, StopReason } from '../../bench/stopping.ts';
import { noiseFloor, type Verdict, verdictOf } from '../../bench/verdict.ts';
import { type ImageError, imageError } from './image-error.ts';

/** A bright pixel may be off by this much. */
export const PARITY = 2e-5;

const REFERENCE = 'diffraction-reference';

export interface ImageBenchOptions {
  readonly scenario: string;
  /** The first that can run is what the others are compared with. */
  readonly variants: readonly string[];
  readonly seed: number;
  readonly limits: StoppingLimits;
  readonly signal?: AbortSignal;
  readonly onProgress?: (what: string, round: number, elapsed_s: number) => void;
}

export interface ImageBenchEntry {
  readonly variant: string;
  /** Why it could not run; null when it did, and the rest is there. */
  readonly refused: string | null;
  readonly error: ImageError | null;
  /** Within PARITY on bright pixels. */
  readonly correct: boolean | null;
  readonly threads: number;
  /** Seconds of rendering, every round. */
  readonly samples_s: readonly number[];
  readonly setup_s: number | null;
  /** Of the first run in this process, set-up included. */
  readonly first_s: number | null;
  readonly median_s: number | null;
  readonly ns_per_term: number | null;
  /** Time over that of the first variant. */
  readonly ratio: { readonly value: number; readonly interval: Interval | null } | null;
  readonly verdict: Verdict | null;
}

export interface ImageBenchReport {
  readonly workload: 'diffraction';
  readonly scenario: string;
  readonly machine: { readonly cpu: string; readonly logicalCores: number; readonly isa: string; readonly os: string };
  readonly build: string;
  readonly width: number;
  readonly height: number;
  readonly terms: number;
  readonly reference: string | null;
  readonly seed: number;
  readonly rounds: number;
  readonly stopped: StopReason | 'refused';
  /** How far the first variant strays from itself. */
  readonly noise_floor: number | null;
  readonly entries: readonly ImageBenchEntry[];
  readonly elapsed_s: number;
}

interface Contestant {
  readonly variant: string;
  readonly first: DiffractionResult;
  readonly first_s: number;
  readonly error: ImageError;
  readonly times: number[];
}

/** Renders once. Throws a BraggError; a cancelled run is one too. */
async function render(addon: NativeAddon, problem: DiffractionProblem, variant: string, signal?: AbortSignal) {
  const start = performance.now();
  try {
    const run = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant } });
    const cancel = (): void => run.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      const started = run.start(() => undefined);
      if (signal?.aborted === true) cancel();
      const result = await started;
      return { plan: run.plan, result, wall_s: (performance.now() - start) / 1000 };
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw fromNative(error);
  }
}

const timeOf = ({ device_s, solve_s }: DiffractionResult): number => (device_s > 0 ? device_s : solve_s);

class Session {
  private readonly start = performance.now();
  private readonly contestants: Contestant[] = [];
  private readonly refused = new Map<string, string>();
  private readonly control: number[] = [];
  private rounds = 0;
  private readonly addon: NativeAddon;
  private readonly problem: DiffractionProblem;
  private readonly options: ImageBenchOptions;

  constructor(addon: NativeAddon, problem: DiffractionProblem, options: ImageBenchOptions) {
    this.addon = addon;
    this.problem = problem;
    this.options = options;
  }

  async run(): Promise<ImageBenchReport> {
    this.tell('fp64 reference');
    const oracle = await render(this.addon, this.problem, REFERENCE, this.options.signal);
    await this.firstRuns(oracle.result.image);
    const stopped = this.contestants.length === 0 ? 'refused' : await this.takeRounds();
    return this.report(oracle.plan, stopped);
  }

  private elapsed(): number {
    return (performance.now() - this.start) / 1000;
  }

  private tell(what: string): void {
    this.options.onProgress?.(what, this.rounds, this.elapsed());
  }

  private async firstRuns(oracle: Float32Array): Promise<void> {
    for (const variant of this.options.variants) {
      this.tell(variant);
      try {
        const { result, wall_s } = await render(this.addon, this.problem, variant, this.options.signal);
        if (result.status !== 'done') return;
        const error = imageError(result.image, oracle);
        this.contestants.push({ variant, first: result, first_s: wall_s, error, times: [] });
      } catch (error) {
        if (!(error instanceof BraggError) || error.code === 'internal') throw error;
        this.refused.set(variant, error.message.replace(/^solver\.variant = [^:]+: /, ''));
      }
    }
  }

  private async takeRounds(): Promise<StopReason> {
    const [reference] = this.contestants;
    if (reference === undefined) return 'cancelled';
    const turns = [...this.contestants, { variant: reference.variant, times: this.control }].map(
      ({ variant, times }): Turn => ({
        what: variant,
        times: () => times,
        take: async () => {
          const { result } = await render(this.addon, this.problem, variant, this.options.signal);
          return result.status === 'done' ? () => times.push(timeOf(result)) : null;
        },
      }),
    );
    const { stopped } = await takeRounds(turns, {
      seed: this.options.seed,
      limits: this.options.limits,
      cancelled: () => this.options.signal?.aborted === true,
      elapsed_s: () => this.elapsed(),
      tell: (what) => this.tell(what),
      onRound: (rounds) => {
        this.rounds = rounds;
      },
    });
    return stopped;
  }

  private entry(variant: string, floor: number | null, terms: number): ImageBenchEntry | null {
    const found = this.contestants.find((one) => one.variant === variant);
    const none = { error: null, correct: null, threads: 0, samples_s: [], setup_s: null, first_s: null };
    const refused = this.refused.get(variant);
    if (refused !== undefined) {
      return { variant, refused, ...none, median_s: null, ns_per_term: null, ratio: null, verdict: null };
    }
    const [reference] = this.contestants;
    if (found === undefined || reference === undefined) return null;
    const { times, error, first, first_s } = found;
    const measured = times.length > 0;
    const median_s = measured ? median(times) : null;
    const interval = found === reference ? null : ratioInterval(times, reference.times, this.options.seed);
    return {
      variant,
      refused: null,
      error,
      correct: error.bright <= PARITY,
      threads: first.threads,
      samples_s: times,
      setup_s: first.setup_s,
      first_s,
      median_s,
      ns_per_term: median_s === null ? null : (median_s * first.threads * 1e9) / terms,
      ratio: median_s === null ? null : { value: median_s / median(reference.times), interval },
      verdict: found === reference ? null : verdictOf(interval, floor),
    };
  }

  private report(plan: { width: number; height: number; terms: number }, stopped: ImageBenchReport['stopped']) {
    const { seed, scenario, variants } = this.options;
    const [reference] = this.contestants;
    const control = reference === undefined ? null : ratioInterval(this.control, reference.times, seed);
    const floor = noiseFloor(control);
    const { cpu, logicalCores, isa, os } = this.addon.machine();
    const { width, height, terms } = plan;
    const report: ImageBenchReport = {
      workload: 'diffraction',
      scenario,
      machine: { cpu, logicalCores, isa, os },
      build: this.addon.buildInfo().build,
      width,
      height,
      terms,
      reference: reference?.variant ?? null,
      seed,
      rounds: this.rounds,
      stopped,
      noise_floor: floor,
      entries: variants.flatMap((variant) => this.entry(variant, floor, terms) ?? []),
      elapsed_s: this.elapsed(),
    };
    return report;
  }
}

/** Throws a BraggError for a problem that not even the reference takes. */
export function benchImages(
  addon: NativeAddon,
  problem: DiffractionProblem,
  options: ImageBenchOptions,
): Promise<ImageBenchReport> {
  return new Session(addon, problem, options).run();
}
