/**
 * Tests the benchmark scripts: the order and expected times of the sessions of `npm run bench -- gpu`, and the parsing
 * of arguments. Targets, met or missed, are saved with machine, load and day, and read back. The costs of reactions and
 * of LET are compared with the time of the steps.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { recordSessions } from '../../../electron/build/bench/gpu.mjs';
import {
  commandWords,
  expectedDuration,
  isRecordedFrom,
  planLines,
  recordedFile,
  recordingState,
  sortByImportance,
} from '../../../electron/build/bench/gpu-plan.mjs';
import { GPU_SESSIONS } from '../../../electron/build/bench/gpu-sessions.mjs';
import { readTargets, saveTargets } from '../../../electron/build/bench/measured.ts';
import { physicsTargets } from '../../../electron/build/bench/physics-costs.mjs';
import {
  gpuImageTargets,
  gpuTargets,
  imageTargets,
  readSessions,
  targetLines,
} from '../../../electron/build/bench/targets.mjs';
import { waitsArguments } from '../../../electron/build/bench/waits.mjs';
import { median, rowsOfGpu, rowWithLowerLimit, rowWithUpperLimit } from '../../bench/waits/row.ts';
import { scratchFolder } from '../../scratch-folder.ts';

describe('the plan of GPU sessions', () => {
  const folder = scratchFolder('gpu-plan');
  const planned = (file: string, ...words: readonly string[]) => ({ file, words: ['bench', 'a', ...words] });
  const keep = (file: string, ...reports: readonly object[]): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), JSON.stringify({ created: '2026-12-01T10:00:00.000Z', reports }));
  };

  const layer = planned('linear-relu/layer.json', '--rounds', '21', '--time', '20');
  const beam = planned('h200-water.json', '--rounds', '21', '--time', '20');
  const image = planned('diffraction/h200-cubic.json', '--rounds', '21', '--time', '20');
  const never = planned('micro/sweep-scan.json', '--sweep', 'problem.n=1,2,3', '--rounds', '12', '--time', '6');
  const program = { commit: 'c0ffee' };
  keep(layer.file, { rounds: 7, elapsed_s: 3.5 });
  keep(beam.file, { rounds: 7, elapsed_s: 35, judged: {}, program });
  keep('diffraction/h100-cubic.json', { rounds: 10, elapsed_s: 1 });

  test('puts unrecorded sessions first, then those without instances; beams come before images, and images before layers', () => {
    expect([layer, beam, image, never].map((one) => recordingState(folder, one))).toEqual([
      ...['without-instances', 'recorded', 'without-instances', 'unrecorded'],
    ]);
    expect(sortByImportance(folder, [beam, layer, image, never])).toEqual([never, image, layer, beam]);
  });

  test('a signal ends the recording after the session in progress, and the others are listed', async () => {
    const started: string[] = [];
    const start = (_program: string, words: readonly string[]): Promise<number> => {
      started.push(words[words.indexOf('--out') + 1] ?? '');
      if (started.length === 2) process.emit('SIGTERM', 'SIGTERM');
      return Promise.resolve(0);
    };
    const programs = { nanobragg: null, 'smatrix-2d': null };
    const how = { kept: folder, folder, most_s: Infinity, programs };
    expect(await recordSessions([layer, beam, image, never], how, start)).toEqual({
      worst: 0,
      left: ['diffraction/h200-cubic', 'micro/sweep-scan'],
    });
    expect(started).toEqual([layer, beam].map(({ file }) => path.join(folder, file)));
  });

  test('counts the latest recording on any card, and records sessions of an earlier judge before others', () => {
    mkdirSync(path.join(folder, 'micro'), { recursive: true });
    const keepOn = (day: string, file: string): void =>
      writeFileSync(
        path.join(folder, file),
        JSON.stringify({ created: `${day}T10:00:00.000Z`, reports: [{ judged: {} }] }),
      );
    const older = planned('micro/older.json');
    keepOn('2026-11-29', 'micro/older.json');
    keepOn('2026-11-26', 'micro/h100-older.json');
    expect([recordedFile(folder, older), recordingState(folder, older)]).toEqual(['micro/older.json', 'earlier-judge']);
    expect(sortByImportance(folder, [beam, older, layer])).toEqual([layer, older, beam]);
    keepOn('2026-11-30', 'micro/h100-older.json');
    expect([recordedFile(folder, older), recordingState(folder, older)]).toEqual(['micro/h100-older.json', 'recorded']);
  });

  test('estimates a session from its recorded rounds up to its limit, or from its limits if none are recorded', () => {
    const start = expectedDuration(folder, layer).seconds - 10.5;
    expect(start).toBeGreaterThan(0);
    expect(expectedDuration(folder, image).seconds - start).toBeCloseTo(2.1, 6);
    expect(expectedDuration(folder, beam).seconds - start).toBeCloseTo(25, 6); // 20 s, plus the last round
    expect(expectedDuration(folder, never)).toEqual({ known: false, seconds: start + 18 });
    expect(planLines(folder, [never, layer]).at(-1)).toBe(
      `2 sessions, ${((2 * start + 28.5) / 60).toFixed(1)} minutes at most`,
    );
  });

  test('skips only sessions recorded by this commit when it resumes', () => {
    expect([beam, layer, never].map((one) => isRecordedFrom(folder, one, 'c0ffee'))).toEqual([true, false, false]);
    expect(isRecordedFrom(folder, beam, 'decade')).toBe(false);
    expect(isRecordedFrom(folder, beam, null)).toBe(false);
  });

  test('measures a user program only if claims refer to it', () => {
    const none = { nanobragg: null, 'smatrix-2d': null };
    const nanoBragg = { ...none, nanobragg: '/opt/nanoBragg' };
    const beside = GPU_SESSIONS.filter((one) => commandWords(one, nanoBragg) !== one.words);
    expect(beside.map(({ file }) => file)).toEqual([
      'diffraction/h200-sweep-programs.json',
      'diffraction/h200-sweep-first-runs.json',
      'diffraction/h200-programs-1024.json',
    ]);
    for (const one of beside) {
      const words = commandWords(one, nanoBragg);
      expect(words[words.indexOf('--external') + 1]).toMatch(/^torch-image,.*,nanobragg=\/opt\/nanoBragg$/);
      expect(commandWords(one, none)).toBe(one.words);
    }
    const smatrix = { ...none, 'smatrix-2d': '/smatrix/run_simulation.py' };
    const [own, ...more] = GPU_SESSIONS.filter((one) => commandWords(one, smatrix) !== one.words);
    expect([own?.file, more]).toEqual(['transport/h200-smatrix-uniform-grid-70MeV.json', []]);
    expect(own && commandWords(own, smatrix)).toContain('cupy-array,smatrix-2d=/smatrix/run_simulation.py');
  });

  test('has a session at each size for programs named in the notes, and counters for the ladder', () => {
    const wordsAfter = (file: string, flag: string): readonly string[] => {
      const words = GPU_SESSIONS.find((one) => one.file === file)?.words ?? [];
      return (words[words.indexOf(flag) + 1] ?? '').split(/[,=]/);
    };
    const layers = ['torch-eager', 'torch-eager-view', 'torch-eager-reshape', 'torch-compile'];
    for (const size of [256, 1024, 8192])
      expect(wordsAfter(`linear-relu/layer-${size}.json`, '--external')).toEqual(
        expect.arrayContaining([...layers, 'torch-compile-overhead', 'torch-compile-autotune']),
      );
    for (const file of ['diffraction/h200-sweep-first-runs.json', 'diffraction/h200-sweep-programs.json']) {
      expect(wordsAfter(file, '--external')).toEqual(expect.arrayContaining(['torch-image', 'torch-image-fp32']));
      expect(wordsAfter(file, '--sweep').slice(1)).toEqual(['256', '512', '1024', '2048', '4096']);
    }
    expect(wordsAfter('diffraction/h200-compile-cache-1024.json', '--external')).toContain(
      'torch-image-compile-cached',
    );
    expect(wordsAfter('transport/h200-loop-uniform-grid-70MeV.json', '--external')).toContain('cupy-loop');
    expect(wordsAfter('micro/launch-small.json', '--external')).toEqual(
      expect.arrayContaining(['cupy-graph', 'cupy-jit']),
    );
    const counters = GPU_SESSIONS.find(({ file }) => file === 'transport/h200-counters-uniform-grid-70MeV.json');
    expect(counters?.words).toContain('--ncu');
    const ladder = wordsAfter('h200-uniform-grid-70MeV.json', '--variants');
    expect(wordsAfter('transport/h200-counters-uniform-grid-70MeV.json', '--variants')).toEqual(ladder);
    expect(ladder).toContain('cuda-uncoalesced');
  });

  /** A session without a sweep needs at least twenty rounds for a verdict, a sweep ten for each point. */
  test('requests enough rounds for a verdict in every session', () => {
    for (const { file, words } of GPU_SESSIONS) {
      const rounds = Number(words[words.indexOf('--rounds') + 1]);
      expect(rounds, file).toBeGreaterThanOrEqual(words.includes('--sweep') ? 10 : 20);
      expect(words, file).toContain('--time');
    }
  });
});

