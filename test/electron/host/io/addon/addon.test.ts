/** Selection of one of several GPUs: by index or by UUID; a wrong selector is rejected with a list of the choices. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CudaDevice, DeviceReport, SolverState } from '../../../../../electron/contract/capabilities.ts';
import { loadAddon } from '../../../../../electron/host/index.ts';
import type { NativeAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { defaultGpu, findGpu, parseGpuList, setDefaultGpu } from '../../../../../electron/host/io/addon/gpu.ts';
import { StagedSolver } from '../../../../../electron/host/io/addon/staged-solver.ts';
import { openTestHost } from '../../test-host.ts';

describe('GPU selection', () => {
  afterEach(() => vi.unstubAllEnvs());

  const device = (index: number, uuid: string, reason: string | null = null) =>
    ({ index, name: `GPU ${index}`, uuid, usable: reason === null, reason }) as CudaDevice;
  const devices = [
    device(0, 'GPU-11111111-aaaa-0000-0000-000000000000', 'it is in exclusive use'),
    device(1, 'GPU-22222222-aaaa-0000-0000-000000000000'),
    device(2, 'GPU-22222222-bbbb-0000-0000-000000000000'),
  ];
  const report = { cuda: { available: true, reason: null, devices } } as unknown as DeviceReport;

  it('finds a GPU by its index or by the beginning of its UUID', () => {
    const found = (selector: string) => findGpu(devices, selector)?.index ?? null;
    expect(['0', '2', 'GPU-11111111', '22222222-b', 'GPU-22222222-aaaa-0000'].map(found)).toEqual([0, 2, 0, 2, 1]);
    // Selectors that are out of range, too short, ambiguous, unknown or empty.
    expect(['3', '1111111', 'GPU-22222222', 'GPU-33333333', ''].map(found)).toEqual(Array(5).fill(null));
  });

  it('uses the first usable GPU, or the chosen one', () => {
    vi.stubEnv('BRAGGBENCH_CUDA_DEVICE', '');
    expect(defaultGpu(report)?.index).toBe(1);
    vi.stubEnv('BRAGGBENCH_CUDA_DEVICE', '0');
    expect(defaultGpu(report)).toBeNull();
    setDefaultGpu(report, '2');
    expect(process.env['BRAGGBENCH_CUDA_DEVICE']).toBe('GPU-22222222-bbbb-0000-0000-000000000000');
    expect(defaultGpu(report)?.index).toBe(2);
    expect(() => setDefaultGpu(report, '0')).toThrow('the GPU "0" cannot be used; it is in exclusive use');
    expect(() => setDefaultGpu(report, '7')).toThrow(
      /^the GPU "7" cannot be used; allowed: 1 \(GPU 1, GPU-22222222-aaaa[-0]+\), 2 \(GPU 2, /,
    );
  });

  it('lists the GPUs that share work: all usable ones, or the given list', () => {
    const shared = (list: string) => parseGpuList(report, list).map(({ index }) => index);
    expect([shared('all'), shared('2'), shared('2, 1'), shared('1,1')]).toEqual([[1, 2], [2], [2, 1], [1, 1]]);
    expect(() => shared('1,0')).toThrow('the GPU "0" cannot be used; it is in exclusive use');
    expect(() => shared('')).toThrow('the GPU "" cannot be used; allowed: 1 (GPU 1, ');
    const none = { cuda: { ...report.cuda, reason: 'there is no driver', devices: [] } };
    expect(() => parseGpuList(none, 'all')).toThrow('no GPU can be used; there is no driver');
  });

  it('reports the reason for a missing GPU before anything runs', async (context) => {
    vi.stubEnv('BRAGGBENCH_CUDA_DEVICE', '');
    const { cuda } = loadAddon().devices();
    if (cuda.available) context.skip('this machine has a GPU');
    await expect(openTestHost({ gpu: '0' })).rejects.toThrow(`the GPU "0" cannot be used; ${cuda.reason}`);
  });
});

const buildingStage = (stage: SolverState['stage'], progress: string | null = null): SolverState => ({
  stage,
  progress,
  failed: null,
});
const neverAborted = new AbortController().signal;

/** A solver whose stages consist of these functions. */
function stagedAddon(...stages: readonly Partial<NativeAddon>[]): StagedSolver {
  let next = 0;
  return new StagedSolver(() => stages[next++] as NativeAddon, '1.2.3');
}

const first: Partial<NativeAddon> = { limitMemory: () => true };
const completeAddon: Partial<NativeAddon> = {
  limitMemory: () => false,
  taskVariants: (workload) => [{ workload, id: 'one' }] as unknown as ReturnType<NativeAddon['taskVariants']>,
};

describe('a solver that is compiled while pages are served', () => {
  it('lists nothing, and names the program, before there is an addon', () => {
    const { addon } = stagedAddon();
    expect(addon.variants()).toEqual([]);
    expect(addon.buildInfo().version).toBe('1.2.3');
    expect(addon.devices().cuda).toMatchObject({ available: false, reason: 'The solver is being compiled.' });
    expect(() => addon.limitMemory(1)).toThrow('The solver is being compiled.');
  });

  it('answers a call once the first addon exists, and later calls with the complete one', async () => {
    const solver = stagedAddon(first, completeAddon);
    const answers: boolean[] = [];
    const waiting = solver
      .callWhenCompiled(() => solver.addon.limitMemory(1), neverAborted)
      .then((answer) => answers.push(answer));
    solver.report(buildingStage('none', '3 of 66 files'));
    await Promise.resolve();
    expect(answers).toEqual([]);
    solver.report(buildingStage('first'));
    await waiting;
    solver.report(buildingStage('whole'));
    answers.push(await solver.callWhenCompiled(() => solver.addon.limitMemory(1), neverAborted));
    expect(answers).toEqual([true, false]);
  });

  it('repeats a call that needs a part missing from the first addon, however the call fails', async () => {
    const solver = stagedAddon(first, completeAddon);
    solver.report(buildingStage('first'));
    let calls = 0;
    const listed = solver.callWhenCompiled(async () => {
      calls += 1;
      await Promise.resolve();
      return solver.addon.taskVariants('micro').length;
    }, neverAborted);
    const refused = solver.callWhenCompiled(() => {
      if (solver.addon.taskVariants('micro').length === 0) throw new Error('no variant can do this');
      return 'allowed';
    }, neverAborted);
    await new Promise(setImmediate);
    expect(calls).toBe(1);
    solver.report(buildingStage('whole'));
    expect(await listed).toBe(1);
    expect(await refused).toBe('allowed');
    expect(calls).toBe(2);
  });

  it('forwards errors of calls that need no missing part', async () => {
    const solver = stagedAddon(first);
    solver.report(buildingStage('first'));
    await expect(solver.callWhenCompiled(() => Promise.reject(new Error('no such run')), neverAborted)).rejects.toThrow(
      'no such run',
    );
  });

  it('rejects waiting calls if compilation fails, and stops waiting for a cancelled call', async () => {
    const solver = stagedAddon();
    const cancelled = new AbortController();
    const left = solver.callWhenCompiled(() => 'answer', cancelled.signal);
    cancelled.abort(new Error('the page closed'));
    await expect(left).rejects.toThrow('the page closed');
    const refused = solver.waitForStage('first');
    solver.report({ stage: 'none', progress: null, failed: 'The C++ build failed.' });
    await expect(refused).rejects.toThrow('The C++ build failed.');
  });
});
