/**
 * Starting the host, reading a scenario and solving it on the CPU use neither a GPU nor NVIDIA's libraries. GPU kernels
 * on a machine without nvcc, with a slow fake compiler.
 */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceReport, SolverFrame } from '../../../../electron/contract/capabilities.ts';
import { GpuKernels } from '../../../../electron/host/app/gpu-kernels.ts';
import { HostLog } from '../../../../electron/host/app/log.ts';
import { loadAddon, type NativeAddon, type WarmedKernels } from '../../../../electron/host/io/addon/addon.ts';
import { StagedSolver } from '../../../../electron/host/io/addon/staged-solver.ts';
import { allVariants } from '../../../../electron/host/workloads/index.ts';
import { smallScenario } from '../small-run.ts';
import { openTestHost } from '../test-host.ts';

describe('device queries at start', () => {
  const LISTS = ['variants', 'diffractionVariants', 'taskVariants'] as const;

  /** Wraps the addon as on a machine whose devices must not be queried, and records every query. */
  function recordingAddon(requested: string[]): NativeAddon {
    const real = loadAddon();
    const tell = (what: string) => {
      requested.push(what);
      return null;
    };
    const lists = Object.fromEntries(
      LISTS.map((name) => [
        name,
        () =>
          real[name]().map((variant) =>
            variant.device === 'cpu'
              ? variant
              : Object.create(variant, {
                  available: { get: () => tell(`whether ${variant.id} is there`) === null },
                  reason: { get: () => tell(`why ${variant.id} is not there`) },
                }),
          ),
      ]),
    );
    const devices = {
      devices: () => {
        tell('devices');
        return real.devices();
      },
      driverDevices: () => {
        tell('driverDevices');
        return real.driverDevices();
      },
    };
    return { ...real, ...lists, ...devices };
  }

  it('a run on the CPU queries no device, and capabilities are queried on request', async () => {
    const asked: string[] = [];
    const addon = recordingAddon(asked);
    expect(allVariants(addon).length).toBeGreaterThan(50);
    const test = await openTestHost({ addon });
    try {
      const scenario = { ...smallScenario, solver: { ...smallScenario.solver, variant: 'window' } };
      const { id } = await test.host.call('run.start', { scenario, name: 'here' });
      expect(await test.host.runs.waitForEnd(id)).toMatchObject({ state: 'done', device: 'cpu' });
      expect(asked).toEqual([]);
      expect(test.host.capabilities().devices.cuda).toEqual(loadAddon().devices().cuda);
      expect(asked).toContain('devices');
    } finally {
      await test.close();
    }
  });
});

describe('the log of the program', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-log-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describe('the log', () => {
    it('writes each line to disk at once, and sends it to pages that connect later', async () => {
      const log = new HostLog(path.join(folder, 'logs'));
      log.write('warning', 'first line\nsecond line');
      const text = await readFile(path.join(folder, 'logs', 'braggbench.log'), 'utf8');
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\S+Z warning first line\n {2}second line\n$/);
      expect(await log.tail()).toBe(text);
      const heard: string[] = [];
      log.read({ offer: (make) => void heard.push(make().text), end: () => undefined });
      log.write('error', 'third');
      expect(heard).toEqual(['first line\nsecond line', 'third']);
    });

    it('is rotated when it is large, and returns only complete lines from its end', async () => {
      const file = path.join(folder, 'braggbench.log');
      const line = 'an old line of some length that was written in an earlier year\n';
      await writeFile(file, line.repeat(40_000));
      const large = new HostLog(folder);
      large.write('info', 'new');
      expect((await stat(file)).size).toBeLessThan(100);
      expect((await stat(`${file}.1`)).size).toBe(line.length * 40_000);
      await writeFile(file, line.repeat(3000));
      const tail = await large.tail();
      expect(tail.length).toBeLessThanOrEqual(64 * 1024);
      expect(tail.startsWith('an old line')).toBe(true);
    });

    it('stays in memory if it cannot be written', async () => {
      await writeFile(path.join(folder, 'file'), '');
      const log = new HostLog(path.join(folder, 'file', 'logs'));
      log.write('info', 'said');
      expect(await log.tail()).toContain('said');
    });

    it('is recreated if its folder was deleted, with the lines written in the meantime', async () => {
      const log = new HostLog(path.join(folder, 'logs'));
      log.write('info', 'before');
      await rm(path.join(folder, 'logs'), { recursive: true });
      log.write('info', 'meanwhile');
      log.write('info', 'after');
      expect(await readFile(path.join(folder, 'logs', 'braggbench.log'), 'utf8')).toMatch(/meanwhile\n[\s\S]*after\n$/);
    });

    it('is sent to a browser page as text, including errors of the host', async () => {
      const dataFolder = path.join(folder, 'home');
      const shell = { kind: 'browser', dialogs: false, window: false, menus: false } as const;
      const test = await openTestHost({ dataFolder, shell });
      const page = await test.page();
      test.host.log.write('warning', 'Something odd');
      const { shown, file, text } = await page.call('log.show', {});
      expect([shown, file]).toEqual([false, path.join(dataFolder, 'logs', 'braggbench.log')]);
      expect(text).toMatch(/has started\.\n.*Something odd\n$/);
      await test.host.close();
    });
  });
});