describe('measured figures', () => {
  const root = scratchFolder('measured');
  const rows = [
    { what: 'a run', wanted: '≤ 0.5 s', measured: '0.61 s', met: false, bound: '0.30 s', ratio: '2.03×' },
    { what: 'on a GPU', wanted: '≤ 7 ms', measured: null, met: null, needs: 'a GPU: npm run bench -- gpu' },
  ];

  test('rows are saved with machine, load and date, including failed targets and unmeasured rows', async () => {
    const file = await saveTargets(root, 'cpu', { command: 'npm run bench -- cpu', load: 0.126, rows });
    expect(path.relative(root, file)).toBe(path.join('assets', 'measured', 'cpu.json'));
    const kept = readTargets(root, 'cpu');
    expect(kept).toMatchObject({
      command: 'npm run bench -- cpu',
      commit: null,
      machine: { load: 0.13, node: process.version },
    });
    expect(kept.machine.cores).toBeGreaterThan(0);
    expect(Date.parse(kept.created)).not.toBeNaN();
    expect(kept.rows).toEqual([
      { ...rows[0], needs: null },
      { ...rows[1], bound: null, ratio: null },
    ]);
  });

  test('the commit of a checkout is recorded', async () => {
    const commit = 'c'.repeat(40);
    await mkdir(path.join(root, '.git'), { recursive: true });
    await writeFile(path.join(root, '.git', 'HEAD'), `${commit}\n`);
    await saveTargets(root, 'start', { command: 'npm run bench -- start', load: 0, rows: [] });
    expect(readTargets(root, 'start').commit).toBe(commit);
  });

  test('a file in another format is rejected', async () => {
    const file = await saveTargets(root, 'maps', { command: 'npm run bench -- maps', load: 0, rows: [] });
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"format_version": 1', '"format_version": 2'));
    expect(() => readTargets(root, 'maps')).toThrow(/format_version/);
  });
});

