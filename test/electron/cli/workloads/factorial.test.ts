/** `bench --factorial`: the variants that have each optimisation, and the table of what they give together. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../../../electron/cli/exit-codes.ts';
import { braggbenchHere, environmentWith } from '../command.ts';

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bb-cli-factorial-'));
  environment = environmentWith(path.join(folder, 'home'));
  const scenario = {
    ...{ kind: 'transport', version: 2, name: 'Small', beam: { energy_MeV: 30 } },
    geometry: { width_mm: 10, depth_mm: 10 },
    grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 80, energy: { kind: 'uniform', step_MeV: 1 } },
    solver: { threads: 1, stepping: 'path' },
    physics: { nuclear: 'off' },
  };
  await writeFile(path.join(folder, 'small.json'), JSON.stringify(scenario));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const call = (...words: string[]) => braggbenchHere(words, { cwd: folder, environment });

test('measures each combination that runs here, and prints what they give alone and together', async () => {
  const all = await call('bench', 'small.json', '--factorial', '--rounds', '1', '--processes', '0');
  expect(all.stderr).not.toMatch(/error/i);
  expect(all.code).toBe(0);
  expect(all.stdout).toMatch(/^none of them +gather@fp64 +[\d.]+ [µm]?s +1$/m);
  expect(all.stdout).toMatch(/^single precision \+ one pass \+ moving window +window@fp32 /m);
  expect(all.stdout).toContain(
    'Not measured: moving window; single precision + moving window: the window is written for the one pass.',
  );
  expect(all.stdout).toMatch(/^single precision, alone +[\d.]+× +undecided$/m);
  expect(all.stdout).toMatch(/^single precision × one pass +[\d.]+× +undecided$/m);
});

test('is refused beside --variants, and for what has no such variants', async () => {
  const both = await call('bench', 'small.json', '--factorial', '--variants', 'gather');
  expect(both.code).toBe(exitCodes.badInput);
  expect(both.stderr).toContain('--factorial names variants of its own; leave --variants out');
  const none = await call('bench', 'transpose', '--factorial');
  expect(none.code).toBe(exitCodes.badInput);
  expect(none.stderr).toMatch(/no variants of micro\/transpose are known .* known of: transport, /);
});
