/** `braggbench batch`: the answers of single runs, each failure alone. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { parseSweep } from '../../../electron/cli/sweep.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

const folder = scratchFolder('batch');
const inFolder = (name: string): string => path.join(folder, name);
const options = () => ({ cwd: folder, environment: environmentWith(inFolder('home')) });
const call = (words: readonly string[]): Promise<Ended> => braggbenchHere(words, options());

const small = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 40 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 320 },
  solver: { stepping: 'depth', variant: 'depth', threads: 1 },
};

beforeAll(async () => {
  await writeFile(inFolder('small.json'), JSON.stringify(small));
  await writeFile(inFolder('broken.json'), '{"kind": "transport", ');
});

const beamSchema = z.looseObject({
  name: z.string(),
  status: z.enum(['done', 'cancelled', 'failed', 'not begun']),
  metrics: z.looseObject({}).optional(),
  ledger: z.unknown().optional(),
});
const batchSchema = z.strictObject({ wall_s: z.number(), beams: z.array(beamSchema) });

test('beams have the bits of single runs, in the order that was asked for', async () => {
  const energies = [30, 35.5, 41];
  const { code, stdout } = await call(['batch', 'small.json', '--sweep', `beam.energy_MeV=${energies}`, '--json']);
  expect(code).toBe(0);
  const { beams } = batchSchema.parse(JSON.parse(stdout));
  expect(beams.map(({ name }) => name)).toEqual(energies.map((energy) => `small beam.energy_MeV=${energy}`));
  for (const [i, energy] of energies.entries()) {
    const single = await call(['run', 'small.json', '--set', `beam.energy_MeV=${energy}`, '--json']);
    const { metrics, ledger } = z.looseObject({}).parse(JSON.parse(single.stdout));
    expect(beams[i]?.metrics).toEqual(metrics);
    expect(beams[i]?.ledger).toEqual(ledger);
  }
});

test('beams on one grid: the fastest has the bits of a single run, range and falloff of the others are near', async () => {
  const energies = [36.5, 41, 38];
  const shared = [
    'batch',
    'small.json',
    '--one-grid',
    '--sweep',
    `beam.energy_MeV=${energies}`,
    '--csv',
    'one.csv',
    '--json',
  ];
  const { code, stdout, stderr } = await call(shared);
  expect(stderr).toContain('one.csv');
  expect(code).toBe(0);
  const { beams } = batchSchema.parse(JSON.parse(stdout));
  expect(beams.map(({ name }) => name)).toEqual(energies.map((energy) => `small beam.energy_MeV=${energy}`));
  const readouts = z.looseObject({ r80_mm: z.number(), w80_20_mm: z.number(), energy_deposited_MeV: z.number() });
  for (const [i, energy] of energies.entries()) {
    const single = await call(['run', 'small.json', '--set', `beam.energy_MeV=${energy}`, '--json']);
    const alone = z.looseObject({ metrics: readouts, ledger: z.unknown() }).parse(JSON.parse(single.stdout));
    const together = readouts.parse(beams[i]?.metrics);
    // Cells of half a millimetre: a beam's bins begin elsewhere.
    expect(Math.abs(together.r80_mm - alone.metrics.r80_mm)).toBeLessThan(0.01);
    expect(Math.abs(together.w80_20_mm - alone.metrics.w80_20_mm)).toBeLessThan(0.02);
    expect(together.energy_deposited_MeV / alone.metrics.energy_deposited_MeV).toBeCloseTo(1, 5);
    if (energy === 41) expect([beams[i]?.metrics, beams[i]?.ledger]).toEqual([alone.metrics, alone.ledger]);
  }
  expect((await readFile(inFolder('one.csv'), 'utf8')).split('\n')[1]).toMatch(/^small beam\.energy_MeV=36\.5,0\.25,/);
});

test('beams on one grid are the spots of a scenario too', async () => {
  const spots = [{ energy_MeV: 40 }, { energy_MeV: 36, x_mm: 4 }];
  await writeFile(inFolder('field.json'), JSON.stringify({ ...small, beam: { spots } }));
  const { code, stdout } = await call(['batch', 'field.json', '--one-grid', '--json']);
  expect(code).toBe(0);
  const { beams } = batchSchema.parse(JSON.parse(stdout));
  expect(beams.map(({ name, status }) => [name, status])).toEqual([
    ['field spot 1', 'done'],
    ['field spot 2', 'done'],
  ]);
});

test('one grid is refused for what it cannot hold, with what is allowed', async () => {
  const refused = async (...words: string[]) => {
    const { code, stderr } = await call(['batch', 'small.json', '--one-grid', ...words]);
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await refused('--sweep', 'grid.dx_mm=1,0.5')).toMatch(/grid\.dx_mm needs a grid for each value/);
  expect(await refused()).toMatch(/has no beam\.spots/);
  expect(await refused('small.json', '--sweep', 'beam.energy_MeV=30,31')).toMatch(/several scenarios; allowed: one/);
  expect(await refused('--lanes', '2', '--sweep', 'beam.energy_MeV=30,31')).toMatch(/solver\.threads says it/);
  // On the CPU no GPU shares them, whether there is one or not.
  expect(await refused('--gpus', 'all', '--sweep', 'beam.energy_MeV=30,31')).toMatch(/GPUs? (can be used|were named)/);
  expect(await refused('--sweep', 'beam.energy_MeV=30,0.2')).toMatch(/beam\.spots\[1\]\.energy_MeV.*0\.2/);
  expect(await refused('--sweep', 'beam.energy_MeV=30,31', '--set', 'physics.nuclear=attenuation')).toMatch(
    /physics\.nuclear.*allowed: off/,
  );
});

test('a beam that fails does so alone, with its name and why', async () => {
  const words = ['batch', 'small.json', 'broken.json', 'simple-cubic-1024', 'nowhere.json'];
  const { code, stdout } = await call(words);
  expect(code).toBe(1);
  const line = (name: string): string => stdout.split('\n').find((one) => one.startsWith(name)) ?? '';
  expect(line('small')).toMatch(/depth +\d+\.\d\d mm/);
  expect(line('broken')).toMatch(/broken\.json/);
  expect(line('simple-cubic-1024')).toMatch(/a batch is of beams/);
  expect(line('nowhere')).toMatch(/there is no such file/);
  expect(stdout).toContain('1 of 4 beams');
  expect(stdout).toContain('3 without an answer');
});

test('a beam whose peak lies behind the box says where its protons went', async () => {
  const { code, stdout } = await call(['batch', 'small.json', '--sweep', 'geometry.depth_mm=8,20']);
  expect(code).toBe(0);
  const [short = '', long = ''] = [8, 20].map((depth) =>
    stdout.split('\n').find((line) => line.includes(`geometry.depth_mm=${depth} `)),
  );
  expect(short).toMatch(/ – .*\d(\.\d+)? % out in depth$/);
  expect(long).not.toContain('out in depth');
});

test('depth doses are written as a table, and hold the energy', async () => {
  const words = ['batch', 'small.json', '--sweep', 'beam.energy_MeV=30..40/2', '--csv', 'curves.csv'];
  expect((await call(words)).code).toBe(0);
  const [title, ...rows] = (await readFile(inFolder('curves.csv'), 'utf8')).trim().split('\n');
  expect(title).toBe('beam,depth_mm,dose_MeV_per_mm');
  const sum = (name: string): number =>
    rows.filter((row) => row.startsWith(`${name},`)).reduce((all, row) => all + 0.5 * Number(row.split(',')[2]), 0);
  expect(sum('small beam.energy_MeV=30')).toBeCloseTo(30, 2);
  expect(sum('small beam.energy_MeV=40')).toBeCloseTo(40, 2);
});

test('an interrupted batch keeps what has ended, and says what was not begun', async () => {
  const words = ['batch', 'small.json', '--sweep', 'beam.energy_MeV=30..60/4000', '--lanes', '1', '--json'];
  const environment = environmentWith(inFolder('home'), { TERM: 'xterm' });
  const { code, stdout } = await braggbenchHere(words, { cwd: folder, environment, interruptAtText: ' of 4000 beams' });
  expect(code).toBe(130);
  const { beams } = batchSchema.parse(JSON.parse(stdout));
  expect(beams).toHaveLength(4000);
  const begun = beams.filter(({ status }) => status === 'done').length;
  expect(begun).toBeGreaterThan(0);
  expect(begun).toBeLessThan(4000);
  expect(beams.at(-1)?.status).toBe('not begun');
});

test('a beam that was interrupted on its way has no curve and is not counted: half a dose looks like a whole one', async () => {
  const words = ['batch', 'small.json', 'water-200MeV', '--lanes', '2', '--csv', 'half.csv'];
  const environment = environmentWith(inFolder('home'), { TERM: 'xterm' });
  const { code, stdout } = await braggbenchHere(words, { cwd: folder, environment, interruptAtText: ' 1 of 2 beams' });
  expect(code).toBe(130);
  expect(stdout).toMatch(/water-200MeV .*cancelled/);
  expect(stdout).toMatch(/1 of 2 beams .*1 without an answer/);
  const [, ...rows] = (await readFile(inFolder('half.csv'), 'utf8')).trim().split('\n');
  expect(new Set(rows.map((row) => row.split(',')[0]))).toEqual(new Set(['small']));
});

test('files of one name in two folders are told apart', async () => {
  for (const [patient, energy_MeV] of [
    ['anna', 20],
    ['bert', 25],
  ] as const) {
    await mkdir(inFolder(patient), { recursive: true });
    await writeFile(inFolder(`${patient}/beam.json`), JSON.stringify({ ...small, beam: { energy_MeV } }));
  }
  const words = ['batch', 'anna/beam.json', 'bert/beam.json', 'small.json', '--csv', 'patients.csv', '--json'];
  const { beams } = batchSchema.parse(JSON.parse((await call(words)).stdout));
  expect(beams.map(({ name }) => name)).toEqual(['anna/beam.json', 'bert/beam.json', 'small']);
  const table = await readFile(inFolder('patients.csv'), 'utf8');
  expect(table).toMatch(/^anna\/beam\.json,/m);
});

test('ranges of a sweep are even, with their ends exact', () => {
  expect(parseSweep('beam.energy_MeV=60..80/5').values).toEqual([60, 65, 70, 75, 80]);
  expect(parseSweep('beam.energy_MeV=0.1..0.3/3').values.at(-1)).toBe(0.3);
  expect(parseSweep('a=-1..1/3').values).toEqual([-1, 0, 1]);
  expect(() => parseSweep('a=1..2/1')).toThrow(/2 to 1000000/);
  expect(() => parseSweep('a=1..x/3')).toThrow(/not a list of numbers/);
  expect(() => parseSweep('a=1..2')).toThrow(/not a list of numbers/);
});

test('a number of lanes that cannot be is refused', async () => {
  const { code, stderr } = await call(['batch', 'small.json', '--lanes', '0']);
  expect([code, stderr.includes('allowed: 1 to 1024')]).toEqual([2, true]);
});

test('names of files that a spreadsheet would compute are told to be text', async () => {
  await writeFile(inFolder('=1+1.json'), JSON.stringify({ ...small, beam: { energy_MeV: 20 } }));
  const { code } = await call(['batch', '=1+1.json', '--csv', 'curves.csv', '--force']);
  expect(code).toBe(0);
  const [, line = ''] = (await readFile(inFolder('curves.csv'), 'utf8')).split('\n');
  expect(line).toMatch(/^'=1\+1,/);
});