describe('compilation of GPU kernels', () => {
  const report = (usable: boolean) => ({ devices: [{ usable }] }) as unknown as DeviceReport['cuda'];

  /** Kernels on a machine with or without a GPU; `settle` ends the compilation. */
  function createKernels(usable: boolean) {
    const compiler = Promise.withResolvers<WarmedKernels | null>();
    const asked: string[] = [];
    const said: string[] = [];
    const made = new GpuKernels(
      {
        driverDevices: () => report(usable),
        warmKernels: ({ workload }) => {
          asked.push(workload);
          return compiler.promise;
        },
      },
      (_level, text) => said.push(text),
    );
    return { made, asked, said, compiler };
  }

  function recordFrames(made: GpuKernels, solver: StagedSolver | null) {
    const seen: (SolverFrame | 'end')[] = [];
    made.stream(solver, { offer: (make) => seen.push(make()), end: () => seen.push('end') });
    return seen;
  }

  const whole = { stage: 'whole', progress: null, failed: null } as const;

  it('is reported while it runs, and ends once the kernels exist', async () => {
    const { made, asked, compiler } = createKernels(true);
    const compiling = made.compile(['transport']);
    const seen = recordFrames(made, null);
    compiler.resolve({ pieces: 36, compiled: 36, from_cache: 0, compile_s: 44 });
    await compiling;
    expect(asked).toEqual(['transport']);
    expect(seen).toEqual([{ ...whole, gpuKernels: true }, { ...whole, gpuKernels: false }, 'end']);
  });

  it('does not start without a GPU', async () => {
    const { made, asked } = createKernels(false);
    await made.compile(['transport']);
    expect(asked).toEqual([]);
    expect(recordFrames(made, null)).toEqual([{ ...whole, gpuKernels: false }, 'end']);
  });

  it('logs why it failed, and the program continues', async () => {
    const { made, said, compiler } = createKernels(true);
    const compiling = made.compile(['transport']);
    compiler.reject(new Error('NVRTC compiles for no architecture as old as 5.0.'));
    await compiling;
    expect(said).toEqual(['The GPU kernels could not be compiled: NVRTC compiles for no architecture as old as 5.0.']);
    expect(recordFrames(made, null)).toEqual([{ ...whole, gpuKernels: false }, 'end']);
  });

  it('streams its state until the solver is complete', () => {
    const { made } = createKernels(false);
    const solver = new StagedSolver(() => ({}) as never, '0.1.0');
    const seen = recordFrames(made, solver);
    solver.report({ stage: 'first', progress: '1 of 9 files', failed: null });
    solver.report(whole);
    const none = { progress: null, failed: null, gpuKernels: false };
    expect(seen).toEqual([
      { ...none, stage: 'none' },
      { ...none, stage: 'first', progress: '1 of 9 files' },
      { ...none, stage: 'whole' },
      'end',
    ]);
  });
});
