/** `braggbench project`: packed on this machine, unpacked into another home folder. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { scratchFolder } from '../../scratch-folder.ts';
import { tinyScenario } from '../host/small-run.ts';
import { braggbenchInProcess, environmentWith } from './command.ts';

describe('braggbench project', () => {
  let folder: string;
  const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
  const call = (home: string, ...words: readonly string[]) =>
    braggbenchInProcess(words, { cwd: folder, environment: environmentWith(inFolder(home)) });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'project-'));
    await writeFile(inFolder('tiny.json'), JSON.stringify(tinyScenario));
    const axes = [{ kind: 'list', path: 'beam.energy_MeV', values: [20, 24] }];
    await writeFile(
      inFolder('two.json'),
      JSON.stringify({ kind: 'study', version: 1, base: [{ file: 'tiny.json' }], axes }),
    );
  });

  test('packs a scenario and a study with its results, which a colleague can open', {
    timeout: 120_000,
  }, async () => {
    expect((await call('mine', 'study', 'run', 'two.json')).code).toBe(0);
    const packed = await call('mine', 'project', 'pack', 'ours.braggbench', 'tiny.json', 'two.study');
    expect([packed.code, packed.stdout]).toEqual([
      0,
      expect.stringMatching(/^ours\.braggbench: 1 file and 1 study in /),
    ]);
    const unpacked = await call('theirs', 'project', 'unpack', 'ours.braggbench');
    expect(unpacked.stdout).toMatch(/scenario +tiny\.json +new\nstudy +two +new\nours is in /);
    const { library } = JSON.parse((await call('theirs', 'project', 'unpack', 'ours.braggbench', '--json')).stdout) as {
      readonly library: string;
    };
    expect((await readdir(library)).toSorted()).toEqual(['studies', 'tiny.json']);
    const mine = await call('mine', 'study', 'export', 'two.study', 'mine.csv');
    const theirs = await call('theirs', 'study', 'export', path.join(library, 'studies', 'two.study'), 'theirs.csv');
    expect([mine.code, theirs.code]).toEqual([0, 0]);
    // Pack the complete library that was just unpacked.
    expect((await call('theirs', 'project', 'pack', 'all.braggbench', '--library')).stdout).toMatch(
      /1 file and 1 study/,
    );
  });

  test('rejects unknown arguments and states what is allowed', async () => {
    const pack = (...words: readonly string[]) => call('mine', 'project', 'pack', ...words);
    expect(await pack('x.zip', 'tiny.json')).toMatchObject({ code: 2, stderr: expect.stringContaining('.braggbench') });
    expect(await pack('x.braggbench', 'nowhere')).toMatchObject({
      stderr: expect.stringContaining('nowhere is no such file'),
    });
    expect(await pack('x.braggbench')).toMatchObject({ code: 2, stderr: expect.stringContaining('--library') });
    expect(await call('mine', 'project', 'unpack', 'tiny.json')).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('is not an archive, or is damaged') },
    });
  });
});

const runs = path.resolve(import.meta.dirname, '../../../assets/runs');
/** A run of an earlier window variant, which took its steps by CUDA graphs. */
const earlierRun = path.resolve(import.meta.dirname, '../../golden/runs/h200-cuda-window-graphs.h5');
/** Recorded on an H200, exported by nsys, and compressed. */
const nsight = path.resolve(import.meta.dirname, '../../golden/traces/nsight-systems-2025.3-h200.sqlite.gz');
const folder = scratchFolder('trace');

