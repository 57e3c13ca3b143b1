/**
 * `braggbench decide`: which implementation of a computation to choose, from sessions only. `braggbench explain-launch`
 * as a child process.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path, { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Decision } from '../../../electron/contract/bench/decision.ts';
import { type MeasuredSessionEntry, type Session, sessionSchema } from '../../../electron/contract/bench/session.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { assetsFolder } from '../host/small-run.ts';
import { braggbenchInProcess, environmentWith } from './command.ts';

describe('advice on optimisation methods', () => {
  const folder = scratchFolder('decide');
  const recorded = path.join(assetsFolder, 'runs/h200-uniform-grid-70MeV.json');
  const call = (...words: string[]) =>
    braggbenchInProcess(['decide', ...words], { cwd: folder, environment: environmentWith(folder) });

  const read = async (): Promise<Session> => sessionSchema.parse(JSON.parse(await readFile(recorded, 'utf8')));

  /** Writes a copy of the recorded session in which `change` has replaced the measured entries. Returns its path. */
  async function writeChangedSession(
    name: string,
    change: (entry: MeasuredSessionEntry) => MeasuredSessionEntry,
  ): Promise<string> {
    const session = await read();
    const reports = session.reports.map((report) => ({
      ...report,
      entries: report.entries.map((entry) => (entry.status === 'measured' ? change(entry) : entry)),
    }));
    const file = path.join(folder, name);
    await writeFile(file, JSON.stringify({ ...session, reports }));
    return file;
  }

  const decided = async (file: string): Promise<readonly Decision[]> =>
    (JSON.parse((await call(file, '--json')).stdout || '{}') as { readonly decisions: readonly Decision[] }).decisions;

  test('reports what each method saves per run, from the samples of the recorded session', async () => {
    const [decision] = await decided(recorded);
    const { reports } = await read();
    const instancesOf = (label: string): number => {
      const entry = reports[0]?.entries.find((one) => one.label === label);
      return entry?.status === 'measured' ? new Set(entry.samples.map(({ instance }) => instance)).size : 0;
    };
    const options = [
      ['array', 'cupy-array'],
      ['elementwise', 'cupy-elementwise'],
      ['raw', 'cupy-raw'],
      ['compiled', 'cuda-window'],
    ].map(([way = '', label = '']) => [way, label, instancesOf(label)]);
    expect(decision?.options.map(({ way, label, instances }) => [way, label, instances])).toEqual(options);
    for (const [, , instances] of options) expect(instances).toBeGreaterThanOrEqual(6);
    const step = decision?.steps.find(({ option }) => option.way === 'compiled');
    expect(step?.decided).toBe('faster');
    const saved_s = (decision?.options[0]?.time_s ?? 0) - (step?.option.time_s ?? 0);
    expect(step?.saved_s).toBeCloseTo(saved_s, 12);
    expect(step?.runs_per_hour).toBe(Math.ceil(3600 / saved_s));
    const { stdout, code } = await call(recorded, '--runs', '1000000');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Stay with array expressions unless you run it often: an elementwise kernel of a library/m);
    expect(stdout).toMatch(
      /An\s+hour\s+of\s+development\s+is\s+paid\s+back\s+after\s+[\d\s]+\s+runs;\s+over\s+1\D?000\D?000\s+runs\s+it\s+saves/,
    );
  });

  const slow = (entry: MeasuredSessionEntry): MeasuredSessionEntry =>
    entry.label === 'cupy-elementwise'
      ? { ...entry, samples: entry.samples.map((sample, i) => ({ ...sample, wall_s: i % 2 === 0 ? 0.01 : 0.9 })) }
      : entry;

  test('overlapping samples do not decide a comparison', async () => {
    const file = await writeChangedSession('overlap.json', slow);
    const [decision] = await decided(file);
    const step = decision?.steps.find(({ option }) => option.way === 'elementwise');
    expect(step).toMatchObject({ decided: 'overlap', runs_per_hour: null });
    expect((await call(file)).stdout).toMatch(
      /^An elementwise kernel of a library: undecided, the samples overlap \(/m,
    );
  });

  test('gives no advice from one sample each, however different the times are', async () => {
    const file = await writeChangedSession('once.json', (entry) => ({ ...entry, samples: entry.samples.slice(0, 1) }));
    const [decision] = await decided(file);
    expect(decision?.steps.map((step) => step.decided)).toEqual(['too few', 'too few', 'too few']);
    const { stdout } = await call(file);
    expect(stdout).toMatch(/^No advice: one sample each; C\+\+ and CUDA was [\d.]+× as fast in these measurements\./m);
    expect(stdout).not.toMatch(/Stay with|overlap/);
  });

  test('gives no advice from many samples of a single instance', async () => {
    const file = await writeChangedSession('instance.json', (entry) => ({
      ...entry,
      samples: entry.samples.map((sample) => ({ ...sample, instance: 0 })),
    }));
    expect((await decided(file))[0]?.steps.map((step) => step.decided)).toEqual(['too few', 'too few', 'too few']);
    expect((await call(file)).stdout).toMatch(/^No advice: one instance each; /m);
  });

  test('gives no advice from a session recorded without instances', async () => {
    const file = await writeChangedSession('rounds.json', (entry) => ({
      ...entry,
      samples: entry.samples.map(({ instance: _, ...sample }) => sample),
    }));
    const { stdout } = await call(file);
    expect(stdout).toMatch(/^No advice: one instance each; /m);
  });

  test('never recommends a method with a wrong answer', async () => {
    const file = await writeChangedSession('wrong.json', (entry) =>
      ['cupy-array', 'cupy-raw', 'numba-kernel'].includes(entry.label) ? { ...entry, verdict: 'wrong' } : entry,
    );
    const [decision] = await decided(file);
    expect(decision?.options.map(({ way, right }) => [way, right])).toEqual([
      ['array', false],
      ['elementwise', true],
      ['raw', false],
      ['compiled', true],
    ]);
    // The correct implementation that needs the least effort is the baseline of the comparison.
    expect(decision?.steps.map(({ option }) => option.way)).toEqual(['compiled']);
    expect((await call(file)).stdout).toMatch(/^Array expressions .* wrong$/m);
  });

  test('prints nothing without a session that measured several methods', async () => {
    expect(await call(path.join(assetsFolder, 'runs/h200-water-70MeV.json'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('None of these sessions has correct results for two programming styles'),
    });
    expect(await call(recorded, '--runs', '0')).toMatchObject({ code: 2, stderr: expect.stringContaining('--runs') });
  });
});