describe('the cost of physics options', () => {
  const round = (plain: number, reactions: number, products: number, scoring: number, off = plain, again = plain) => ({
    plain: { solve_s: plain },
    reactions: { solve_s: reactions, products_s: products },
    scoring: { solve_s: scoring },
    off: { solve_s: off },
    again: { solve_s: again },
  });

  it('compares nuclear products with the steps of the same run, and stepping methods by their fastest runs', () => {
    // In the second round the machine was busy, so that every part took twice as long. In the third round, one run did.
    const rounds = [round(1, 1.05, 0.25, 1.06), round(2, 2.1, 0.5, 2.12), round(1.2, 1.5, 0.5, 1.3, 1.01, 1.8)];
    const [reactions, scoring, off, again] = physicsTargets([{ name: 'water, depth', rounds }]);
    expect(reactions).toMatchObject({ wanted: '≤ 40 %', measured: '23.8 %', met: true });
    expect(scoring).toMatchObject({ wanted: '≤ 10 %', measured: '6.0 %', met: true });
    expect(off).toMatchObject({ wanted: '±2 %', measured: '0.0 %', met: true });
    expect(again).toMatchObject({ wanted: '±2 %', measured: '0.0 %', met: true });
    const [, , slower, noisy] = physicsTargets([
      { name: 'water, depth', rounds: [round(1, 1.05, 0.25, 1.06, 1.03, 0.97)] },
    ]);
    expect(slower?.met).toBe(false);
    expect(noisy).toMatchObject({ measured: '-3.0 %', met: false });
    const [slow] = physicsTargets([{ name: 'water, window', rounds: [round(1, 1.1, 0.5, 1.2)] }]);
    expect(slow).toMatchObject({ what: 'water, window, reaction products relative to the steps', met: false });
    expect(physicsTargets([])).toEqual([]);
  });
});

describe('target values', () => {
  const runs = path.resolve(import.meta.dirname, '../../../assets/runs/diffraction');

  test('ignore images that are wrong', () => {
    const image = (label: string, verdict: string, ns: number) => ({
      ...{ label, variant: label, verdict, status: 'measured', time_s: 1, accuracy: [{ id: 'bright', value: 1e-6 }] },
      quantities: [{ id: 'per_term', value: ns }],
    });
    const entries = [image('diffraction-fp64', 'reference', 31.4), image('diffraction-mixed', 'wrong', 12)];
    const sessions = new Map([['image-rotation-100-orientations', { reports: [{ entries }] }]]);
    expect(imageTargets(sessions)).toEqual([
      {
        what: 'time per lattice factor on one core, diffraction-fp64',
        wanted: '≤ 33 ns',
        measured: '31.4 ns',
        met: true,
      },
      { what: 'time per lattice factor on one core, diffraction-mixed', wanted: '≤ 33 ns', measured: null, met: null },
    ]);
  });

  test('use the fastest correct image of the recorded session', () => {
    const name = 'h200-simple-cubic-1024';
    const sessions = new Map([[name, JSON.parse(readFileSync(path.join(runs, `${name}.json`), 'utf8'))]]);
    const [time, error] = gpuImageTargets(sessions);
    expect(time?.measured).toMatch(/^\d+(\.\d+)? µs$/);
    expect(error?.measured).toMatch(/^\d\.\de-\d+$/);
  });
});

