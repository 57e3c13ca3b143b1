/**
 * Opens the engine: the solver with user kernels, the selected GPU, the memory limit, and the capabilities that pages
 * receive.
 */
import { totalmem } from 'node:os';
import path from 'node:path';
import type { Capabilities } from '../../contract/capabilities.ts';
import { loadAddon, type NativeAddon } from '../io/addon/addon.ts';
import { defaultGpu, setDefaultGpu } from '../io/addon/gpu.ts';
import type { StagedSolver } from '../io/addon/staged-solver.ts';
import { lazyValue } from '../io/flow/once.ts';
import type { StartChild } from '../io/processes/link.ts';
import { readCommit } from '../model/bench/commit.ts';
import { kernelFolders } from '../model/bench/machine.ts';
import { readShippedSpaces } from '../model/tuning/space.ts';
import { allVariants, kernelFoldersOf } from '../workloads/index.ts';
import { GpuKernels } from './gpu-kernels.ts';
import type { UserData, UserDataOptions } from './user-data.ts';
import { UserKernels } from './user-kernels/user-kernels.ts';

export interface EngineOptions extends UserDataOptions {
  /** Name that the user has given to this machine, if pages run on another one. */
  readonly remote?: string;
  /** Scenario that the first page opens. */
  readonly openFirst?: string;
  /** Whether to run `openFirst` at once. */
  readonly runFirst?: boolean;
  /** Index or UUID of the GPU for runs. By default the first usable one. */
  readonly gpu?: string;
  /** Memory limit for the state of one run. By default three quarters of the machine's memory. */
  readonly memoryLimit_bytes?: number;
  readonly addon?: NativeAddon;
  /** Present if the solver is compiled while pages are served. */
  readonly solver?: StagedSolver | null;
  /** Starts the processes of user kernels. By default they are children of this process. */
  readonly startChild?: StartChild;
}

/**
 * Share of the memory for the state of a run. The remaining memory is for the system, the page and results of earlier
 * runs.
 */
const SHARE_OF_MEMORY = 0.75;

/** Reads the versions of the program and the properties of the processor. */
function readProgram(addon: NativeAddon): Pick<Capabilities, 'version' | 'build' | 'compiler' | 'cpu'> {
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, memoryBytes, isa, os } = addon.machine();
  return { version, build, compiler, cpu: { name: cpu, logicalCores, isa, memory_bytes: memoryBytes, os } };
}

function loadSolver(options: EngineOptions) {
  const begun_ms = performance.now();
  const solver = options.solver ?? null;
  const engine = options.addon ?? solver?.addon ?? loadAddon();
  const opened = [{ name: 'addon loaded', seconds: (performance.now() - begun_ms) / 1000 }];
  if (options.gpu !== undefined) setDefaultGpu({ cuda: engine.driverDevices() }, options.gpu);
  return { solver, engine, opened };
}

function openUserKernels({ assetsFolder, startChild }: EngineOptions, addon: NativeAddon, { trust }: UserData) {
  return new UserKernels({
    addon,
    folders: kernelFolders(),
    isTrusted: (sha256) => trust.has(sha256),
    spaces: lazyValue(() => readShippedSpaces(assetsFolder)),
    ...(startChild === undefined ? {} : { startChild }),
  });
}

/**
 * Returns a function that reports the devices. Opening a device and its libraries needs 0.5 s and 200 MB, so this is
 * done on the first call.
 */
function deviceReport(engine: NativeAddon, solver: StagedSolver | null): NativeAddon['devices'] {
  const found = lazyValue(() => engine.devices());
  return () => (solver?.state.stage === 'none' ? engine.devices() : found());
}

/** Starts compiling the GPU kernels that a window needs, as soon as the solver is complete. */
function compileAtStart(gpuKernels: GpuKernels, addon: NativeAddon, solver: StagedSolver | null): void {
  const whole = solver?.waitForStage('whole') ?? Promise.resolve();
  // Ignore errors, because the page reports a solver that cannot be compiled.
  void whole.then(
    () => gpuKernels.compile(kernelFoldersOf(addon, ({ compiledAtStart }) => compiledAtStart)),
    () => undefined,
  );
}

export async function openEngine(options: EngineOptions, data: UserData) {
  const { files, log } = data;
  const { solver, engine, opened } = loadSolver(options);
  const userKernels = openUserKernels(options, engine, data);
  const memoryLimit_bytes = options.memoryLimit_bytes ?? Math.floor(totalmem() * SHARE_OF_MEMORY);
  const program = readProgram(engine);
  // Compiler and instruction set are unknown until the solver is ready.
  solver?.watch(() => Object.assign(program, readProgram(engine)));
  const started = `Braggbench ${program.version} (${program.build}) on ${program.cpu.os} has started.`;
  if (log.file !== null) log.write('info', started);
  const commit = await readCommit(path.dirname(options.assetsFolder));
  const devices = deviceReport(engine, solver);
  const gpu = lazyValue(() => defaultGpu({ cuda: engine.driverDevices() })?.name ?? null);
  const { addon } = userKernels;
  const capabilities = (): Capabilities => ({
    ...program,
    devices: devices(),
    variants: [...allVariants(addon)],
    // The user may change the library's folder while the program runs.
    shell: { ...options.shell, libraryFolder: files.library.folder, remote: options.remote ?? null },
    memoryLimit_bytes,
    openFirst: options.openFirst === undefined ? null : files.grant(options.openFirst).file,
    runFirst: options.runFirst ?? false,
  });
  const gpuKernels = new GpuKernels(addon, log.write);
  if (options.shell.kind !== 'none') {
    // Pages request the devices when they connect. Query them now, while no page waits for a response.
    devices();
    compileAtStart(gpuKernels, addon, solver);
  }
  return {
    addon,
    solver,
    gpuKernels,
    userKernels,
    memoryLimit_bytes,
    program,
    capabilities,
    devices,
    commit,
    gpu,
    opened,
  };
}
export type Engine = Awaited<ReturnType<typeof openEngine>>;
