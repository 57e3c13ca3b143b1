/**
 * Maps of a finished run that were not stored with it: the host recomputes the step. One recomputation at a time
 * produces all of them; changing the step, run or cut cancels it.
 */
import type { MapRequest, RunId } from '../../electron/contract/run.ts';
import type { Client, StreamHandle } from '../client/index.ts';
import type { RunData, ShownMap } from './run-data.ts';

/** Steps that are only passed, as in playback, are not computed. */
const SETTLE_MS = 250;

interface WantedMaps {
  readonly run: RunId;
  readonly index: number;
  readonly step: number;
  /** By the panels' keys. */
  readonly maps: readonly (readonly [key: string, request: MapRequest])[];
}

interface MapTaker {
  take(key: string, map: ShownMap): void;
  /** Says why there is no map. */
  refuse(key: string, reason: string): void;
}

export class RecomputedMaps {
  readonly #client: Client;
  readonly #data: RunData;
  readonly #taker: MapTaker;
  #wanted: WantedMaps | null = null;
  #asked = '';
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stream: StreamHandle | null = null;

  constructor(client: Client, data: RunData, taker: MapTaker) {
    this.#client = client;
    this.#data = data;
    this.#taker = taker;
  }

  want(wanted: WantedMaps): void {
    const asked = JSON.stringify(wanted);
    // A panel that was resized, or another map of the same step: what is on its way comes.
    if (asked === this.#asked && this.#data.computing.get(wanted.maps[0]?.[0] ?? '') !== null) return;
    this.leave();
    if (wanted.maps.length === 0) return;
    this.#asked = asked;
    this.#wanted = wanted;
    for (const [key] of wanted.maps) {
      this.#data.troubles.drop(key);
      this.#data.computing.set(key, { step: 0, steps: 0 });
      // Another cut of the same moment may stay in sight until the new one is there.
      const shown = this.#data.maps.get(key);
      if (shown?.run !== wanted.run || shown.step !== wanted.step) this.#data.maps.drop(key);
    }
    this.#timer = setTimeout(() => this.#open(wanted), SETTLE_MS);
  }

  /** The user does not want to wait. */
  stop(): void {
    const wanted = this.#wanted;
    this.leave();
    for (const [key] of wanted?.maps ?? []) this.#taker.refuse(key, 'This step was not computed: it was stopped.');
  }

  /** Nobody wants them any more. */
  leave(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stream?.close();
    this.#stream = null;
    for (const [key] of this.#wanted?.maps ?? []) this.#data.computing.drop(key);
    this.#wanted = null;
    this.#asked = '';
  }

  #open({ run, index, maps }: WantedMaps): void {
    const here = this.#wanted;
    const ended = (reason: string | null): void => {
      if (this.#wanted !== here) return;
      this.#stream = null;
      this.leave();
      if (reason !== null) for (const [key] of maps) this.#taker.refuse(key, reason);
    };
    this.#stream = this.#client.stream(
      'run.cuts',
      { run, index, maps: maps.map(([, request]) => request) },
      {
        frame: (frame) => {
          if (this.#wanted !== here || frame.state === 'waiting') return;
          if (frame.state === 'computing') {
            for (const [key] of maps) this.#data.computing.set(key, { step: frame.step, steps: frame.steps });
            return;
          }
          const { step, depth_mm } = frame;
          maps.forEach(([key], i) => {
            const field = frame.maps[i];
            if (field !== undefined) this.#taker.take(key, { run, field, step, depth_mm });
          });
        },
        end: (error) => ended(error === null ? null : error.message),
      },
    );
  }
}
