/** The GPU's kernels of a machine without nvcc, with a stand-in for a compiler that takes its time. */
import { expect, it } from 'vitest';
import type { SolverFrame } from '../../../../electron/contract/capabilities.ts';
import type { DeviceReport } from '../../../../electron/contract/devices.ts';
import { GpuKernels } from '../../../../electron/host/app/gpu-kernels.ts';
import type { WarmedKernels } from '../../../../electron/host/io/addon/addon.ts';
import { StagedSolver } from '../../../../electron/host/io/addon/staged-solver.ts';

const report = (usable: boolean) => ({ devices: [{ usable }] }) as unknown as DeviceReport['cuda'];

/** Kernels on a machine with or without a GPU; `settle` ends the compiler. */
function kernels(usable: boolean) {
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

function watch(made: GpuKernels, solver: StagedSolver | null) {
  const seen: (SolverFrame | 'end')[] = [];
  made.stream(solver, { offer: (make) => seen.push(make()), end: () => seen.push('end') });
  return seen;
}

const whole = { stage: 'whole', progress: null, failed: null } as const;

it('says that kernels are compiled, and ends once they are there', async () => {
  const { made, asked, compiler } = kernels(true);
  const compiling = made.compile(['transport']);
  const seen = watch(made, null);
  compiler.resolve({ pieces: 36, compiled: 36, from_cache: 0, compile_s: 44 });
  await compiling;
  expect(asked).toEqual(['transport']);
  expect(seen).toEqual([{ ...whole, gpuKernels: true }, { ...whole, gpuKernels: false }, 'end']);
});

it('compiles nothing where there is no GPU', async () => {
  const { made, asked } = kernels(false);
  await made.compile(['transport']);
  expect(asked).toEqual([]);
  expect(watch(made, null)).toEqual([{ ...whole, gpuKernels: false }, 'end']);
});

it('logs why kernels could not be compiled, and goes on', async () => {
  const { made, said, compiler } = kernels(true);
  const compiling = made.compile(['transport']);
  compiler.reject(new Error('NVRTC compiles for no architecture as old as 5.0.'));
  await compiling;
  expect(said).toEqual(["The GPU's kernels could not be compiled: NVRTC compiles for no architecture as old as 5.0."]);
  expect(watch(made, null)).toEqual([{ ...whole, gpuKernels: false }, 'end']);
});

it('streams the state of a solver that is being compiled until it is whole', () => {
  const { made } = kernels(false);
  const solver = new StagedSolver(() => ({}) as never, '0.1.0');
  const seen = watch(made, solver);
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
