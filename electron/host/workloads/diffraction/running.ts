/** A queued or running diffraction run: its engine, live image, and checkpoints for recovery. */
import type { ImageFrame, ImageView } from '../../../contract/image.ts';
import type { ImageProgress } from '../../../contract/scenario/diffraction/index.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionPlan, DiffractionProblem, DiffractionProgress, DiffractionRun } from '../../io/addon/task.ts';
import { CheckpointSchedule } from '../../io/flow/checkpoint-times.ts';
import { type FrameSink, FrameSubscribers } from '../../io/flow/subscribers.ts';
import type { RunCallbacks, WorkloadRun } from '../workload.ts';
import { type ImageRunData, imageRunData, partialImage } from './image-data.ts';
import { imageMap, imageProgressText, pixelsText } from './summary.ts';

function progressDetail({ done, terms_per_s }: DiffractionProgress): ImageProgress {
  return { workload: 'diffraction', done, terms_per_s };
}

export class DiffractionWorkloadRun implements WorkloadRun {
  readonly variant: string;
  readonly precision: 'fp32' | 'fp64';
  readonly device: string;
  readonly lane: string;
  readonly size: string;
  readonly before: ImageProgress = { workload: 'diffraction', done: 0, terms_per_s: 0 };
  readonly #native: DiffractionRun;
  readonly #trace: boolean;
  readonly #watchers = new FrameSubscribers<ImageFrame>();
  /** Views that pages watch. `made` is the last map sent, or null before the first one. */
  readonly #views = new Map<
    ImageView,
    { readonly sink: FrameSink<ImageFrame>; made: Omit<ImageFrame, 'run'> | null }
  >();
  #making: Promise<void> | null = null;
  #latest: { readonly image: Float32Array; readonly done: number } | null = null;
  #revision = 0;

  /** Throws if the engine rejects the problem. */
  constructor(addon: NativeAddon, problem: DiffractionProblem, trace: boolean) {
    this.#trace = trace;
    this.#native = addon.createDiffraction(problem);
    const { plan } = this.#native;
    this.variant = plan.variant;
    this.precision = plan.precision;
    this.device = addon.diffractionVariants().find(({ id }) => id === plan.variant)?.device ?? 'cpu';
    this.lane = this.device;
    this.size = pixelsText(plan);
  }

  get plan(): DiffractionPlan {
    return this.#native.plan;
  }

  async start(around: RunCallbacks): Promise<ImageRunData> {
    const times = new CheckpointSchedule();
    // The engine publishes rows only after a request, so a checkpoint is written at the next progress report.
    let requested = false;
    const progressed = (progress: DiffractionProgress): void => {
      const { done, eta_s } = progress;
      around.reportProgress(progressDetail(progress), done > 0 && Number.isFinite(eta_s) ? eta_s : null);
      if (around.saveCheckpoint === null || !times.isDue()) return;
      requested = !requested;
      if (requested) {
        this.#takeNewest();
        return;
      }
      times.begin();
      void this.#saveCheckpoint(around).then(() => times.end());
    };
    const { traceReason, clocks: _clocks, ...result } = await this.#native.start(progressed, { trace: this.#trace });
    if (traceReason !== null) around.warn(traceReason);
    const context = around.context();
    this.#latest = { image: result.image, done: result.done };
    this.#revision += 1;
    await this.#making;
    await this.#makeMaps();
    return imageRunData(context, this.#native.plan, result);
  }

  cancel(): void {
    this.#native.cancel();
  }

  /** Sends frames of the view until the returned function is called or the run has ended. */
  watch(run: string, view: ImageView, sink: FrameSink<ImageFrame>): () => void {
    const leave = this.#watchers.add(sink, () => this.#frame(run, view));
    this.#views.set(view, { sink, made: null });
    this.#takeNewest();
    void this.#refresh();
    return () => {
      leave();
      this.#views.delete(view);
    };
  }

  showLive(): void {
    if (this.#watchers.hasReadySubscriber && this.#making === null && this.#takeNewest()) void this.#refresh();
  }

  endLive(): void {
    this.#watchers.finish();
  }

  #takeNewest(): boolean {
    const newest = this.#native.live();
    if (newest === null) return false;
    // Use a new array object per frame, because results are cached by array object, while the engine reuses its memory.
    this.#latest = { image: newest.image.subarray(), done: newest.done };
    this.#revision += 1;
    return true;
  }

  /**
   * Computes frames one at a time. Requests made in the meantime wait for the current frame and then receive the newest
   * image.
   */
  async #refresh(): Promise<void> {
    while (this.#making !== null) await this.#making;
    this.#making = this.#makeMaps().finally(() => {
      this.#making = null;
    });
    await this.#making;
  }

  /** Computes and sends the maps of all views that do not show the newest image yet. */
  async #makeMaps(): Promise<void> {
    const [latest, revision] = [this.#latest, this.#revision];
    if (latest === null) return;
    const { width, height } = this.#native.plan;
    const { image, done } = latest;
    const behind = [...this.#views].filter(([, { made }]) => made?.revision !== revision);
    await Promise.all(
      behind.map(async ([view, shown]) => {
        shown.made = { revision, done, map: await imageMap({ width, height, image }, view) };
        if (this.#views.get(view) === shown) this.#watchers.offer(shown.sink);
      }),
    );
  }

  #frame(run: string, view: ImageView): ImageFrame {
    const made = this.#views.get(view)?.made;
    if (made == null) throw new Error('a live image was requested before the first one was computed');
    return { run, ...made };
  }

  async #saveCheckpoint(around: RunCallbacks): Promise<void> {
    this.#takeNewest();
    const newest = this.#latest;
    if (newest === null || around.saveCheckpoint === null) return;
    const state = partialImage(around.context(), this.#native.plan, newest);
    await around.saveCheckpoint(state, imageProgressText(newest.done));
  }
}
