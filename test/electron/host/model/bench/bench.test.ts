/**
 * The verdict on a session without instances: its own noise limits the verdict, which is never "same" beyond 5 %. The
 * shortest time that a problem can need, with numbers calculated by hand. Labels of sessions: variant, precision and
 * GPU, in one form for every workload. The conditions under which sessions are measured.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { environmentFacts, environmentSchema } from '../../../../../electron/contract/bench/bench-session.ts';
import type { ClockState } from '../../../../../electron/contract/capabilities.ts';
import { parseVariantLabels } from '../../../../../electron/host/model/bench/candidates.ts';
import { readCommit } from '../../../../../electron/host/model/bench/commit.ts';
import {
  bootstrapVerdict,
  createOutlierTest,
  flagSeries,
  hasUncommittedChanges,
  highestClock_MHz,
  OtherLoadMeter,
  readAllowedCores,
  readCpuGovernors,
  summarizeEnvironment,
  UNKNOWN_ENVIRONMENT,
} from '../../../../../electron/host/model/bench/comparison.ts';
import { timeLowerBound } from '../../../../../electron/host/model/bench/entry.ts';
import { readKernelResources, resourcesForGpu } from '../../../../../electron/host/model/bench/session-file.ts';
import { kernelsNamedIn, readVariantSources } from '../../../../../electron/host/model/bench/sources.ts';
import { createLimits } from '../../../../../electron/host/model/bench/stopping.ts';
import { imageCandidates } from '../../../../../electron/host/workloads/diffraction/bench-candidate.ts';
import { taskCandidates } from '../../../../../electron/host/workloads/task/candidates.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { assetsFolder } from '../../small-run.ts';
import { benchInProcess } from '../../test-host.ts';
import { smallProblem } from '../../workloads/image.ts';
import { addon } from '../scenarios/open.ts';

describe('comparison of samples', () => {
  test.each([
    [{ low: 0.5, high: 0.6 }, 0.02, 'faster'],
    [{ low: 1.5, high: 1.6 }, 0.02, 'slower'],
    [{ low: 0.995, high: 1.01 }, 0.02, 'same'],
    [{ low: 0.97, high: 1.01 }, 0.02, 'undecided'],
    [{ low: 0.97, high: 0.985 }, 0.02, 'undecided'],
    // The control varies by a factor of two. The session still distinguishes ratios of 220 and 1, but calls no
    // candidate the same.
    [{ low: 218, high: 221 }, 1.04, 'slower'],
    [{ low: 0.0045, high: 0.0046 }, 1.04, 'faster'],
    [{ low: 0.5, high: 0.7 }, 0.6, 'undecided'],
    [{ low: 0.93, high: 1.02 }, 0.14, 'undecided'],
    [{ low: 0.97, high: 1.02 }, 0.14, 'same'],
    [null, 0.02, 'undecided'],
    [{ low: 0.5, high: 0.6 }, null, 'undecided'],
  ] as const)('%j with a noise floor of %s is %s', (ratio, floor, verdict) => {
    expect(bootstrapVerdict(ratio, floor)).toBe(verdict);
  });
});

describe('lower bounds of times', () => {
  const MiB = 2 ** 20;
  const work = (bytes: number) => ({ bytes, fp32_flops: null, fp64_flops: null, other_flops: null });

  /** 10 GB/s from memory; with the allowed margin of 15 %, 11.5 GB/s. */
  const processor = { cores: 2, last_level_cache_bytes: 32 * MiB, memory_bytes_per_s: () => 10e9 };

  test('a state larger than all caches is not read faster than the memory bandwidth allows', () => {
    const least = timeLowerBound(work(1.15e9), 1.15e9, processor);
    expect(least?.time_s).toBeCloseTo(0.1, 12);
    expect(least?.sum).toContain('1.15e+9 bytes');
  });

  test('a small state that is read repeatedly is bounded by reading it once, at the load rate of the cores', () => {
    // 2 cores with 128 bytes per cycle at 6.2 GHz load 1.5872 TB/s.
    expect(timeLowerBound(work(1e12), 1.5872e6, processor)?.time_s).toBeCloseTo(1e-6, 18);
  });

  test('no bound is given if no traffic is declared or the machine is unknown', () => {
    expect(timeLowerBound(work(0), MiB, processor)).toBeNull();
    expect(timeLowerBound(work(1e9), 1e9, null)).toBeNull();
  });
});

