/**
 * Steadies a GPU's clock during a session: locks it, if permitted, and waits before a round until the GPU has cooled.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { NativeAddon } from '../../../io/addon/addon.ts';

export interface SteadySettings {
  /** Frequency in MHz to which the multiprocessor clock is locked; null to leave the clock unlocked. */
  readonly lock_MHz: number | null;
  /** Maximum temperature of the GPU in °C at the start of a round; null for no limit. */
  readonly cool_C: number | null;
}

type GpuControl = Pick<NativeAddon, 'clockState' | 'lockClocks'>;

const CHECK_INTERVAL_MS = 250;
/** Longest wait in seconds, more than a fan needs to cool a GPU. The session then continues with a hot GPU. */
const MAX_WAIT_S = 120;

export class SteadyGpu {
  readonly #addon: GpuControl;
  readonly #uuid: string | null;
  readonly #requested: SteadySettings;
  #lock: string | null = null;
  #waited_s = 0;
  #gaveUp = false;
  #reportsTemperature = true;

  /** `uuid` is null if the machine has no GPU. Nothing is changed then, and the report says so. */
  constructor(addon: GpuControl, uuid: string | null, requested: SteadySettings) {
    this.#addon = addon;
    this.#uuid = uuid;
    this.#requested = requested;
    const { lock_MHz } = requested;
    if (lock_MHz === null) return;
    if (uuid === null) {
      this.#lock = 'not locked: there is no GPU';
      return;
    }
    const why = addon.lockClocks({ device: uuid, sm_MHz: lock_MHz });
    this.#lock =
      why === null
        ? `locked at ${lock_MHz} MHz`
        : `not locked (${why}); as root: nvidia-smi --lock-gpu-clocks=${lock_MHz},${lock_MHz}`;
  }

  /** Waits before a round until the GPU is cool enough, for at most MAX_WAIT_S. */
  async waitUntilCool(cancelled: () => boolean): Promise<void> {
    const { cool_C } = this.#requested;
    if (cool_C === null || this.#uuid === null || this.#gaveUp) return;
    const began = performance.now();
    const waited = (): number => (performance.now() - began) / 1000;
    while (!cancelled() && this.#isHotter(cool_C)) {
      if (waited() > MAX_WAIT_S) {
        this.#gaveUp = true;
        break;
      }
      await wait(CHECK_INTERVAL_MS);
    }
    this.#waited_s += waited();
  }

  #isHotter(cool_C: number): boolean {
    const { temperature_C = null } = this.#uuid === null ? {} : (this.#addon.clockState({ device: this.#uuid }) ?? {});
    this.#reportsTemperature = temperature_C !== null;
    return temperature_C !== null && temperature_C > cool_C;
  }

  #coolingFact(cool_C: number): string {
    if (this.#uuid === null) return 'no temperature limit: there is no GPU';
    if (!this.#reportsTemperature) return 'no temperature limit: this GPU reports no temperature';
    return `waited ${this.#waited_s.toFixed(1)} s for ${cool_C} °C${this.#gaveUp ? ', which was not reached' : ''}`;
  }

  /** Unlocks the clock if it was locked. */
  close(): void {
    if (this.#uuid !== null && this.#lock?.startsWith('locked') === true) {
      this.#addon.lockClocks({ device: this.#uuid, sm_MHz: null });
    }
  }

  /** Facts for the report. */
  get facts(): readonly (readonly [string, string])[] {
    const { cool_C } = this.#requested;
    return [
      ...(this.#lock === null ? [] : [['GPU clock', this.#lock] as const]),
      ...(cool_C === null ? [] : [['Cooling', this.#coolingFact(cool_C)] as const]),
    ];
  }
}