describe('launches of kernels', () => {
  const folder = scratchFolder('launch');
  const sweep = {
    name: 'sweep_f32',
    architecture: 'sm_90',
    registers: 64,
    shared_bytes: 0,
    constant_bytes: 0,
    stack_bytes: 0,
    spill_store_bytes: 0,
    spill_load_bytes: 0,
    barriers: 1,
    max_threads: 512,
  };

  beforeAll(async () => {
    await mkdir(join(folder, 'kernels'));
    await writeFile(
      join(folder, 'kernels', 'transport.resources.json'),
      JSON.stringify({ workload: 'transport', compiler: '13.0.88', kernels: [sweep] }),
    );
  });

  const run = (kernels: string, ...words: string[]) =>
    braggbenchInProcess(['explain-launch', ...words], {
      environment: environmentWith(join(folder, 'home'), { BRAGGBENCH_KERNELS: join(folder, kernels) }),
    });

  describe('explain-launch', () => {
    test('lists the kernels, and explains one at its launch bounds', async () => {
      const [list, one] = await Promise.all([run('kernels'), run('kernels', 'sweep_f32', '--elements', '1000000')]);
      expect(list.stdout).toContain('transport, sm_90, CUDA 13.0.88, of this build');
      expect(list.stdout).toMatch(/sweep_f32 +64 +0 +0 +512/);
      expect(one.code).toBe(0);
      expect(one.stdout).toContain('NVIDIA H200 (sm_90), 132 multiprocessors, as published');
      expect(one.stdout).toContain('1 954 × 1 × 1 blocks');
      expect(one.stdout).toContain('2 blocks, 32 warps: occupancy 50 %');
      expect(one.stdout).toMatch(/Limited by +registers$/m);
      expect(one.stdout).toContain('7.402 of 264 blocks');
      expect(one.stdout).toContain('544  and more cannot be launched: threads');
    });

    test('prints the same content as JSON, also for given numbers instead of a kernel', async () => {
      const words = ['--registers', '64', '--block', '512', '--gpu', 'h200', '--reduction', '--json'];
      const { stdout } = await run('kernels', ...words);
      const { launch, curve, reductions, driverBlocks } = JSON.parse(stdout);
      expect(launch).toMatchObject({
        grid: [1954, 1, 1],
        occupancy: { blocks: 2, share: 0.5, limitedBy: ['registers'] },
      });
      expect(curve).toHaveLength(32);
      expect(reductions.map(({ kind }: { kind: string }) => kind)).toEqual([
        'divergent',
        'strided',
        'sequential',
        'shuffle',
      ]);
      expect(driverBlocks).toBeNull();
    });

    test('applies given sizes to the default kernel if none is named, instead of listing kernels', async () => {
      const { stdout } = await run('kernels', '--elements', '1000000', '--block', '128', '--gpu', 'h100');
      expect(stdout).toContain('A kernel with these resources');
      expect(stdout).toMatch(/Registers +32 per thread/);
      expect(stdout).toContain('NVIDIA H100 SXM (sm_90), 132 multiprocessors, as published');
      expect(stdout).toContain('7 813 × 1 × 1 blocks');
    });

    test('reports invalid launches and invalid arguments', async () => {
      const [stride, name, gpu, block] = await Promise.all([
        run(
          'kernels',
          '--registers',
          '96',
          '--block',
          '1024',
          '--gpu',
          'sm_89',
          '--grid-stride',
          'auto',
          '--reduction',
        ),
        run('kernels', 'sweep_f23'),
        run('kernels', 'sweep_f32', '--gpu', 'voodoo'),
        run('kernels', 'sweep_f32', '--block', '0'),
      ]);
      expect(stride.stdout).toContain(
        'cannot be launched  The registers of one block are more than a multiprocessor has.',
      );
      expect(stride.stdout).toContain('Warp shuffles: 1 barrier,');
      expect(name).toMatchObject({ code: 2 });
      expect(name.stderr).toContain('did you mean sweep_f32?');
      expect(gpu.stderr).toContain('--gpu: "voodoo" is not known; allowed: sm_80 (NVIDIA A100)');
      expect(block.stderr).toContain('--block: "0" is not allowed');
    });

    test('compares two kernels only by their code, as SASS or PTX', async () => {
      const [two, language, unbuilt] = await Promise.all([
        run('kernels', 'sweep_f32', 'sweep_f32'),
        run('kernels', 'sweep_f32', '--code', 'llvm'),
        run('kernels', 'sweep_f32', '--code', 'sass'),
      ]);
      expect(two).toMatchObject({ code: 2 });
      expect(two.stderr).toContain('two kernels can only be compared by their code: add --code sass or --code ptx');
      expect(language.stderr).toContain('--code: "llvm" is not allowed; allowed: sass, ptx');
      expect(unbuilt.stderr).toContain(
        'transport was not compiled on this machine: install nvcc, then run npm run build.',
      );
    });

    test('uses the recorded kernels if none were compiled here', async () => {
      const { code, stdout, stderr } = await run('nothing');
      expect(code).toBe(0);
      expect(stderr).toContain('The kernels were not compiled on this machine: install nvcc, then run npm run build.');
      expect(stdout).toMatch(/as recorded in (transport\/)?h[12]00-/);
      expect(stdout).toContain('dense_fill_f32');
    });

    test('needs no compiled kernels if the kernel is described by numbers', async () => {
      const { code, stdout, stderr } = await run('nothing', '--registers', '96', '--block', '256', '--gpu', 'h200');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/Registers +96 per thread/);
    });
  });
});
