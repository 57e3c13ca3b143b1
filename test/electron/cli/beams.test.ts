/**
 * `braggbench batch`: the same results as single runs, and one failed beam fails no other. `braggbench commission`: a
 * beam from a measured depth dose, saved as a scenario; and unusable files. `braggbench sobp`: printed and written
 * output, and rejected input.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseSweep } from '../../../electron/cli/arguments.ts';
import { topasBeam } from '../../../renderer/data/topas.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { onPosix } from '../../unless.ts';
import { braggbench, braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

describe('braggbench batch', () => {
  const folder = scratchFolder('batch');
  const inFolder = (name: string): string => path.join(folder, name);
  const options = () => ({ cwd: folder, environment: environmentWith(inFolder('home')) });
  const call = (words: readonly string[]): Promise<CommandResult> => braggbenchInProcess(words, options());

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

  test('batched beams equal single runs bit for bit, in the requested order', async () => {
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

  test('beams on one grid: the fastest equals a single run bit for bit; range and falloff of the others are close', async () => {
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
      // On a shared grid with cells of half a millimetre, the energy bins of a beam begin elsewhere, so that readouts
      // differ slightly.
      expect(Math.abs(together.r80_mm - alone.metrics.r80_mm)).toBeLessThan(0.01);
      expect(Math.abs(together.w80_20_mm - alone.metrics.w80_20_mm)).toBeLessThan(0.02);
      expect(together.energy_deposited_MeV / alone.metrics.energy_deposited_MeV).toBeCloseTo(1, 5);
      if (energy === 41) expect([beams[i]?.metrics, beams[i]?.ledger]).toEqual([alone.metrics, alone.ledger]);
    }
    expect((await readFile(inFolder('one.csv'), 'utf8')).split('\n')[1]).toMatch(
      /^small beam\.energy_MeV=36\.5,0\.25,/,
    );
  });

  test('beams on one grid can come from the spots of a scenario', async () => {
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

  test('readouts of a sweep are columns, which a single run confirms, and depth doses of each beam', async () => {
    const words = ['batch', 'small.json', '--readouts', '--sweep', 'beam.energy_MeV=36..41/11', '--csv', 'doses.csv'];
    const { code, stdout } = await call([...words, '--json']);
    expect(code).toBe(0);
    const numbers = z.array(z.number());
    const { columns, variant, beams } = z
      .looseObject({
        ...{ variant: z.string(), beams: z.number() },
        columns: z.looseObject({ 'beam.energy_MeV': numbers, r80_mm: numbers, energy_deposited_MeV: numbers }),
      })
      .parse(JSON.parse(stdout));
    expect([variant, beams, columns['beam.energy_MeV'].length]).toEqual(['moments', 11, 11]);
    const [energy, r80] = [columns['beam.energy_MeV'][4] ?? 0, columns.r80_mm[4] ?? 0];
    const single = await call([
      'run',
      'small.json',
      '--variant',
      'moments',
      '--set',
      `beam.energy_MeV=${energy}`,
      '--json',
    ]);
    const { metrics } = z
      .looseObject({ metrics: z.looseObject({ r80_mm: z.number() }) })
      .parse(JSON.parse(single.stdout));
    expect(Math.abs(r80 - metrics.r80_mm)).toBeLessThan(0.01);
    expect((columns.energy_deposited_MeV[4] ?? 0) / energy).toBeCloseTo(1, 4);
    const lines = (await readFile(inFolder('doses.csv'), 'utf8')).trim().split('\n');
    expect(new Set(lines.slice(1).map((line) => line.split(',')[0])).size).toBe(11);
    // A sweep over ranges works too: the program finds the energy for each range.
    const byRange = await call(['batch', 'small.json', '--readouts', '--sweep', `beam.range_mm=12,14,16`]);
    expect(byRange.code).toBe(0);
    expect(byRange.stdout).toMatch(/3 beams in .* a second/);
    const table = await call(['batch', 'small.json', '--readouts', '--sweep', 'beam.energy_MeV=36..41/11']);
    expect(table.stdout).toContain(`${energy} `);
    for (const [refused, reason] of [
      [
        ['--variant', 'depth', '--sweep', 'beam.energy_MeV=36..41/11'],
        /solves whole maps; allowed: moments or cuda-moments/,
      ],
      [['--sweep', 'beam.energy_MeV=0.2..41/11'], /beam\.spots\[0\]\.energy_MeV.*0\.2/],
      [['--sweep', 'grid.dx_mm=1,0.5'], /needs a separate grid for each value/],
      [['--gpus', 'all', '--sweep', 'beam.energy_MeV=36..41/11'], /one GPU/],
      [['--lanes', '2', '--sweep', 'beam.energy_MeV=36..41/11'], /use solver\.threads/],
    ] as const) {
      const { code, stderr } = await call(['batch', 'small.json', '--readouts', ...refused]);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(reason);
    }
  });

  test('one grid is rejected for beams that do not fit it, and the message states what is allowed', async () => {
    const refused = async (...words: string[]) => {
      const { code, stderr } = await call(['batch', 'small.json', '--one-grid', ...words]);
      expect(code).not.toBe(0);
      return stderr;
    };
    expect(await refused('--sweep', 'grid.dx_mm=1,0.5')).toMatch(/grid\.dx_mm needs a separate grid for each value/);
    expect(await refused()).toMatch(/has no beam\.spots/);
    expect(await refused('small.json', '--sweep', 'beam.energy_MeV=30,31')).toMatch(
      /several scenarios given; allowed: one/,
    );
    expect(await refused('--lanes', '2', '--sweep', 'beam.energy_MeV=30,31')).toMatch(/use solver\.threads/);
    // `--gpus` is rejected on the CPU, with or without a GPU in the machine.
    expect(await refused('--gpus', 'all', '--sweep', 'beam.energy_MeV=30,31')).toMatch(
      /GPUs? (can be used|were named)/,
    );
    expect(await refused('--sweep', 'beam.energy_MeV=30,0.2')).toMatch(/beam\.spots\[1\]\.energy_MeV.*0\.2/);
    expect(await refused('--sweep', 'beam.energy_MeV=30,31', '--set', 'physics.nuclear=attenuation')).toMatch(
      /physics\.nuclear.*allowed: off/,
    );
  });

  test('a failing beam does not affect the others, and is reported by name and reason', async () => {
    const words = ['batch', 'small.json', 'broken.json', 'simple-cubic-1024', 'nowhere.json'];
    const { code, stdout } = await call(words);
    expect(code).toBe(1);
    const line = (name: string): string => stdout.split('\n').find((one) => one.startsWith(name)) ?? '';
    expect(line('small')).toMatch(/depth +\d+\.\d\d mm/);
    expect(line('broken')).toMatch(/broken\.json/);
    expect(line('simple-cubic-1024')).toMatch(/a batch needs beams/);
    expect(line('nowhere')).toMatch(/there is no such file/);
    expect(stdout).toContain('1 of 4 beams');
    expect(stdout).toContain('3 failed');
  });

  test('a beam whose peak lies beyond the box reports where its protons left', async () => {
    const { code, stdout } = await call(['batch', 'small.json', '--sweep', 'geometry.depth_mm=8,20']);
    expect(code).toBe(0);
    const [short = '', long = ''] = [8, 20].map((depth) =>
      stdout.split('\n').find((line) => line.includes(`geometry.depth_mm=${depth} `)),
    );
    expect(short).toMatch(/ – .*\d(\.\d+)? % escaped in depth$/);
    expect(long).not.toContain('escaped in depth');
  });

  test('depth doses are written as a table and conserve energy', async () => {
    const words = ['batch', 'small.json', '--sweep', 'beam.energy_MeV=30..40/2', '--csv', 'curves.csv'];
    expect((await call(words)).code).toBe(0);
    const [title, ...rows] = (await readFile(inFolder('curves.csv'), 'utf8')).trim().split('\n');
    expect(title).toBe('beam,depth_mm,dose_MeV_per_mm');
    const sum = (name: string): number =>
      rows.filter((row) => row.startsWith(`${name},`)).reduce((all, row) => all + 0.5 * Number(row.split(',')[2]), 0);
    expect(sum('small beam.energy_MeV=30')).toBeCloseTo(30, 2);
    expect(sum('small beam.energy_MeV=40')).toBeCloseTo(40, 2);
  });

  test('an interrupted batch keeps finished beams, and lists beams that were not started', async () => {
    const words = ['batch', 'small.json', '--sweep', 'beam.energy_MeV=30..60/4000', '--lanes', '1', '--json'];
    const environment = environmentWith(inFolder('home'), { TERM: 'xterm' });
    const { code, stdout } = await braggbenchInProcess(words, {
      cwd: folder,
      environment,
      interruptAtText: ' of 4000 beams',
    });
    expect(code).toBe(130);
    const { beams } = batchSchema.parse(JSON.parse(stdout));
    expect(beams).toHaveLength(4000);
    const begun = beams.filter(({ status }) => status === 'done').length;
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(4000);
    expect(beams.at(-1)?.status).toBe('not begun');
  });

  test('an interrupted beam has no curve and is not counted, since an incomplete dose looks like a complete one', async () => {
    const words = ['batch', 'small.json', 'water-200MeV', '--lanes', '2', '--csv', 'half.csv'];
    words.push('--set', 'solver.variant=depth');
    const environment = environmentWith(inFolder('home'), { TERM: 'xterm' });
    const { code, stdout } = await braggbenchInProcess(words, {
      cwd: folder,
      environment,
      interruptAtText: ' 1 of 2 beams',
    });
    expect(code).toBe(130);
    expect(stdout).toMatch(/water-200MeV .*cancelled/);
    expect(stdout).toMatch(/1 of 2 beams .*1 failed/);
    const [, ...rows] = (await readFile(inFolder('half.csv'), 'utf8')).trim().split('\n');
    expect(new Set(rows.map((row) => row.split(',')[0]))).toEqual(new Set(['small']));
  });

  test('files with the same name in two folders are distinguished', async () => {
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

  test('the ranges of a sweep are evenly spaced and include both ends exactly', () => {
    expect(parseSweep('beam.energy_MeV=60..80/5').values).toEqual([60, 65, 70, 75, 80]);
    expect(parseSweep('beam.energy_MeV=0.1..0.3/3').values.at(-1)).toBe(0.3);
    expect(parseSweep('a=-1..1/3').values).toEqual([-1, 0, 1]);
    expect(() => parseSweep('a=1..2/1')).toThrow(/2 to 1000000/);
    expect(() => parseSweep('a=1..x/3')).toThrow(/not a list of numbers/);
    expect(() => parseSweep('a=1..2')).toThrow(/not a list of numbers/);
  });

  test('an invalid number of lanes is rejected', async () => {
    const { code, stderr } = await call(['batch', 'small.json', '--lanes', '0']);
    expect([code, stderr.includes('allowed: 1 to 1024')]).toEqual([2, true]);
  });

  test('file names that a spreadsheet would evaluate are escaped as text', async () => {
    await writeFile(inFolder('=1+1.json'), JSON.stringify({ ...small, beam: { energy_MeV: 20 } }));
    const { code } = await call(['batch', '=1+1.json', '--csv', 'curves.csv', '--force']);
    expect(code).toBe(0);
    const [, line = ''] = (await readFile(inFolder('curves.csv'), 'utf8')).split('\n');
    expect(line).toMatch(/^'=1\+1,/);
  });
});

describe('braggbench commission', () => {
  const folder = scratchFolder('commission');
  const at = (name: string): string => path.join(folder, name);

  /** Monte Carlo's beam of 112.42 MeV, depth in cm and dose in an arbitrary unit. */
  const { depth_mm, dose } = topasBeam(112.42);
  const rows = Array.from(depth_mm, (depth, i) => `${depth / 10},${13 * (dose[i] ?? 0)}`);

  test('a measured curve produces a beam with errors, a scenario in the library, and a plot of residuals', async () => {
    writeFileSync(at('chamber.csv'), ['depth_cm,reading,valid', ...rows.map((row) => `${row},1`)].join('\n'));
    const words = ['commission', at('chamber.csv'), '--set', 'physics.stopping_power=icru90'];
    const done = await braggbench([...words, '--save', 'Gantry 1', '--svg', at('fit.svg')], {
      environment: environmentWith(folder),
    });
    expect(done.stderr).toBe('');
    expect(done.stdout).toMatch(/Energy 112\.\d{3} ± 0\.\d{3} MeV/);
    expect(done.stdout).toContain('chamber.csv: Its column "valid" is ignored.');
    const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('Gantry 1.json'),
    );
    const saved = JSON.parse(readFileSync(at(kept ?? ''), 'utf8')) as { beam: Record<string, number>; notes: string };
    expect(saved.beam['energy_MeV']).toBeGreaterThan(112);
    expect(saved.beam['energy_MeV']).toBeLessThan(112.9);
    expect(saved.notes).toContain('from chamber.csv');
    expect(readFileSync(at('fit.svg'), 'utf8')).toContain('Fitted − measured');
  });

  test.each([
    ['empty.csv', '', 'empty.csv:1: 0 points; allowed'],
    ['text.csv', ['depth_cm,reading', ...rows, '99,high'].join('\n'), 'the dose "high" is not a number'],
    ['unit.csv', rows.join('\n'), 'the unit of depth is missing; allowed: a column such as depth_mm'],
  ])('%s is rejected as bad input, with its line', async (name, text, says) => {
    writeFileSync(at(name), text);
    const { code, stderr } = await braggbenchInProcess(['commission', at(name)]);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });

  test('a missing file is named', async () => {
    const { code, stderr } = await braggbenchInProcess(['commission', at('gone.csv')]);
    expect(stderr).toContain('gone.csv: there is no such file');
    expect(code).toBe(2);
  });

  test('a pipe and an unbounded file are rejected at once', onPosix, async () => {
    execFileSync('mkfifo', [at('pipe.csv')]);
    for (const [file, says] of [
      [at('pipe.csv'), 'is a pipe, not a file'],
      ['/dev/zero', 'is larger than 1024 KiB, the maximum'],
    ]) {
      const { code, stderr } = await braggbenchInProcess(['commission', file ?? '']);
      expect(stderr).toContain(says);
      expect(code).toBe(2);
    }
  });
});