describe('braggbench trace', () => {
  it('summarises a recorded run', async () => {
    const { code, stdout } = await braggbenchInProcess(['trace', earlierRun]);
    expect(code).toBe(0);
    expect(stdout).toContain('Water, 70 MeV: cuda-window FP32, NVIDIA H200');
    expect(stdout).toMatch(/Kernels +510, 6 different, 7\.07 ms in total/);
    expect(stdout).toMatch(/Replayed in graphs +94\.0 % of the kernels' time, 15 launches of graphs/);
    expect(stdout).toMatch(/55\.9 % +3\.95 ms +245 +17\.2 µs +transport_fused_stream_path_f32/);
  });

  it("prints the same summary from the run's export, as JSON", async () => {
    const out = path.join(folder, 'trace.json');
    const run = path.join(runs, 'h200-uniform-grid-70MeV-cuda-fused.h5');
    expect((await braggbenchInProcess(['export', run, '--trace', out])).code).toBe(0);
    const [ours, exported] = await Promise.all(
      [run, out].map((file) => braggbenchInProcess(['trace', file, '--json'])),
    );
    const [a, b] = [ours, exported].map((ended) => JSON.parse(ended?.stdout ?? ''));
    expect(b.source).toBe('chrome-trace');
    expect(b.summary.kernels).toMatchObject({ count: a.summary.kernels.count, unique: a.summary.kernels.unique });
    expect(b.summary.kernels.sum_ns).toBeCloseTo(a.summary.kernels.sum_ns, 0);
    expect(b.summary.idleShare).toBeCloseTo(a.summary.idleShare, 6);
    expect(b.summary.launches.count).toBe(a.summary.launches.count);
  });

  it('reports operator times of a run on the CPU, and how evenly its threads were used', async () => {
    const scenario = path.join(folder, 'small.json');
    const grid = { ...tinyScenario.grid, energy: { kind: 'uniform', step_MeV: 0.5 } };
    writeFileSync(
      scenario,
      JSON.stringify({ ...tinyScenario, grid, solver: { ...tinyScenario.solver, variant: 'gather', threads: 2 } }),
    );
    const out = path.join(folder, 'small.h5');
    expect((await braggbenchInProcess(['run', scenario, '--out', out])).code).toBe(0);
    const { code, stdout } = await braggbenchInProcess(['trace', out]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Share +Own time +Time +Calls +Threads +Uneven +Host operation\n/);
    expect(stdout).toMatch(/[\d.]+ % +[\d.]+ [mµ]s +[\d.]+ [mµ]s +\d+ +[12] .*scatter angles\n/);
    expect(stdout).toMatch(/Host: 2 threads, [\d.]+ % busy/);
    expect(stdout).toMatch(/ % +thread 0\n.* % +thread 1\n/);
  });

  it('explains why no kernel ran', async () => {
    const { stdout } = await braggbenchInProcess(['trace', nsight]);
    expect(stdout).toContain('No kernel ran for 159 ms, 99.9 % of the time from the first to the last kernel.');
    expect(stdout).toMatch(/99\.\d % +15\d ms +\d+ +the CPU does something else\n/);
    expect(stdout).toMatch(/69\.5 ms +the CPU does something else, then /);
    expect(stdout).toMatch(/121 ms +6 +1 +cudaMalloc\n/);
  });

  it('rejects files that are not timelines, with name and reason', async () => {
    const file = path.join(folder, 'cut.json');
    writeFileSync(file, '{"traceEvents":[{"ph":"X","ts":1,"dur":1,"name":"a"},{"ph"');
    const cut = await braggbenchInProcess(['trace', file]);
    expect(cut.code).not.toBe(0);
    expect(cut.stderr).toContain(
      'cut.json cannot be opened as a timeline: it is truncated after 58 bytes and one event.',
    );
    const none = await braggbenchInProcess(['trace', path.join(folder, 'none.json'), '--json']);
    expect(none.code).not.toBe(0);
    expect(JSON.parse(none.stdout).error.message).toBe('none.json does not exist.');
  });

  it('is described by --help', async () => {
    const { code, stdout } = await braggbenchInProcess(['trace', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('braggbench trace FILE [--json]');
    expect(stdout).toContain('braggbench trace pytorch.json.gz');
  });
});
