/**
 * Locked clocks, and waiting until a GPU has cooled: applied with sufficient permissions, otherwise reported as not
 * applied. Also the energy of a run, with counters that wrap, that cannot be read, and that do not advance.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ClockState } from '../../../../../../electron/contract/capabilities.ts';
import {
  measureEnergy_J,
  openGpuCounter,
  openProcessorCounter,
} from '../../../../../../electron/host/model/bench/conditions/energy.ts';
import { SteadyGpu } from '../../../../../../electron/host/model/bench/conditions/steady.ts';
import { scratchFolder } from '../../../../../scratch-folder.ts';

describe('steady conditions', () => {
  function createFakeGpu(why: string | null, temperatures: number[] = []) {
    const asked: (number | null)[] = [];
    const addon = {
      lockClocks: ({ sm_MHz }: { sm_MHz: number | null }) => {
        asked.push(sm_MHz);
        return why;
      },
      clockState: () => ({ temperature_C: temperatures.shift() ?? null }) as ClockState,
    };
    return { addon, asked, temperatures };
  }

  test('a clock lock is reported, and released when the session ends', () => {
    const { addon, asked } = createFakeGpu(null);
    const steady = new SteadyGpu(addon, 'GPU-1', { lock_MHz: 1500, cool_C: null });
    expect(steady.facts).toEqual([['GPU clock', 'locked at 1500 MHz']]);
    steady.close();
    expect(asked).toEqual([1500, null]);
  });

  test('without the permission or a GPU, the session reports it and unlocks nothing', () => {
    const { addon, asked } = createFakeGpu('Insufficient Permissions');
    const refused = new SteadyGpu(addon, 'GPU-1', { lock_MHz: 1500, cool_C: null });
    refused.close();
    expect(refused.facts).toEqual([
      ['GPU clock', 'not locked (Insufficient Permissions); as root: nvidia-smi --lock-gpu-clocks=1500,1500'],
    ]);
    expect(asked).toEqual([1500]);
    const none = new SteadyGpu(addon, null, { lock_MHz: 1500, cool_C: 50 });
    expect(none.facts).toEqual([
      ['GPU clock', 'not locked: there is no GPU'],
      ['Cooling', 'no temperature limit: there is no GPU'],
    ]);
    const left = new SteadyGpu(addon, 'GPU-1', { lock_MHz: null, cool_C: null });
    left.close();
    expect(left.facts).toEqual([]);
    expect(asked).toEqual([1500]);
  });

  test('a round waits until the GPU is cool enough, unless the session is cancelled', async () => {
    const { addon, temperatures } = createFakeGpu(null, [71, 65, 60]);
    const steady = new SteadyGpu(addon, 'GPU-1', { lock_MHz: null, cool_C: 60 });
    await steady.waitUntilCool(() => false);
    expect(temperatures).toEqual([]);
    expect(steady.facts[0]?.[1]).toMatch(/^waited (?:0\.[4-9]|[1-9][\d.]*) s for 60 °C/);
    await steady.waitUntilCool(() => false);
    expect(steady.facts).toEqual([['Cooling', 'no temperature limit: this GPU reports no temperature']]);
    temperatures.push(90);
    await steady.waitUntilCool(() => true);
    expect(temperatures).toEqual([90]);
  });
});

describe('energy counters', () => {
  const scratch = scratchFolder('energy');

  function writePowercapZone(name: string, microjoules: readonly number[]): string {
    const folder = path.join(scratch, name);
    for (const [i, value] of microjoules.entries()) {
      // The energy of a core is included in that of its package.
      for (const zone of [`intel-rapl:${i}`, `intel-rapl:${i}:0`]) {
        mkdirSync(path.join(folder, zone), { recursive: true });
        writeFileSync(path.join(folder, zone, 'max_energy_range_uj'), '1000000000\n');
        writeFileSync(path.join(folder, zone, 'energy_uj'), `${value}\n`);
      }
    }
    return folder;
  }

  test('are summed over processors, and lose nothing when a counter wraps', () => {
    const folder = writePowercapZone('two', [999_000_000, 5_000_000]);
    const counter = openProcessorCounter(folder);
    if (typeof counter === 'string') throw new Error(counter);
    const before = counter.read() ?? Number.NaN;
    writeFileSync(path.join(folder, 'intel-rapl:0/energy_uj'), '3000000\n');
    writeFileSync(path.join(folder, 'intel-rapl:1/energy_uj'), '7500000\n');
    expect((counter.read() ?? Number.NaN) - before).toBeCloseTo(4 + 2.5, 9);
  });

  test('are explained in one sentence if they are missing', () => {
    expect(openProcessorCounter(path.join(scratch, 'none'))).toContain('no RAPL counters');
    const folder = writePowercapZone('closed', [1]);
    rmSync(path.join(folder, 'intel-rapl:0/energy_uj'));
    expect(openProcessorCounter(folder)).toContain('as root, chmod a+r');
    if (process.getuid?.() !== 0) {
      const own = writePowercapZone('rights', [1]);
      chmodSync(path.join(own, 'intel-rapl:0/energy_uj'), 0);
      expect(openProcessorCounter(own)).toContain('as root, chmod a+r');
    }
    expect(openGpuCounter({ clockState: () => null }, 'GPU-1')).toContain('NVML reports no energy');
  });

  test('give the energy of a run as their difference over all repetitions', async () => {
    let joules = 1000;
    const state = (): ClockState =>
      ({ ...{ sm_MHz: 1, memory_MHz: 1, power_W: 1, powerLimit_W: 1 }, energy_J: joules }) as ClockState;
    const counter = openGpuCounter({ clockState: state }, 'GPU-1');
    if (typeof counter === 'string') throw new Error(counter);
    const take = async (): Promise<number> => {
      joules += 60;
      return 20;
    };
    expect(await measureEnergy_J(counter, take, 0.01)).toBeCloseTo(3, 9);
    expect(await measureEnergy_J(counter, async () => 20, 0)).toBeNull();
    expect(await measureEnergy_J(counter, async () => null, 0)).toBeNull();
  });
});