describe('braggbench sobp', () => {
  const folder = scratchFolder('sobp');

  test('a spread-out peak is printed and written as a valid scenario', async () => {
    const out = path.join(folder, 'field.json');
    const base = path.join(folder, 'base.json');
    writeFileSync(base, JSON.stringify({ kind: 'transport', version: 1, beam: { range_mm: 20, x_sigma_mm: 3 } }));
    const done = await braggbench(['sobp', base, '--range', '30', '--modulation', '6', '--width', '12', '--out', out]);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/R90 (30\.0|29\.9)\d mm, R80 30\.\d\d mm, M95 (6\.0|5\.9)\d mm/);
    expect(done.stdout).toMatch(/layers at 4 positions/);
    const { beam } = JSON.parse(readFileSync(out, 'utf8')) as { beam: { spots: object[] } };
    expect(beam).toMatchObject({ x_sigma_mm: 3 });
    expect(beam).not.toHaveProperty('range_mm');
    expect(beam.spots.length % 4).toBe(0);
    expect((await braggbenchInProcess(['validate', out])).code).toBe(0);
    const again = await braggbenchInProcess(['sobp', base, '--range', '30', '--modulation', '6', '--out', out]);
    expect(again.stderr).toContain('--force');
  });

  test('layers use the energies listed in a file, and a missed range is reported in mm', async () => {
    const list = path.join(folder, 'machine.txt');
    const energies = Array.from({ length: 30 }, (_, i) => 45 + i);
    writeFileSync(list, `energy_MeV\n${energies.join('\n')}\n`);
    const words = ['sobp', '--range', '30.3', '--modulation', '8', '--energies', list, '--weights', 'monotone'];
    const { code, stdout } = await braggbench(words);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Requested R90 30\.3 mm: the nearest available energy gives \d+\.\d\d mm\./);
    const printed = [...stdout.matchAll(/([\d.]+) MeV {2}/g)].map(([, energy]) => Number(energy));
    expect(printed.length).toBeGreaterThan(3);
    for (const energy of printed) expect(energies).toContain(energy);
  });

  test.each([
    [['--range', '30'], 'sobp needs --range and --modulation, in mm'],
    [['--range', 'far', '--modulation', '6'], '--range: far is not a length; allowed: millimetres'],
    [['--range', '3in', '--modulation', '6'], '--range: 3in is not a length; allowed: millimetres, such as 50, or 5cm'],
    [['--range', '-3cm', '--modulation', '6'], '--range: -3cm is not a length; allowed: millimetres'],
    [['--range', '3cm', '--modulation', '2.5 cm'], 'modulation_mm: 25 mm reaches the surface; allowed: at most 20 mm'],
    [['--range', '30', '--modulation', '6', '--energies', 'none.txt'], 'energies in MeV such as 70,75,80'],
    [
      ['--range', '30', '--modulation', '6', '--energies', '70,2000'],
      'line 1: 2000 is not an energy; allowed: above 0',
    ],
    [['--range', '30', '--modulation', '6', '--energies', '70', '--layer-spacing', '2'], 'give one of the two'],
    [['--range', '30', '--modulation', '6', '--weights', 'rough'], 'allowed: flattest, smooth, monotone'],
    [['--range', '30', '--modulation', '25'], 'modulation_mm: 25 mm reaches the surface; allowed: at most 20 mm'],
  ])('%j is rejected as bad input', async (words, says) => {
    const { code, stderr } = await braggbenchInProcess(['sobp', ...words]);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});