describe('the benchmark of waiting times', () => {
  it('removes its own flags from the arguments, and passes the rest to the command line', () => {
    expect(waitsArguments(['--waits', '--only', 'live,beams'])).toEqual({
      ...{ own: ['--only', 'live,beams'], others: [], alone: true },
    });
    const { own, others, alone } = waitsArguments(['water-70MeV', '--smatrix', '/checkout', '--variants', 'depth']);
    expect([own, others, alone]).toEqual([['--smatrix', '/checkout'], ['water-70MeV', '--variants', 'depth'], false]);
  });

  it('checks times against an upper bound and rates against a lower bound, and reports the ratio to the bound', () => {
    const ms = (value: number): string => `${value} ms`;
    expect(rowWithUpperLimit({ what: 'run', limit: 7, text: ms }, 6, 4)).toEqual({
      ...{ what: 'run', wanted: '≤ 7 ms', measured: '6 ms', met: true, bound: '4 ms', ratio: '1.50×' },
    });
    expect(rowWithLowerLimit({ what: 'beams', limit: 10, text: String }, 8, 16)).toMatchObject({
      met: false,
      ratio: '2.00×',
    });
    expect(rowWithUpperLimit({ what: 'run', limit: 7, text: ms }, null, 4)).toMatchObject({
      measured: null,
      met: null,
      ratio: null,
    });
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  });

  it('prints bound and ratio next to each measured value that has a bound', () => {
    const lines = targetLines([
      { what: 'a', wanted: '≤ 1', measured: '2', met: false, bound: '0.5', ratio: '4.00×' },
      { what: 'long name', wanted: '≥ 10', measured: null, met: null },
    ]);
    expect(lines).toEqual(['a          ≤ 1              2  missed  bound 0.5  4.00×', 'long name  ≥ 10  not measured']);
  });

  it('lists targets that need a GPU, with the required value and the command that measures it', () => {
    expect(rowsOfGpu().map(({ what, wanted }) => `${what}: ${wanted}`)).toEqual([
      'warm end-to-end run, 65 to 74 MeV, cuda-window, another energy each time: ≤ 7.00 ms',
      'warm end-to-end run, 65 to 74 MeV, cuda-depth, another energy each time: ≤ 4.00 ms',
      'npx braggbench run water-70MeV, cuda-depth, from shell to answer: ≤ 0.700 s',
      'first run of water-70MeV, cuda-window, empty caches, without nvcc: ≤ 5.00 s',
      'first run of water-70MeV, cuda-window, empty caches, kernels compiled by nvcc: ≤ 5.00 s',
      '1,024 beams of 60 to 80 MeV, cuda-window, set-up and read-back included: ≥ 800 beams/s',
      'the same by cuda-window in a process that has already solved beams: ≥ 800 beams/s',
      '1,024 beams of 60 to 80 MeV, cuda-depth, set-up and read-back included: ≥ 3000 beams/s',
      'the same by cuda-depth in a process that has already solved beams: ≥ 3000 beams/s',
      '65,536 beams of 60 to 80 MeV, cuda-moments, FP32: marches and readouts, time of the device alone: ≥ 1000000 beams/s',
      "65,536 beams of 60 to 80 MeV, cuda-moments, FP32: from a list of beams to readouts in the host's memory, set-up included, warm: ≥ 300000 beams/s",
      'the same with the depth doses of 65,536 beams: ≥ 300000 beams/s',
      '100,000 ranges between 60 and 80 MeV, cuda-moments, from shell to readouts: ≤ 60.0 s',
      'image 4096², warm end-to-end run, FP32: ≤ 12.0 ms',
      'image 4096², warm end-to-end run, FP64: ≤ 12.0 ms',
      'the image in FP32 over FP64: ≤ 1.00×',
      'Live on a GPU, water-70MeV, answers drawn while dragging: ≥ 30.0 answers/s',
    ]);
    for (const line of targetLines(rowsOfGpu())) expect(line).toMatch(/needs a GPU: npm run bench -- gpu --waits$/);
  });

  it('shows the dense step of the recorded session as a share of the copy bandwidth', () => {
    const sessions = readSessions(path.resolve(import.meta.dirname, '../../../assets/runs'));
    const step = gpuTargets(sessions).find(({ what }) => what.startsWith('dense-36M, a step'));
    expect(step?.ratio).toMatch(/^\d+ % of copy$/);
    expect(step?.bound).toMatch(/ms, copy$/);
  });
});
