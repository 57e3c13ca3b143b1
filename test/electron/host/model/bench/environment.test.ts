/** Under what sessions are measured. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { environmentFacts, environmentSchema } from '../../../../../electron/contract/bench/environment.ts';
import type { ClockState } from '../../../../../electron/contract/devices.ts';
import {
  environmentOf,
  governorOf,
  isDirty,
  OtherLoad,
  unknownSurroundings,
} from '../../../../../electron/host/model/bench/environment.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const scratch = scratchFolder('environment');

test('a checkout is dirty once a source differs, not a recording; a folder without one does not say', async () => {
  const root = path.join(scratch, 'checkout');
  mkdirSync(root);
  expect(await isDirty(root)).toBeNull();
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { stdio: 'ignore' });
  writeFileSync(path.join(root, 'file'), 'one');
  git('init');
  mkdirSync(path.join(root, 'assets/runs'), { recursive: true });
  writeFileSync(path.join(root, 'assets/runs/session.json'), 'old');
  git('add', 'file', 'assets');
  git('commit', '-m', 'one');
  writeFileSync(path.join(root, 'untracked'), '');
  writeFileSync(path.join(root, 'assets/runs/session.json'), 'another recording');
  expect(await isDirty(root)).toBe(false);
  writeFileSync(path.join(root, 'file'), 'other');
  expect(await isDirty(root)).toBe(true);
});

test('governors of all cores are named once each', () => {
  for (const [core, governor] of ['performance', 'powersave', 'performance'].entries()) {
    const folder = path.join(scratch, `cpus/cpu${core}/cpufreq`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'scaling_governor'), `${governor}\n`);
  }
  expect(governorOf(path.join(scratch, 'cpus'), 4)).toBe('performance, powersave');
  expect(governorOf(path.join(scratch, 'none'), 4)).toBeNull();
});

test('another process at work is load, and a moment says nothing', async () => {
  const load = new OtherLoad();
  expect(load.cores()).toBeNull();
  const other = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  try {
    await wait(1500);
    expect(load.cores()).toBeGreaterThan(0.4);
  } finally {
    other.kill();
  }
});

const state = (parts: Partial<ClockState>): ClockState => ({
  ...{ sm_MHz: 1980, memory_MHz: null, power_W: null, powerLimit_W: null, temperature_C: null },
  ...{ reasons: [], throttled: false },
  ...parts,
});

test('readings of all samples are one range each, in words that name the limit', () => {
  const before = state({ power_W: 120.4, powerLimit_W: 700, temperature_C: 41 });
  const after = state({ sm_MHz: 1755, power_W: 699.6, powerLimit_W: 700, temperature_C: 66 });
  const known = {
    ...unknownSurroundings,
    ecc: true,
    persistence: false,
    dirty: true,
    governor: 'powersave',
    versions: { CUDA: '13.0' },
  };
  const found = environmentOf(known, 1.26, [{ clocks: { before, after } }, { clocks: { before: null, after: null } }]);
  expect(environmentSchema.parse(found)).toEqual(found);
  expect(found.gpu).toMatchObject({ sm_MHz: { low: 1755, high: 1980 }, memory_MHz: null });
  expect(environmentFacts(found, 16)).toEqual([
    [
      'GPU while measured',
      '1755 to 1980 MHz · 120 to 700 W, limit 700 W · 41 to 66 °C · ECC on · persistence mode off',
    ],
    ['Other programs', '1.3 of 16 cores; times are inflated'],
    ['Clock of the CPU', 'powersave'],
    ['Sources', 'changed since the commit'],
    ['Libraries', 'CUDA 13.0'],
  ]);
});

test('without a GPU, a checkout or time to tell nothing is said', () => {
  const found = environmentOf(unknownSurroundings, null, [{ clocks: { before: null, after: null } }]);
  expect(found.gpu).toBeNull();
  expect(environmentFacts(found, 16)).toEqual([]);
  expect(environmentFacts(undefined, 16)).toEqual([]);
});
