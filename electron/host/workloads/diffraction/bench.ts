/**
 * Times the variants of the diffraction workload against each other: interleaved
 * rounds in shuffled order, the first one twice in each for the noise floor,
 * and every image held to the FP64 reference.
 */
import { gpuOf, type Mode } from '../../../contract/bench/bench-session.ts';
import type { ImageBenchEntry, ImageBenchReport } from '../../../contract/bench/image-bench.ts';
import { BraggError } from '../../../contract/errors.ts';
import { BRIGHT_PARITY, type ImageError } from '../../../contract/image.ts';
import type { KernelResources } from '../../../contract/resources.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionPlan, DiffractionProblem, DiffractionResult } from '../../io/addon/diffraction.ts';
import type { Claim } from '../../model/bench/claims.ts';
import {
  type Comparison,
  compareTimes,
  floorAsRatio,
  instancesOf,
  noiseOf,
  type Ranked,
} from '../../model/bench/comparison.ts';
import { environmentOf, type Surroundings, unknownSurroundings } from '../../model/bench/environment.ts';
import type { Clocked } from '../../model/bench/flags.ts';
import { gpusOf, noGpus, type SessionGpus } from '../../model/bench/machine.ts';
import { Determinism } from '../../model/bench/parity.ts';
import { type Turn, takeRounds } from '../../model/bench/rounds.ts';
import { type BenchProgress, SessionClock } from '../../model/bench/session-clock.ts';
import { median } from '../../model/bench/statistics.ts';
import type { BenchLimits } from '../../model/bench/stopping.ts';
import type { Instances } from '../../model/verdicts/levels.ts';
import { type ImageCandidate, imageCandidates } from './candidates.ts';
import { imageClaims } from './claims.ts';
import { imageError } from './image-error.ts';
import { REFERENCE, render } from './render.ts';
import { imageRoofline } from './roofline.ts';

export interface ImageBenchOptions {
  readonly scenario: string;
  /** Ids, or id:gpu. The first that can run is what the others are compared with. */
  readonly variants: readonly string[];
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly limits: BenchLimits;
  /** With their ceilings; none by default. */
  readonly gpus?: SessionGpus;
  readonly claims?: readonly Claim[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BenchProgress) => void;
  /** What the report says besides: the scenario as the user wrote it, the kernels' resources. */
  readonly recorded?: {
    readonly document?: Readonly<Record<string, unknown>>;
    readonly resources?: KernelResources;
    readonly surroundings?: Surroundings;
  };
  /** Told each variant's image when the session ends. */
  readonly onImage?: (variant: string, image: Float32Array) => void;
}

/** A variant in a mode. */
interface Candidate extends ImageCandidate {
  readonly mode: Mode;
}

interface Sample {
  readonly time_s: number;
  readonly image_s: number;
  readonly setup_s: number;
  readonly wall_s: number;
  readonly clocks: Clocked;
  readonly instance: number;
}

interface Contestant extends Candidate {
  readonly first: DiffractionResult;
  readonly first_s: number;
  readonly plan: DiffractionPlan;
  readonly error: ImageError;
  readonly determinism: Determinism;
  readonly samples: Sample[];
}

function sampleOf({ device_s, solve_s, setup_s, clocks }: DiffractionResult, instance: number): Sample {
  const time_s = device_s > 0 ? device_s : solve_s;
  return { time_s, image_s: solve_s, setup_s, wall_s: setup_s + solve_s, clocks, instance };
}

/** An image's state is made for it: each is an instance of its own. */
const ROUNDS_PER_INSTANCE = 1;

const nothing = {
  error: null,
  correct: null,
  threads: 0,
  samples_s: [] as number[],
  image_samples_s: [] as number[],
  wall_samples_s: [] as number[],
  clocks: [],
  flagged: 0,
  ratio_unflagged: null,
  median_s: null,
  image_s: null,
  wall_s: null,
  setup_s: null,
  first_s: null,
  first_setup: [] as { name: string; seconds: number }[],
  ns_per_term: null,
  roofline: null,
  ratio: null,
  instances_to_decide: null,
  verdict: null,
};

const nameOf = ({ label, mode }: Candidate): string => (mode === 'warm' ? label : `${label}, ${mode}`);

/** Each mode of a variant is a row of its own. */
function ranked(one: Contestant): Ranked<Sample> {
  const warm = { mode: one.mode, samples: one.samples, reason: null };
  return { label: nameOf(one), buildsOn: null, first: sampleOf(one.first, 0), warm, others: [] };
}

