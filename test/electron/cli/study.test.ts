/** `braggbench study plan`: points, their cost, points that cannot be run; nothing is saved. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

const folder = scratchFolder('study');
const inFolder = (name: string): string => path.join(folder, name);
const call = (...words: readonly string[]): Promise<Ended> =>
  braggbenchHere(['study', ...words], { cwd: folder, environment: environmentWith(inFolder('home')) });

const small = {
  kind: 'transport',
  version: 1,
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 320 },
  solver: { stepping: 'depth', variant: 'depth', threads: 1 },
};

beforeAll(async () => {
  await writeFile(inFolder('small.json'), JSON.stringify({ ...small, beam: {} }));
  await writeFile(
    inFolder('energies.yaml'),
    `kind: study
version: 1
name: Energies
base:
  - file: small.json
axes:
  - { kind: range, path: beam.energy_MeV, from: 30, to: 60, count: 4 }
  - { kind: list, path: solver.precision, values: [fp32, fp64] }
conditions:
  - beam.energy_MeV < 60 || solver.precision == "fp64"
`,
  );
  await writeFile(
    inFolder('far.yaml'),
    'kind: study\nversion: 1\nbase: [{ file: small.json }]\naxes:\n  - { kind: list, path: beam.energy_MeV, values: [40, 4000] }\n',
  );
  await writeFile(
    inFolder('bad.yaml'),
    'kind: study\nversion: 1\nbase: [{ file: small.json }]\naxes:\n  - { kind: rnage }\n',
  );
});

const planSchema = z.looseObject({
  state_bytes: z.number().positive(),
  least_s: z.number().positive(),
  combinations: z.number(),
  forecast: z.looseObject({ expected_s: z.number().positive(), machine: z.string(), isLeast: z.literal(false) }),
  points: z.array(z.looseObject({ id: z.string(), settings: z.record(z.string(), z.unknown()) })),
});

test('points, memory and least time of a study whose axes complete its base scenario', async () => {
  const { code, stdout } = await call('plan', 'energies.yaml', '--json');
  expect(code).toBe(0);
  const plan = planSchema.parse(JSON.parse(stdout));
  expect([plan.points.length, plan.combinations]).toEqual([7, 8]);
  expect(plan.points[6]?.settings).toEqual({ 'beam.energy_MeV': 60, 'solver.precision': 'fp64' });
  const told = await call('plan', 'energies.yaml');
  expect(told.stdout).toMatch(
    /^Energies\n7 points of 8 combinations \(1 left out by conditions\)\nMemory of a point: up to /,
  );
  expect(told.stdout).toMatch(/Time: at least .* one after the other/);
  expect(told.stdout).toMatch(
    /On .* \(.*\d+ cores?\): about .*, (\d+ points|one point) at a time, up to .*, estimated from (one|[2-4]) trial points?/,
  );
});

test('a point that cannot be run is named with why', async () => {
  const { code, stdout } = await call('plan', 'far.yaml');
  expect(code).toBe(2);
  expect(stdout).toMatch(/cannot be run [0-9a-f]{16} \(beam\.energy_MeV = 4000\): .*too large; allowed/);
});

test('faults of the file are named at their lines, and nothing else is said', async () => {
  const { code, stdout, stderr } = await call('plan', 'bad.yaml');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/bad\.yaml:5:\d+: axes\[0\]\.kind: "rnage" is not known \(did you mean range\?\)/);
  expect((await call('plan', 'nowhere.yaml')).stderr).toMatch(/nowhere\.yaml: there is no such file/);
  expect((await call('paln', 'bad.yaml')).stderr).toMatch(/"paln" is not known; allowed: plan/);
});