describe('sources of variants', () => {
  const scratch = scratchFolder('sources');

  const kernels = path.resolve(assetsFolder, '../kernels');

  describe('the source files of a variant', () => {
    test('begin with the file of the variant and the one with its kernels', async () => {
      for (const variant of [...addon.variants(), ...addon.diffractionVariants(), ...addon.taskVariants()]) {
        const files = await readVariantSources(kernels, variant);
        expect(files[0]?.text, variant.id).toContain(`"${variant.id}"`);
        expect(
          files.map((file) => file.path),
          variant.id,
        ).toContain(variant.source);
        expect(new Set(files.map((file) => file.path)).size).toBe(files.length);
      }
    });

    test('name the kernels that the variant launches', async () => {
      const variant = addon.variants().find(({ id }) => id === 'cuda-gather');
      if (variant === undefined) throw new Error('no cuda-gather');
      const none = { registers: 1, shared_bytes: 0, constant_bytes: 0, stack_bytes: 0, spill_store_bytes: 0 };
      const of = (name: string) => ({ name, architecture: 'sm_90', ...none, spill_load_bytes: 0, barriers: 0 });
      const all = {
        compiler: '13.0',
        kernels: ['gather_slow_down_f32', 'tiled_stream_x4_f32', 'dense_sum_f64'].map(of),
      };
      const own = kernelsNamedIn(await readVariantSources(kernels, variant), all);
      expect(own.kernels.map(({ name }) => name)).toEqual(['gather_slow_down_f32', 'dense_sum_f64']);
      expect(resourcesForGpu(all, '9.0')?.kernels).toHaveLength(3);
      expect(resourcesForGpu(all, '8.0')).toBeNull();
      await writeFile(
        path.join(scratch, 'transport.resources.json'),
        JSON.stringify({ workload: 'transport', ...all }),
      );
      expect(await readKernelResources(scratch, 'transport')).toEqual(all);
      expect(await readKernelResources(scratch, 'other')).toBeNull();
    });
  });

  test('the commit is read from folders, linked work trees and packed references', async () => {
    const hash = 'a'.repeat(40);
    const root = path.join(scratch, 'plain');
    await mkdir(path.join(root, '.git/refs/heads'), { recursive: true });
    await writeFile(path.join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(path.join(root, '.git/refs/heads/main'), `${hash}\n`);
    expect(await readCommit(root)).toBe(hash);
    const other = path.join(scratch, 'other');
    const linked = path.join(root, '.git/worktrees/other');
    await mkdir(other);
    await mkdir(linked, { recursive: true });
    await writeFile(path.join(other, '.git'), `gitdir: ${linked}\n`);
    await writeFile(path.join(linked, 'commondir'), '../..\n');
    await writeFile(path.join(linked, 'HEAD'), 'ref: refs/heads/side\n');
    await writeFile(path.join(root, '.git/packed-refs'), `# pack-refs\n${'b'.repeat(40)} refs/heads/side\n`);
    expect(await readCommit(other)).toBe('b'.repeat(40));
    await writeFile(path.join(linked, 'HEAD'), `${'c'.repeat(40)}\n`);
    expect(await readCommit(other)).toBe('c'.repeat(40));
    expect(await readCommit(path.join(scratch, 'nothing'))).toBeNull();
  });
});

describe('labels of variants', () => {
  const known = [
    { id: 'gather', device: 'cpu', precisions: ['fp32', 'fp64'] },
    { id: 'cuda-fused', device: 'cuda', precisions: ['fp32'] },
  ] as const;
  const ask = (...labels: string[]) => parseVariantLabels(labels, known, ({ precisions }) => precisions);

  test('name a variant and, if requested, a precision and a GPU', () => {
    expect(
      ask('gather@fp64', 'cuda-fused', 'cuda-fused:1', 'cuda-fused@fp32:12').map(({ variant, precision, gpu }) => [
        ...[variant.id, precision, gpu],
      ]),
    ).toEqual([
      ['gather', 'fp64', null],
      ['cuda-fused', null, null],
      ['cuda-fused', null, 1],
      ['cuda-fused', 'fp32', 12],
    ]);
  });

  test('are rejected with the valid ones if they are invalid', () => {
    expect(() => ask('gathr')).toThrow('did you mean gather?');
    expect(() => ask('gather', 'gather')).toThrow('the variant gather is given twice');
    expect(() => ask('cuda-fused@fp64')).toThrow('cuda-fused@fp64 is not known; allowed: cuda-fused@fp32');
    expect(() => parseVariantLabels(['cuda-fused@fp64'], known)).toThrow(
      'allowed: cuda-fused, which has only one precision',
    );
    expect(() => ask('cuda-fused:one')).toThrow('allowed: cuda-fused:0 and further GPUs');
    expect(() => ask('gather:1')).toThrow('allowed: gather, which runs on the CPU');
  });

  test('pass their GPU to the engine, for images and for small workloads', async () => {
    const problem = await smallProblem();
    const [usual, second] = imageCandidates(
      problem,
      ['diffraction-cuda-mixed', 'diffraction-cuda-mixed:1'],
      addon.diffractionVariants(),
    );
    expect(usual?.problem.solver).not.toHaveProperty('device');
    expect(second?.problem.solver).toMatchObject({ variant: 'diffraction-cuda-mixed', device: '1' });
    // A variant on the CPU accepts the field too, although it uses no GPU.
    expect(
      addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant: 'diffraction-fp64', device: '1' } })
        .plan.variant,
    ).toBe('diffraction-fp64');
    const layer = { workload: 'linear-relu', bench: '', variant: 'auto', threads: 0, memory_limit_bytes: 1e9, seed: 1 };
    const [task] = taskCandidates(
      { ...layer, numbers: { batch: 8, inputs: 8, outputs: 8 }, words: {}, switches: { bias: true } },
      ['cuda-naive:1'],
      addon.taskVariants('linear-relu'),
    );
    expect(task?.problem).toMatchObject({ variant: 'cuda-naive', device: '1' });
  });

  test('identify the rows of an image session', async () => {
    const problem = await smallProblem();
    const report = await benchInProcess(
      addon,
      { kind: 'diffraction', problem },
      {
        scenario: 'Small',
        variants: ['diffraction-fp64', 'diffraction-cuda-mixed:7'],
        seed: 1,
        limits: createLimits(1, 60),
      },
    );
    const [cpu, gpu] = report.entries;
    expect(report.reference).toBe('diffraction-fp64');
    expect(cpu).toMatchObject({ label: 'diffraction-fp64', flagged: 0, samples: [{ sm_MHz: null, flag: null }] });
    expect(gpu).toMatchObject({ label: 'diffraction-cuda-mixed:7', variant: 'diffraction-cuda-mixed', gpu: 7 });
    expect(gpu?.status).toBe('refused');
  });
});