const levels = (samples: readonly Sample[]): Instances => instancesOf(samples, ({ time_s }) => time_s);
const wholes = (samples: readonly Sample[]): Instances => instancesOf(samples, ({ wall_s }) => wall_s);

/** The bits are told by whether they are the same: a hash of an image is of no use to anyone. */
function repeatsOf({ runs, bitwise, spread }: ReturnType<Determinism['report']>) {
  return { runs, bitwise, spread };
}

const medianOf = (samples: readonly Sample[], what: (sample: Sample) => number): number | null =>
  samples.length === 0 ? null : median(samples.map(what));

/** What rows need beside their own contestant. */
interface EntryFacts {
  readonly compare: (one: Contestant) => Comparison<Sample>;
  readonly machine: ImageBenchReport['machine'];
  /** Lattice factors in the image. */
  readonly terms: number;
}

class Session {
  private readonly candidates: readonly Candidate[];
  private readonly contestants: Contestant[] = [];
  private readonly refused = new Map<Candidate, string>();
  private readonly control: Sample[] = [];
  private readonly clock: SessionClock;
  private readonly addon: NativeAddon;
  private readonly problem: DiffractionProblem;
  private readonly options: ImageBenchOptions;

  constructor(addon: NativeAddon, problem: DiffractionProblem, options: ImageBenchOptions) {
    this.addon = addon;
    this.problem = problem;
    this.options = options;
    this.clock = new SessionClock(options.limits);
    const all = imageCandidates(problem, options.variants, addon.diffractionVariants());
    this.candidates = options.modes.flatMap((mode) => all.map((candidate) => ({ ...candidate, mode })));
  }

  async run(): Promise<ImageBenchReport> {
    this.tell('fp64 reference', REFERENCE);
    const oracle = await render(this.addon, this.problem, { variant: REFERENCE, mode: 'warm' }, this.options.signal);
    await this.firstRuns(oracle.result.image);
    return this.report(oracle.plan, await this.takeRounds());
  }

  private tell(phase: string, what: string): void {
    this.options.onProgress?.(this.clock.progress(phase, what));
  }

  private render({ problem, variant, mode }: Candidate, clocks: boolean) {
    return render(this.addon, problem, { variant: variant.id, mode, clocks }, this.options.signal);
  }

  private async firstRuns(oracle: Float32Array): Promise<void> {
    for (const candidate of this.candidates) {
      // A small image may be done before it hears that it is to stop; the oracle before it may be a part of one.
      if (this.cancelled) return;
      this.tell('first runs', nameOf(candidate));
      try {
        const { plan, result, wall_s } = await this.render(candidate, false);
        if (result.status !== 'done') return;
        const error = imageError(result.image, oracle);
        const determinism = new Determinism();
        determinism.add(result.image);
        this.contestants.push({ ...candidate, plan, first: result, first_s: wall_s, error, determinism, samples: [] });
      } catch (error) {
        if (!(error instanceof BraggError) || error.code === 'internal') throw error;
        this.refused.set(candidate, error.message.replace(/^solver\.variant = [^:]+: /, ''));
      }
    }
  }

  private get cancelled(): boolean {
    return this.options.signal?.aborted === true;
  }

  private async takeRounds(): Promise<ImageBenchReport['stopped']> {
    const [reference] = this.contestants;
    if (reference === undefined) return this.cancelled ? 'cancelled' : 'refused';
    const turns = [...this.contestants, { ...reference, samples: this.control }].map(
      (one): Turn => ({
        what: nameOf(one),
        times: () => levels(one.samples),
        take: async ({ instance }) => {
          const { result } = await this.render(one, true);
          if (result.status !== 'done') return null;
          return () => {
            one.samples.push(sampleOf(result, instance));
            one.determinism.add(result.image);
          };
        },
      }),
    );
    this.clock.roundsBegin();
    const { stopped } = await takeRounds(turns, {
      seed: this.options.seed,
      limits: this.options.limits,
      roundsPerInstance: ROUNDS_PER_INSTANCE,
      cancelled: () => this.cancelled,
      elapsed_s: () => this.clock.elapsed_s,
      tell: (what) => this.tell('rounds', what),
      onRound: (rounds) =>
        this.clock.afterRound(
          rounds,
          this.contestants.map((one) => ({ label: nameOf(one), times: levels(one.samples) })),
        ),
    });
    return stopped;
  }

