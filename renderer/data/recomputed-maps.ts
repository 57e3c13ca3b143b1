/**
 * Maps of a finished run that were not stored with it: the host recomputes the step. One recomputation at a time
 * produces all of them; changing the step, run or cut cancels it.
 */
import type { MapRequest, RunId } from '../../electron/contract/run.ts';
import type { Client, StreamHandle } from './client/client.ts';
import type { RunData, ShownMap } from './run-data.ts';

/** Delay in ms, so that steps passed during playback are not computed. */
const SETTLE_MS = 250;

interface MapsRequest {
  readonly run: RunId;
  readonly index: number;
  readonly step: number;
  /** Map requests by panel key. */
  readonly maps: readonly (readonly [key: string, request: MapRequest])[];
}

interface MapReceiver {
  add(key: string, map: ShownMap): void;
  /** Reports why a map is not available. */
  rejectMap(key: string, reason: string): void;
}

export class RecomputedMaps {
  readonly #client: Client;
  readonly #data: RunData;
  readonly #receiver: MapReceiver;
  #wanted: MapsRequest | null = null;
  #requested = '';
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stream: StreamHandle | null = null;

  constructor(client: Client, data: RunData, receiver: MapReceiver) {
    this.#client = client;
    this.#data = data;
    this.#receiver = receiver;
  }

  request(wanted: MapsRequest): void {
    const requested = JSON.stringify(wanted);
    // An unchanged request keeps the running computation.
    if (requested === this.#requested && this.#data.computing.get(wanted.maps[0]?.[0] ?? '') !== null) return;
    this.cancel();
    if (wanted.maps.length === 0) return;
    this.#requested = requested;
    this.#wanted = wanted;
    for (const [key] of wanted.maps) {
      this.#data.mapErrors.drop(key);
      this.#data.computing.set(key, { step: 0, steps: 0 });
      // A map of the same moment with a different cut may stay visible until the new map arrives.
      const shown = this.#data.maps.get(key);
      if (shown?.run !== wanted.run || shown.step !== wanted.step) this.#data.maps.drop(key);
    }
    this.#timer = setTimeout(() => this.#open(wanted), SETTLE_MS);
  }

  /** Stops the computation because the user cancelled it. */
  stop(): void {
    const wanted = this.#wanted;
    this.cancel();
    for (const [key] of wanted?.maps ?? [])
      this.#receiver.rejectMap(key, 'This step was not computed, because the computation was stopped.');
  }

  /** Cancels the computation because no panel needs the maps any more. */
  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stream?.close();
    this.#stream = null;
    for (const [key] of this.#wanted?.maps ?? []) this.#data.computing.drop(key);
    this.#wanted = null;
    this.#requested = '';
  }

  #open({ run, index, maps }: MapsRequest): void {
    const here = this.#wanted;
    const ended = (reason: string | null): void => {
      if (this.#wanted !== here) return;
      this.#stream = null;
      this.cancel();
      if (reason !== null) for (const [key] of maps) this.#receiver.rejectMap(key, reason);
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
            if (field !== undefined) this.#receiver.add(key, { run, field, step, depth_mm });
          });
        },
        end: (error) => ended(error === null ? null : error.message),
      },
    );
  }
}