describe('the environment of a session', () => {
  const scratch = scratchFolder('environment');

  test('a checkout is dirty if a source differs, but not if a recording differs; without a checkout nothing is reported', async () => {
    const root = path.join(scratch, 'checkout');
    mkdirSync(root);
    expect(await hasUncommittedChanges(root)).toBeNull();
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
    expect(await hasUncommittedChanges(root)).toBe(false);
    writeFileSync(path.join(root, 'file'), 'other');
    expect(await hasUncommittedChanges(root)).toBe(true);
  });

  test('each governor of the cores is listed once', () => {
    for (const [core, governor] of ['performance', 'powersave', 'performance'].entries()) {
      const folder = path.join(scratch, `cpus/cpu${core}/cpufreq`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'scaling_governor'), `${governor}\n`);
    }
    expect(readCpuGovernors(path.join(scratch, 'cpus'), 4)).toBe('performance, powersave');
    expect(readCpuGovernors(path.join(scratch, 'none'), 4)).toBeNull();
  });

  test.each([
    ['Name:\tnode\nCpus_allowed:\t17\nCpus_allowed_list:\t0-2,4\nMems_allowed:\t1\n', [0, 1, 2, 4]],
    ['Cpus_allowed_list:\t16-17\n', [16, 17]],
    ['Cpus_allowed_list:\t3\n', [3]],
  ])('only programs on the cores of this process count as load: %j', (status, cores) => {
    expect(readAllowedCores(status)).toEqual(new Set(cores));
  });

  test('without a list of cores, programs on all cores count as load', () => {
    expect(readAllowedCores('Name:\tnode\n')).toBeNull();
  });

  test('another busy process counts as load, but a brief moment does not', async () => {
    const load = new OtherLoadMeter();
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

  test('the readings of all samples are printed as one range each, with the limiting reason', () => {
    const before = state({ power_W: 120.4, powerLimit_W: 700, temperature_C: 41 });
    const after = state({ sm_MHz: 1755, power_W: 699.6, powerLimit_W: 700, temperature_C: 66 });
    const known = {
      ...UNKNOWN_ENVIRONMENT,
      ecc: true,
      persistence: false,
      dirty: true,
      governor: 'powersave',
      versions: { CUDA: '13.0' },
    };
    const found = summarizeEnvironment(known, 1.26, [
      { clocks: { before, after } },
      { clocks: { before: null, after: null } },
    ]);
    expect(environmentSchema.parse(found)).toEqual(found);
    expect(found.gpu).toMatchObject({ sm_MHz: { low: 1755, high: 1980 }, memory_MHz: null });
    expect(environmentFacts(found, 16)).toEqual([
      [
        'GPU during the measurement',
        '1755 to 1980 MHz · 120 to 700 W, limit 700 W · 41 to 66 °C · ECC on · persistence mode off',
      ],
      ['Other programs', '1.3 of 16 cores; times are inflated'],
      ['CPU clock', 'powersave'],
      ['Sources', 'changed since the commit'],
      ['Libraries', 'CUDA 13.0'],
    ]);
  });

  test('nothing is reported without a GPU, a checkout or measured time', () => {
    const found = summarizeEnvironment(UNKNOWN_ENVIRONMENT, null, [{ clocks: { before: null, after: null } }]);
    expect(found.gpu).toBeNull();
    expect(environmentFacts(found, 16)).toEqual([]);
    expect(environmentFacts(undefined, 16)).toEqual([]);
  });
});

describe('flags of samples', () => {
  /** Quartiles 1.01 and 1.03: the outer fences are 0.95 and 1.09. */
  const calm = [1, 1.01, 1.01, 1.02, 1.02, 1.02, 1.03, 1.03, 1.04];

  test('a time beyond the outer fences is an outlier, on either side', () => {
    const odd = createOutlierTest([...calm, 1.5, 0.5]);
    expect([0.5, 0.94, 0.99, 1.08, 1.5].map(odd)).toEqual([true, true, false, false, true]);
  });

  test('a few samples have no outliers, and neither does a calm series near its median', () => {
    expect(createOutlierTest([1, 1, 1, 1, 9])(9)).toBe(false);
    const still = createOutlierTest([...Array.from({ length: 11 }, () => 1), 1.04, 1.06]);
    expect([1.04, 1.06].map(still)).toEqual([false, true]);
  });

  test('every sample is saved, with a flag for its clock or else for its time', () => {
    const at = (time_s: number, sm_MHz: number) => {
      const clock = { sm_MHz, memory_MHz: null, power_W: null, powerLimit_W: null, temperature_C: null };
      return { time_s, clocks: { before: null, after: { ...clock, reasons: [], throttled: false } } };
    };
    const samples = [...calm.map((time_s) => at(time_s, 1980)), at(3, 1980), at(3, 1500)];
    const flagged = flagSeries(samples, { highest_MHz: highestClock_MHz(samples), timeOf: ({ time_s }) => time_s });
    expect(flagged.map(({ raw }) => raw)).toEqual(samples);
    expect(flagged.map(({ flag }) => flag)).toEqual([
      ...calm.map(() => null),
      'outlier: far from the other samples of this variant',
      'clock at 1500 MHz, below the highest of 1980 MHz',
    ]);
    expect(highestClock_MHz([])).toBeNull();
  });
});
