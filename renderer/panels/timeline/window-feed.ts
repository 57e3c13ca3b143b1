/**
 * Visible part of a timeline, requested from the host with a margin, so that panning has data while the next response
 * is pending. Sends one request at a time, and then requests only the latest window.
 */
import { MAX_PIXELS, MAX_TRACKS, type TimelineWindow, type TraceId } from '../../../electron/contract/timeline.ts';
import type { Client } from '../../data/client/client.ts';

export interface WindowRequest {
  /** Window in nanoseconds on the trace's own clock. */
  readonly from_ns: number;
  readonly to_ns: number;
  /** Width in device pixels. */
  readonly pixels: number;
  /** Track numbers in ascending order. */
  readonly tracks: readonly number[];
}

/** Margin requested on either side, as a share of the visible width. */
const MARGIN_SHARE = 0.5;
/** Relative pixel widths between which a response is reused instead of requested again. */
const [TOO_COARSE, TOO_FINE] = [1.02, 0.45];

/** Maximum number of names in a request. */
const MAX_NAMES = 4096;

/** Whether a response covers the needed window, tracks and resolution; if not, a new request is sent. */
export function isSufficient(window: TimelineWindow | null, wish: WindowRequest): boolean {
  if (window === null) return false;
  const ratio = (window.to_ns - window.from_ns) / window.pixels / ((wish.to_ns - wish.from_ns) / wish.pixels);
  const covers = window.from_ns <= wish.from_ns && window.to_ns >= wish.to_ns;
  if (!covers || ratio > TOO_COARSE || ratio < TOO_FINE) return false;
  const there = new Set(window.tracks);
  return wish.tracks.every((track) => there.has(track));
}

/** Request for the needed window, with a margin. */
export function requestWithMargin(wish: WindowRequest): WindowRequest {
  const pixels = Math.min(MAX_PIXELS, Math.round(wish.pixels * (1 + 2 * MARGIN_SHARE)));
  const margin_ns = ((wish.to_ns - wish.from_ns) * (pixels / wish.pixels - 1)) / 2;
  return {
    from_ns: wish.from_ns - margin_ns,
    to_ns: wish.to_ns + margin_ns,
    pixels,
    tracks: wish.tracks.slice(0, MAX_TRACKS),
  };
}

export class WindowFeed {
  readonly #client: Pick<Client, 'call'>;
  readonly #trace: TraceId;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #names = new Map<number, string>();
  /** 1 for each name that is loaded or requested. */
  #known = new Uint8Array(256);
  #window: TimelineWindow | null = null;
  #neededWindow: WindowRequest | null = null;
  #pending = false;
  #closed = false;

  /** `changed` is called after each response; `failed` if the host no longer has the timeline. */
  constructor(
    client: Pick<Client, 'call'>,
    trace: TraceId,
    changed: () => void,
    failed: (error: unknown) => void = () => undefined,
  ) {
    this.#client = client;
    this.#trace = trace;
    this.#changed = changed;
    this.#failed = failed;
  }

  get window(): TimelineWindow | null {
    return this.#window;
  }

  /** True if no request is pending. */
  get isSettled(): boolean {
    return !this.#pending;
  }

  nameOf(name: number): string | null {
    return this.#names.get(name) ?? null;
  }

  request(wish: WindowRequest): void {
    if (wish.tracks.length === 0 || !(wish.to_ns > wish.from_ns) || isSufficient(this.#window, wish)) return;
    this.#neededWindow = wish;
    if (!this.#pending) void this.#sendRequests();
  }

  close(): void {
    this.#closed = true;
  }

  async #sendRequests(): Promise<void> {
    this.#pending = true;
    try {
      while (this.#neededWindow !== null && !this.#closed) {
        const wish = this.#neededWindow;
        this.#neededWindow = null;
        if (isSufficient(this.#window, wish)) continue;
        const { tracks, ...rest } = requestWithMargin(wish);
        this.#window = await this.#client.call('timeline.window', { trace: this.#trace, ...rest, tracks: [...tracks] });
        if (this.#closed) return;
        this.#changed();
        await this.#loadNames();
      }
    } catch (error) {
      if (!this.#closed) this.#failed(error);
    } finally {
      this.#pending = false;
    }
  }

  /**
   * Scans up to hundreds of thousands of rectangles within one frame, so known names are a byte array instead of a Map.
   */
  #unknownNames(): readonly number[] {
    const all = this.#window?.name ?? new Uint32Array();
    let highest = -1;
    for (let i = 0; i < all.length; i += 1) highest = Math.max(highest, all[i] ?? 0);
    if (highest >= this.#known.length) {
      const larger = new Uint8Array(2 * (highest + 1));
      larger.set(this.#known);
      this.#known = larger;
    }
    const unknown: number[] = [];
    for (let i = 0; i < all.length && unknown.length < MAX_NAMES; i += 1) {
      const name = all[i] ?? 0;
      if (this.#known[name] !== 0) continue;
      this.#known[name] = 1;
      unknown.push(name);
    }
    return unknown;
  }

  async #loadNames(): Promise<void> {
    const names = this.#unknownNames();
    if (names.length === 0) return;
    const { texts } = await this.#client.call('timeline.names', { trace: this.#trace, names: [...names] });
    for (const [i, name] of names.entries()) this.#names.set(name, texts[i] ?? '');
    if (!this.#closed) this.#changed();
  }
}