  private entry(candidate: Candidate, facts: EntryFacts): ImageBenchEntry | null {
    const { label, variant, mode, gpu } = candidate;
    const named = { label, variant: variant.id, device: variant.device, mode, ...(gpu === null ? {} : { gpu }) };
    const refused = this.refused.get(candidate);
    if (refused !== undefined) return { ...named, refused, ...nothing };
    const found = this.contestants.find((one) => one.label === label && one.mode === mode);
    if (found === undefined) return null;
    const { samples, error, first, first_s, plan, determinism } = found;
    const compared = samples.length === 0 ? null : facts.compare(found);
    const ceilings = gpuOf(facts.machine, gpu)?.ceilings ?? null;
    const median_s = compared?.time_s ?? null;
    return {
      ...named,
      refused: null,
      error,
      correct: error.bright !== null && error.bright <= BRIGHT_PARITY,
      threads: first.threads,
      determinism: repeatsOf(determinism.report()),
      samples_s: samples.map(({ time_s }) => time_s),
      image_samples_s: samples.map(({ image_s }) => image_s),
      wall_samples_s: samples.map(({ wall_s }) => wall_s),
      clocks: (compared?.samples ?? []).map(({ raw, flag }) => ({ sm_MHz: raw.clocks.after?.sm_MHz ?? null, flag })),
      flagged: compared?.flagged ?? 0,
      ratio_unflagged: compared?.ratio_unflagged ?? null,
      median_s,
      image_s: medianOf(samples, ({ image_s }) => image_s),
      wall_s: medianOf(samples, ({ wall_s }) => wall_s),
      setup_s: medianOf(samples, ({ setup_s }) => setup_s),
      first_s,
      first_setup: [...first.setup_parts],
      ns_per_term: median_s === null ? null : (median_s * first.threads * 1e9) / facts.terms,
      roofline: median_s === null || variant.device === 'cpu' ? null : imageRoofline(variant, plan, median_s, ceilings),
      instances_to_decide: compared?.instances_to_decide ?? null,
      // The reference over itself has no interval.
      ratio: compared && { ...compared.ratio, ...(compared.verdict === 'reference' && { interval: null }) },
      verdict: compared === null || compared.verdict === 'reference' ? null : compared.verdict,
    };
  }

  private report(plan: DiffractionPlan, stopped: ImageBenchReport['stopped']): ImageBenchReport {
    const { seed, scenario, gpus = noGpus, claims = [], limits } = this.options;
    const { precision, margin } = limits;
    const [reference] = this.contestants;
    const noise = reference === undefined ? null : noiseOf(levels(this.control), levels(reference.samples));
    const floor = noise?.floor ?? null;
    const wholeNoise = reference === undefined ? null : noiseOf(wholes(this.control), wholes(reference.samples));
    const { cpu, logicalCores, isa, os } = this.addon.machine();
    const { version, build, compiler } = this.addon.buildInfo();
    for (const { label, first } of this.contestants) this.options.onImage?.(label, first.image);
    const { width, height, terms } = plan;
    const { surroundings = unknownSurroundings, ...recorded } = this.options.recorded ?? {};
    const samples = [...this.control, ...this.contestants.flatMap((one) => one.samples)];
    const all = this.contestants.map(ranked);
    const basis = { reference: all[0], all, floor, margin, timeOf: ({ time_s }: Sample) => time_s };
    const judged = {
      precision,
      margin,
      instances: this.clock.rounds,
      rounds_per_instance: ROUNDS_PER_INSTANCE,
    };
    const machine = { cpu, logicalCores, isa, os, ...gpusOf(gpus, this.candidates) };
    const compare = (one: Contestant) => compareTimes(ranked(one), basis);
    const entries = this.candidates.flatMap((candidate) => this.entry(candidate, { compare, machine, terms }) ?? []);
    return {
      workload: 'diffraction',
      scenario,
      machine,
      build,
      program: { version, build, compiler },
      ...recorded,
      width,
      height,
      terms,
      reference: reference?.label ?? null,
      seed,
      rounds: this.clock.rounds,
      stopped,
      judged,
      environment: environmentOf(surroundings, this.clock.otherLoad_cores, samples),
      noise_floor: floorAsRatio(floor),
      whole_noise_floor: floorAsRatio(wholeNoise?.floor ?? null),
      entries,
      claims: imageClaims(claims, { entries, width, height, terms, seed, judged, machine }),
      elapsed_s: this.clock.elapsed_s,
    };
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
