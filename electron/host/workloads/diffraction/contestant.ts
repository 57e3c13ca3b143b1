/** A variant of the diffraction workload as a session measures it: every image is drawn from a state made for it. */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type {
  DiffractionPlan,
  DiffractionProblem,
  DiffractionResult,
  DiffractionVariant,
} from '../../io/addon/diffraction.ts';
import type { ColdRun } from '../../model/bench/cold/process.ts';
import type { Contestant, Known, Taken, Work } from '../../model/bench/contestant.ts';
import type { Values } from '../../model/bench/parity.ts';
import { VariedRuns } from '../varied-runs.ts';
import { imageAccuracy } from './accuracy.ts';
import type { ImageCandidate } from './candidates.ts';
import { imageError } from './image-error.ts';
import { REFERENCE, render } from './render.ts';

/** Null if the variant is a user kernel. */
export function coldRunOf({ variant, problem }: ImageCandidate): ColdRun | null {
  if (isUserKernelId(variant.id)) return null;
  const own = { ...problem, solver: { ...problem.solver, variant: variant.id } };
  return { factory: 'createDiffraction', problem: own, calls: [{ method: 'start', args: [{}], reports: true }] };
}

type Declared = Pick<
  DiffractionVariant,
  'precision' | 'flopsPerTerm' | 'fp64FlopsPerTerm' | 'flopsPerBeam' | 'fp64FlopsPerBeam' | 'bytesPerTerm'
>;

/** Declared operations and bytes of one image. */
export function declaredWork(
  { flopsPerTerm, fp64FlopsPerTerm, flopsPerBeam, fp64FlopsPerBeam, bytesPerTerm, precision }: Declared,
  { terms, width, height, orientations }: Pick<DiffractionPlan, 'width' | 'height' | 'orientations' | 'terms'>,
): Work {
  const beams = terms / orientations;
  const fp64 = fp64FlopsPerTerm * terms + fp64FlopsPerBeam * beams;
  return {
    bytes: bytesPerTerm * terms + width * height * (precision === 'fp64' ? 8 : 4),
    fp32_flops: flopsPerTerm * terms + flopsPerBeam * beams - fp64,
    fp64_flops: fp64,
    other_flops: null,
  };
}

interface Rendered {
  readonly plan: DiffractionPlan;
  readonly result: DiffractionResult;
  readonly wall_s: number;
}

/**
 * The rendering's `wall_s` includes the repetitions that GPU timing needs. An end-to-end run is set-up and one image.
 */
function takenOf({ result }: Rendered): Taken {
  const { device_s, solve_s, setup_s, setup_parts, clocks, image } = result;
  return {
    time_s: device_s > 0 ? device_s : solve_s,
    repetitions: 1,
    device_s: device_s > 0 ? device_s : null,
    host_s: solve_s,
    setup_s,
    wall_s: setup_s + solve_s,
    parts: new Map(setup_parts.map(({ name, seconds }) => [name, seconds])),
    clocks,
    values: image,
  };
}

/** The wavelength grows by up to this share: every spot moves, and the work stays. */
const MOST_LONGER_WAVE = 0.002;

const withLongerWave = (problem: DiffractionProblem, share: number): DiffractionProblem => ({
  ...problem,
  beam: { ...problem.beam, wavelength_m: problem.beam.wavelength_m * (1 + MOST_LONGER_WAVE * share) },
});

export class ImageContestant implements Contestant {
  readonly #addon: NativeAddon;
  readonly #candidate: ImageCandidate;
  readonly #signal: AbortSignal | undefined;
  /** Null if the variant is shipped: the parity tests check those. */
  readonly #varied: VariedRuns | null;
  #first: Rendered | null = null;

  constructor(addon: NativeAddon, candidate: ImageCandidate, signal: AbortSignal | undefined) {
    this.#addon = addon;
    this.#candidate = candidate;
    this.#signal = signal;
    this.#varied = isUserKernelId(candidate.variant.id) ? new VariedRuns(this.#variation()) : null;
  }

  async first(): Promise<Taken | null> {
    const rendered = await this.#render('warm', false);
    this.#first = rendered;
    return rendered && { ...takenOf(rendered), wall_s: rendered.wall_s };
  }

  async take(mode: Mode): Promise<Taken | null> {
    const rendered = await this.#render(mode, true);
    if (rendered === null) return null;
    const taken = takenOf(rendered);
    if (mode === 'warm' && (await this.#varied?.sampled(taken.time_s)) === false) return null;
    return taken;
  }

  async answer() {
    if ((await this.#varied?.check()) === false) return null;
    return { values: this.#rendered.result.image };
  }

  accuracy(oracle: Values | null) {
    const own =
      oracle === null ? [] : imageAccuracy(imageError(this.#rendered.result.image, Float32Array.from(oracle)), true);
    return [...own, ...(this.#varied?.accuracy() ?? [])];
  }

  facts(): readonly (readonly [string, string])[] {
    return this.#varied === null ? [] : [[`Audits of ${this.#candidate.label}`, this.#varied.summary]];
  }

  quantities(time_s: number) {
    const { plan, result } = this.#rendered;
    const ns_per_term = (time_s * result.threads * 1e9) / plan.terms;
    return [
      { id: 'rate', title: 'Pixels', value: (plan.width * plan.height) / time_s, unit: '1/s' },
      { id: 'per_term', title: 'Per lattice term and core', value: ns_per_term, unit: 'ns' },
    ];
  }

  known(): Known {
    const { plan, result } = this.#rendered;
    const { variant } = this.#candidate;
    return {
      threads: variant.device === 'cpu' ? result.threads : null,
      isa: result.isa,
      state_bytes: plan.estimate_bytes,
      size: plan.width * plan.height,
      work: declaredWork(variant, plan),
      repeats: null,
      note: null,
      compared: null,
    };
  }

  async close(): Promise<void> {}

  #variation(): ConstructorParameters<typeof VariedRuns>[0] {
    const { problem } = this.#candidate;
    return {
      title: (share) => `${(100 * MOST_LONGER_WAVE * share).toPrecision(2)} % more wavelength`,
      run: async (share) => {
        const rendered = await this.#render('warm', false, withLongerWave(problem, share));
        return rendered && { values: rendered.result.image, time_s: takenOf(rendered).time_s };
      },
      judge: async ({ values }, share) => {
        const varied = withLongerWave(problem, share);
        const { result } = await render(this.#addon, varied, { variant: REFERENCE, mode: 'warm' }, this.#signal);
        return imageAccuracy(imageError(Float32Array.from(values), Float32Array.from(result.image)), true);
      },
    };
  }

  async #render(mode: Mode, clocks: boolean, problem = this.#candidate.problem): Promise<Rendered | null> {
    const { variant } = this.#candidate;
    const rendered = await render(this.#addon, problem, { variant: variant.id, mode, clocks }, this.#signal);
    return rendered.result.status === 'done' ? rendered : null;
  }

  get #rendered(): Rendered {
    if (this.#first === null) throw new Error(`${this.#candidate.label} was asked before its first image`);
    return this.#first;
  }
}
