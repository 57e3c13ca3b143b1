/** Energy of a run: counters that wrap, that cannot be read, and that do not advance. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ClockState } from '../../../../../../electron/contract/devices.ts';
import {
  energyOf,
  gpuCounter,
  processorCounter,
} from '../../../../../../electron/host/model/bench/conditions/energy.ts';
import { scratchFolder } from '../../../../../scratch-folder.ts';

const scratch = scratchFolder('energy');

function powercap(name: string, microjoules: readonly number[]): string {
  const folder = path.join(scratch, name);
  for (const [i, value] of microjoules.entries()) {
    // A core's share is in its package's already.
    for (const zone of [`intel-rapl:${i}`, `intel-rapl:${i}:0`]) {
      mkdirSync(path.join(folder, zone), { recursive: true });
      writeFileSync(path.join(folder, zone, 'max_energy_range_uj'), '1000000000\n');
      writeFileSync(path.join(folder, zone, 'energy_uj'), `${value}\n`);
    }
  }
  return folder;
}

test('processors add up, and a counter that begins again loses nothing', () => {
  const folder = powercap('two', [999_000_000, 5_000_000]);
  const counter = processorCounter(folder);
  if (typeof counter === 'string') throw new Error(counter);
  const before = counter.read() ?? Number.NaN;
  writeFileSync(path.join(folder, 'intel-rapl:0/energy_uj'), '3000000\n');
  writeFileSync(path.join(folder, 'intel-rapl:1/energy_uj'), '7500000\n');
  expect((counter.read() ?? Number.NaN) - before).toBeCloseTo(4 + 2.5, 9);
});

test('why there is no counter is one sentence', () => {
  expect(processorCounter(path.join(scratch, 'none'))).toContain('no RAPL counters');
  const folder = powercap('closed', [1]);
  rmSync(path.join(folder, 'intel-rapl:0/energy_uj'));
  expect(processorCounter(folder)).toContain('as root, chmod a+r');
  if (process.getuid?.() !== 0) {
    const own = powercap('rights', [1]);
    chmodSync(path.join(own, 'intel-rapl:0/energy_uj'), 0);
    expect(processorCounter(own)).toContain('as root, chmod a+r');
  }
  expect(gpuCounter({ clockState: () => null }, 'GPU-1')).toContain('NVML reads no energy');
});

test("a run's energy is the counter's difference over all repetitions", async () => {
  let joules = 1000;
  const state = (): ClockState =>
    ({ ...{ sm_MHz: 1, memory_MHz: 1, power_W: 1, powerLimit_W: 1 }, energy_J: joules }) as ClockState;
  const counter = gpuCounter({ clockState: state }, 'GPU-1');
  if (typeof counter === 'string') throw new Error(counter);
  const take = async (): Promise<number> => {
    joules += 60;
    return 20;
  };
  expect(await energyOf(counter, take, 0.01)).toBeCloseTo(3, 9);
  expect(await energyOf(counter, async () => 20, 0)).toBeNull();
  expect(await energyOf(counter, async () => null, 0)).toBeNull();
});
