/**
 * Image of the selected diffraction run: live while rows arrive, then the final image with readouts and deviation from
 * the reference run. Requests only the view that the panel shows.
 */

import { createStore, type StoreApi } from 'zustand/vanilla';
import { messageOf } from '../../electron/contract/errors.ts';
import type { ImageError, ImageFrame, ImagePeak, ImageSummary, ImageView } from '../../electron/contract/image.ts';
import type { RunId } from '../../electron/contract/run.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import type { Client, StreamHandle } from './client/client.ts';
import { ArrayCache, type FeedStatus, type FeedTarget, type RunFollower, SHOWN_KEY } from './run-data.ts';

interface ImageRequest {
  readonly view: ImageView;
  /** Run that is subtracted; null for none. */
  readonly against: RunId | null;
}

export interface ShownImage extends ImageFrame {
  readonly against: RunId | null;
}

interface ImageData {
  readonly image: ArrayCache<ShownImage>;
  readonly summary: ArrayCache<ImageSummary>;
  readonly peaks: ArrayCache<readonly ImagePeak[]>;
  /** Error of the image against the subtracted run. */
  readonly error: ArrayCache<ImageError>;
  /** Reason why the difference cannot be shown. */
  readonly differenceError: ArrayCache<string>;
}

/** Delay in ms before requesting a changed view: resizing and panning change it many times a second. */
const SETTLE_MS = 60;
const PEAKS = 50;

export class ImageFeed implements RunFollower {
  readonly status: StoreApi<{ readonly status: FeedStatus }> = createStore<{ readonly status: FeedStatus }>(() => ({
    status: { kind: 'nothing' },
  }));
  readonly data: ImageData = {
    image: new ArrayCache(),
    summary: new ArrayCache(),
    peaks: new ArrayCache(),
    error: new ArrayCache(),
    differenceError: new ArrayCache(),
  };
  readonly #client: Client;
  readonly #scheduler: FrameScheduler;
  #target: FeedTarget | null = null;
  #wanted: ImageRequest | null = null;
  #live: StreamHandle | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Responses for an earlier target or view are dropped. */
  #generation = 0;

  constructor(client: Client, scheduler: FrameScheduler) {
    this.#client = client;
    this.#scheduler = scheduler;
  }

  /** Sets the view that the panel shows; null if the panel is closed. */
  request(wanted: ImageRequest | null): void {
    if (JSON.stringify(wanted) === JSON.stringify(this.#wanted)) return;
    const before = this.#wanted;
    this.#wanted = wanted;
    if (before?.against !== wanted?.against) void this.#loadError();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refresh(), before === null ? 0 : SETTLE_MS);
  }

  follow(target: FeedTarget | null): void {
    const before = this.#target;
    if (before?.run === target?.run && before?.state === target?.state) return;
    this.#target = target;
    this.#generation += 1;
    if (before?.run !== target?.run) for (const cache of Object.values(this.data)) cache.drop(SHOWN_KEY);
    this.#live?.close();
    this.#live = null;
    if (target === null) this.#setStatus({ kind: 'nothing' });
    else if (target.state === 'queued') this.#setStatus({ kind: 'waiting' });
    else if (target.state === 'failed') this.#setStatus({ kind: 'failed', reason: 'The run failed.' });
    else {
      if (this.data.image.get(SHOWN_KEY) === null) this.#setStatus({ kind: 'waiting' });
      this.#refresh();
      if (target.state !== 'running') void this.#loadReadouts(target.run);
    }
  }

  /** Photons in one pixel of the shown image; null if the pixel has no value. */
  async pixel(fast: number, slow: number): Promise<number | null> {
    const [target, wanted] = [this.#target, this.#wanted];
    if (target === null || target.state === 'running' || wanted === null) return null;
    try {
      const { photons } = await this.#client.call('image.pixel', {
        run: target.run,
        against: this.data.differenceError.get(SHOWN_KEY) === null ? wanted.against : null,
        fast,
        slow,
      });
      return photons;
    } catch {
      return null;
    }
  }

  #setStatus(status: FeedStatus): void {
    this.status.setState({ status });
  }

  #refresh(): void {
    const [target, wanted] = [this.#target, this.#wanted];
    this.#generation += 1;
    if (target === null || wanted === null) return;
    if (target.state === 'running') this.#openLive(target.run, wanted);
    else if (target.state === 'done' || target.state === 'cancelled') void this.#load(target.run, wanted);
  }

  #openLive(run: RunId, { view }: ImageRequest): void {
    this.#live?.close();
    this.#live = this.#client.stream(
      'image.live',
      { run, view },
      {
        frame: (frame) => {
          // The stream may send a frame after the run has ended; the final image is newer.
          if (this.#target?.run === run && this.#target.state === 'running') {
            this.data.image.set(SHOWN_KEY, { ...frame, against: null });
            this.#setStatus({ kind: 'live' });
          }
          return this.#scheduler.painted();
        },
      },
    );
  }

  async #load(run: RunId, { view, against }: ImageRequest): Promise<void> {
    const generation = this.#generation;
    try {
      const frame = await this.#client.call('image.view', { run, view, against });
      if (generation !== this.#generation) return;
      // Keep the reason for a failed difference while the plain image is shown instead.
      if (against === this.#wanted?.against) this.data.differenceError.drop(SHOWN_KEY);
      this.data.image.set(SHOWN_KEY, { ...frame, against });
      this.#setStatus({ kind: 'loaded' });
    } catch (error) {
      if (generation !== this.#generation) return;
      if (against === null) this.#setStatus({ kind: 'failed', reason: messageOf(error) });
      else {
        this.data.differenceError.set(SHOWN_KEY, messageOf(error));
        void this.#load(run, { view, against: null });
      }
    }
  }

  async #loadReadouts(run: RunId): Promise<void> {
    const still = (): boolean => this.#target?.run === run;
    try {
      const [summary, { peaks }] = await Promise.all([
        this.#client.call('image.summary', { run }),
        this.#client.call('image.peaks', { run, count: PEAKS }),
      ]);
      if (!still()) return;
      this.data.summary.set(SHOWN_KEY, summary);
      this.data.peaks.set(SHOWN_KEY, peaks);
      await this.#loadError();
    } catch (error) {
      if (still()) this.#setStatus({ kind: 'failed', reason: messageOf(error) });
    }
  }

  async #loadError(): Promise<void> {
    const [run, reference] = [this.#target?.run, this.#wanted?.against ?? null];
    this.data.error.drop(SHOWN_KEY);
    if (run === undefined || reference === null || this.#target?.state === 'running') return;
    try {
      const error = await this.#client.call('image.error', { run, reference });
      if (this.#target?.run === run && this.#wanted?.against === reference) this.data.error.set(SHOWN_KEY, error);
    } catch {
      // Ignore errors here, because the request for the image reports them too.
    }
  }
}
