/** Stores measured images and fits crystals to them. Fits are queued, and no benchmark runs during a fit. */
import { randomBytes } from 'node:crypto';
import { BraggError } from '../../../contract/errors.ts';
import type { FieldMap } from '../../../contract/fields.ts';
import type { ImageView } from '../../../contract/image.ts';
import {
  MAX_ITERATIONS,
  type MeasuredImage,
  type RefinedCrystal,
  type RefinedPart,
  type RefineFrame,
} from '../../../contract/scenario/diffraction/refining.ts';
import type { ScenarioDraft } from '../../../contract/scenario/workload.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type { LaneQueue } from '../../io/flow/lanes.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';
import { throwIfTooLong } from '../../workloads/benchable.ts';
import { workOf } from '../../workloads/diffraction/bench-candidate.ts';
import type { MaskedImage } from '../../workloads/diffraction/images/read.ts';
import {
  countExcluded,
  type FittedImage,
  headerMismatches,
  type RefinementResult,
  refineCrystal,
  requireCrystal,
  residualCounts,
} from '../../workloads/diffraction/refine.ts';
import { DiffractionWorkloadRun } from '../../workloads/diffraction/running.ts';
import { imageMap } from '../../workloads/diffraction/summary.ts';
import { problemOf, type ScenarioOrigin, type Scenarios } from '../../workloads/scenarios/scenarios.ts';

/** Maximum number of images in memory. A further image replaces the oldest one. */
const MAX_IMAGES = 2;

interface LoadedImage {
  readonly name: string;
  readonly measured: MaskedImage;
  fitted: FittedImage | null;
  /** The picture that was requested last. It is cached because zooming requests it repeatedly. */
  shown: { readonly difference: boolean; readonly counts: Promise<Float32Array> } | null;
}

interface RefiningParts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly lanes: LaneQueue;
}

interface FitRequest {
  readonly image: string;
  readonly scenario: ScenarioDraft;
  readonly place: () => Promise<ScenarioOrigin>;
  readonly fit: readonly RefinedPart[];
}

function refinedFrame(refined: RefinementResult): RefinedCrystal {
  const { image: _image, images: _images, unknowns, ...rest } = refined;
  const reportedUnknowns = unknowns.map(({ id, start, value, sigma }) => ({ id, start, value, sigma }));
  return { state: 'refined', unknowns: reportedUnknowns, ...rest };
}

export class Refinements {
  readonly #parts: RefiningParts;
  readonly #cached = new Map<string, LoadedImage>();

  constructor(parts: RefiningParts) {
    this.#parts = parts;
  }

  async add(name: string, measured: MaskedImage): Promise<MeasuredImage> {
    const id = randomBytes(9).toString('base64url');
    const left_out = await countExcluded(measured.excluded);
    this.#cached.set(id, { name, measured, fitted: null, shown: null });
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_IMAGES && oldest !== undefined) this.#cached.delete(oldest);
    const { width, height, header } = measured;
    return { id, name, width, height, left_out, header };
  }

  /** Returns the measured image, or its difference from the fitted one. Throws BraggError. */
  async view(id: string, difference: boolean, view: ImageView): Promise<FieldMap> {
    const kept = this.#requireImage(id);
    const { measured, fitted } = kept;
    if (difference && fitted === null) throw new BraggError('not-found', 'Nothing has been fitted to this image yet.');
    if (kept.shown?.difference !== difference) {
      kept.shown = { difference, counts: residualCounts({ measured, fitted: difference ? fitted : null }) };
    }
    const { width, height } = measured;
    const image = await kept.shown.counts;
    const map = await imageMap({ width, height, image }, view, difference ? 'counts minus the fit' : 'counts');
    return { ...map, unit: 'counts' };
  }

  /** Starts a fit. Returns a function that cancels it. */
  open(requested: FitRequest, sink: FrameSink<RefineFrame>): () => void {
    const ending = new AbortController();
    void this.#fit(requested, sink, ending.signal).then(
      () => sink.end(),
      (error: unknown) => sink.end(ending.signal.aborted ? undefined : errorFromNative(error)),
    );
    return () => ending.abort();
  }

  async #fit(
    { image, scenario, place, fit }: FitRequest,
    sink: FrameSink<RefineFrame>,
    signal: AbortSignal,
  ): Promise<void> {
    const { addon, scenarios, lanes } = this.#parts;
    const kept = this.#requireImage(image);
    const reading = requireCrystal(await scenarios.check(scenario, await place()));
    const problem = problemOf(reading);
    if (isUserKernelId(problem.solver.variant)) {
      const says = `solver.variant = ${problem.solver.variant}: a user kernel cannot compute images for a fit; choose a shipped variant`;
      throw new BraggError('unsupported', says);
    }
    const { lane, plan } = new DiffractionWorkloadRun(addon, problem, false);
    throwIfTooLong(workOf(addon, plan));
    const id = `refining-${randomBytes(9).toString('base64url')}`;
    const reportWaiting = (): void => sink.offer(() => ({ state: 'waiting' }));
    await lanes.enqueue({ id, lane, signal, waits: reportWaiting }, async () => {
      const warnings = reading.scenario === null ? [] : headerMismatches(kept.measured.header, reading.scenario);
      sink.offer(() => ({ state: 'begun', variant: plan.variant, warnings: [...warnings] }));
      const options = { fit, iterations: MAX_ITERATIONS, signal };
      const refined = await refineCrystal(addon, problem, kept.measured, {
        ...options,
        onIteration: (iteration) => sink.offer(() => iteration),
      });
      const { image: photons, scale, background } = refined;
      kept.fitted = { photons, scale, background };
      kept.shown = null;
      sink.offer(() => refinedFrame(refined));
    });
  }

  #requireImage(id: string): LoadedImage {
    const kept = this.#cached.get(id);
    if (kept === undefined)
      throw new BraggError('not-found', 'This image is no longer in memory. Open its file again.');
    return kept;
  }
}
