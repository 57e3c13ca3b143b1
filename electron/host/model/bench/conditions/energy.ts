/** Measures the energy of a run with an energy counter, over seconds of consecutive runs. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { NativeAddon } from '../../../io/addon/addon.ts';

/**
 * Duration of a measurement in seconds. NVML updates its counter about ten times a second, so the error is a few per
 * cent.
 */
export const ENERGY_MEASUREMENT_S = 2;

/** Interval between readings of a processor's counter, which wraps around after a few minutes. */
const READ_INTERVAL_MS = 60_000;

interface EnergyCounter {
  /** Description of the measured device, for the report. */
  readonly of: string;
  /** Energy in joules since an arbitrary moment; null if the counter can no longer be read. */
  readonly read: () => number | null;
}

/** An energy counter, or the reason why the device has none. */
export type CounterOrReason = EnergyCounter | string;

/** Id of the quantity, and name of the fact, that state energy in a report. */
export const [ENERGY_QUANTITY, ENERGY_FACT] = ['energy', 'Energy'] as const;

/** Fact for the report about how energy was measured. */
export const counterText = ({ of }: EnergyCounter): string =>
  `${of}, idle power included, mean over ${ENERGY_MEASUREMENT_S} s of end-to-end runs`;

/** Energy counter of a whole GPU board, which includes its idle power. */
export function openGpuCounter(addon: Pick<NativeAddon, 'clockState'>, uuid: string): CounterOrReason {
  const read = (): number | null => addon.clockState({ device: uuid })?.energy_J ?? null;
  return read() === null ? 'NVML reports no energy for this GPU' : { of: "the GPU's board, by NVML", read };
}

const readNumber = (file: string): number => Number(readFileSync(file, 'utf8'));

/** Returns a function that reads one processor's counter in joules, corrected for wrap-arounds to 0. */
function openPackageCounter(folder: string): () => number {
  const file = path.join(folder, 'energy_uj');
  const end = readNumber(path.join(folder, 'max_energy_range_uj'));
  let [last, sum] = [readNumber(file), 0];
  return () => {
    const now = readNumber(file);
    sum += now >= last ? now - last : now + end - last;
    last = now;
    return sum * 1e-6;
  };
}

/**
 * Energy counter for all processors of the machine; it includes other programs. Uses RAPL of Intel and AMD under Linux.
 */
export function openProcessorCounter(folder = '/sys/class/powercap'): CounterOrReason {
  let packages: readonly string[] = [];
  try {
    packages = readdirSync(folder).filter((name) => /^intel-rapl:\d+$/.test(name));
  } catch {
    // Without this folder the system has no counters.
  }
  if (packages.length === 0) return `this system has no RAPL counters (${folder})`;
  try {
    const all = packages.map((name) => openPackageCounter(path.join(folder, name)));
    const read = (): number | null => {
      try {
        return all.reduce((sum, one) => sum + one(), 0);
      } catch {
        return null;
      }
    };
    return { of: 'the processors, by RAPL', read };
  } catch {
    return `RAPL is not readable: as root, chmod a+r ${folder}/intel-rapl:*/energy_uj`;
  }
}

/**
 * Energy of one repetition in joules. `take` runs some repetitions and returns their number, or null if cancelled.
 * Returns null if cancelled, or if the counter did not advance.
 */
export async function measureEnergy_J(
  counter: EnergyCounter,
  take: () => Promise<number | null>,
  seconds = ENERGY_MEASUREMENT_S,
): Promise<number | null> {
  let cancelled = false;
  const { did: repetitions, joules } = await measureEnergyDuring([counter], async () => {
    const began = performance.now();
    let taken = 0;
    while (!cancelled && (taken === 0 || performance.now() - began < 1000 * seconds)) {
      const some = await take();
      cancelled = some === null;
      taken += some ?? 0;
    }
    return taken;
  });
  const [counted] = joules;
  return cancelled || counted == null ? null : counted / repetitions;
}

/**
 * Energy in joules by each counter while `work` runs; null for a counter that did not advance or could not be read.
 */
export async function measureEnergyDuring<T>(
  counters: readonly EnergyCounter[],
  work: () => Promise<T>,
): Promise<{ readonly did: T; readonly seconds: number; readonly joules: readonly (number | null)[] }> {
  const read = (): readonly (number | null)[] => counters.map((counter) => counter.read());
  const [before, began] = [read(), performance.now()];
  const reading = setInterval(read, READ_INTERVAL_MS);
  try {
    const did = await work();
    const seconds = (performance.now() - began) / 1000;
    const joules = read().map((after, i) => {
      const from = before[i] ?? null;
      return from === null || after === null || after <= from ? null : after - from;
    });
    return { did, seconds, joules };
  } finally {
    clearInterval(reading);
  }
}
