/**
 * TypeScript interface of the native addon, which native/binding implements, and the functions that find and load its
 * file. No other module loads the addon.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Ceilings, ClockState, DeviceReport, Variant } from '../../../contract/capabilities.ts';
import { BraggError, type ErrorCode, errorCodeSchema, messageOf } from '../../../contract/errors.ts';
import type { DriverOccupancy } from '../../../contract/launches.ts';
import type { Precision } from '../../../contract/run.ts';
import type { EngineScalars } from '../../../contract/scenario/transport/run-scalars.ts';
import { pathOutsideArchive } from '../programs.ts';
import type {
  Clocks,
  DeviceTrace,
  DiffractionProblem,
  DiffractionRun,
  DiffractionVariant,
  NativeTask,
  Spans,
  TaskProblem,
  TaskVariant,
} from './task.ts';

export type { DeviceTrace, Spans } from './task.ts';

/**
 * A variant of the proton-transport solver: the fields of every workload's variants, and those that only transport has.
 */
export interface TransportVariant extends Omit<Variant, 'precisions'> {
  readonly precisions: Precision[];
  readonly steppings: readonly ('path' | 'depth')[];
  readonly bytesPerCellStep: number;
  readonly flopsPerCellStep: number;
}

export type VariantOptions = Pick<TransportVariant, 'steppings' | 'precisions'>;

export interface NativeAddon {
  buildInfo(): { readonly version: string; readonly compiler: string; readonly build: string; readonly isas: string[] };
  machine(): {
    readonly cpu: string;
    readonly logicalCores: number;
    readonly isa: string;
    readonly memoryBytes: number;
    /** Size of one last-level cache. A CPU may have several, each shared by a group of cores. */
    readonly lastLevelCacheBytes: number;
    readonly os: string;
  };
  /** Measures the rate at which all cores together read memory, in bytes per second. The measurement needs 0.2 s. */
  memoryReadRate(): number;
  /**
   * Reports GPUs and CUDA libraries; the first call loads the libraries. `cache`: folder with previously measured
   * ceilings.
   */
  devices(options?: { readonly cache?: string }): DeviceReport;
  /** Lists the GPUs that the CUDA driver reports, without clocks or ceilings. Loads no other library. */
  driverDevices(): DeviceReport['cuda'];
  /** Clock state of the GPU with this UUID from NVML. Null without NVML. */
  clockState(options: { readonly device: string }): ClockState | null;
  /**
   * Locks the multiprocessor clock of a GPU, which affects all programs; a null `sm_MHz` unlocks it. Returns the reason
   * if that fails, otherwise null.
   */
  lockClocks(options: { readonly device: string; readonly sm_MHz: number | null }): string | null;
  /**
   * Measures the ceilings of bandwidth and arithmetic of a device, which needs about a second unless `cache` contains
   * them. Rejects with the errors of `createTransport`.
   */
  measureCeilings(options: KernelFolders & { readonly device?: string; readonly force?: boolean }): Promise<Ceilings>;
  /**
   * Compiles all kernels of a workload on several threads. Resolves to null if a fat binary exists, so that nothing
   * needs compiling. While it compiles, the variant `auto` does not select GPU variants of that workload. Rejects with
   * the errors of `createTransport`.
   */
  warmKernels(options: { readonly workload: string; readonly device?: string }): Promise<WarmedKernels | null>;
  /**
   * Asks the CUDA driver for the occupancy of kernels at the given block sizes. The driver loads the kernels on a
   * separate thread. Rejects with the errors of `createTransport`.
   */
  kernelOccupancy(
    options: KernelFolders & {
      readonly device: string;
      readonly workload: string;
      readonly kernels: readonly string[];
      readonly threads: readonly number[];
      readonly dynamic_bytes: number;
    },
  ): Promise<DriverOccupancy[]>;
  variants(): TransportVariant[];
  /** Stopping power (MeV cm²/g) and CSDA range (g/cm²) at the energies `at_MeV`, interpolated as in the solvers. */
  rangeTable(
    energies_MeV: Float64Array,
    stopping_MeV_cm2_g: Float64Array,
    at_MeV: Float64Array,
  ): { readonly stopping_MeV_cm2_g: Float64Array; readonly range_g_cm2: Float64Array };
  /**
   * Widths of the problem's beam by Fermi–Eyges theory, at the centres of the depth cells from the entrance until the
   * beam stops. Throws `unsupported` for a beam that is not along z.
   */
  fermiEyges(problem: TransportProblem): { readonly sigma_x_mm: Float64Array; readonly theta_rms_rad: Float64Array };
  /**
   * Depth dose (MeV in each row) and width of a beam in layered matter, with their derivatives, [direction][row].
   * Rejects with `unsupported` for matter that is not layered, tilted beams, or tracked reaction products.
   */
  doseTangents(problem: TransportProblem, directions: readonly TangentDirection[]): Promise<DoseTangents>;
  /** Three-dimensional dose of spots in layered matter. Rejects like `doseTangents`. */
  volumeDose(
    problem: TransportProblem,
    across: TransverseGrid,
  ): { readonly done: Promise<VolumeDose>; cancel(): void; progress(): VolumeDoseProgress };
  /**
   * Plans a run without starting it. Throws an Error whose `code` is 'invalid', 'memory', 'unsupported' or 'device'.
   */
  createTransport(problem: TransportProblem): TransportRun;
  /**
   * Like `createTransport`, but on a separate thread, because planning many steps needs 0.1 s. Rejects with the same
   * errors. `memory`: also estimates the peak memory of the run, which needs some milliseconds.
   */
  layTransport(problem: TransportProblem, memory?: boolean): Promise<TransportRun>;
  /**
   * Plans every spot of the problem as a separate beam; all beams share one grid. `devices`: GPUs, by index or UUID,
   * that share the work instead of the problem's device. Rejects with the errors of `createTransport`.
   */
  layBeams(problem: TransportProblem, devices?: readonly string[]): Promise<TransportBeams>;
  /** Loads a compiled user variant, which replaces its base variant until the process exits. */
  loadUserLibrary(file: string): void;
  /** Loads compiled CUDA kernels, which replace the kernels of the same names until the process exits. */
  loadUserKernels(kernels: { readonly workload: string; readonly name: string; readonly image: Uint8Array }): void;
  /**
   * Compiles with NVRTC, which blocks the calling thread for seconds. Throws an Error with the compiler's `log` if the
   * text does not compile.
   */
  compileUserKernels(request: UserKernelsRequest): { readonly image: Uint8Array; readonly log: string };
  /** Flushes the output buffers of the C and C++ standard libraries. */
  flushOutput(): void;
  /**
   * Limits the process to its present memory plus `bytes`. Returns false if the operating system has no such limit.
   */
  limitMemory(bytes: number): boolean;
  diffractionVariants(): DiffractionVariant[];
  /** Plans a diffraction image. Throws the errors of `createTransport`. */
  createDiffraction(problem: DiffractionProblem): DiffractionRun;
  /** Variants of the small benchmark workloads: those of one kind of scenario, or all if `workload` is absent. */
  taskVariants(workload?: string): TaskVariant[];
  /** Plans a small benchmark workload. Throws the errors of `createTransport`. */
  createTask(problem: TaskProblem): NativeTask;
}

/** An input with respect to which a dose is differentiated; its units are in transport/moments/tangents.hpp. */
export interface TangentDirection {
  readonly input:
    | 'energy'
    | 'energy_spread'
    | 'width'
    | 'angular_spread'
    | 'mean_excitation'
    | 'stopping'
    | 'density'
    | 'thickness'
    | 'scattering';
  /** Index of the layer, counted from the front; ignored for inputs of the beam. */
  readonly layer: number;
}

interface DoseTangents {
  readonly depth_dose: Float64Array;
  readonly x_sigma_mm: Float64Array;
  readonly dose_by: Float64Array;
  readonly x_sigma_by: Float64Array;
  readonly energy_in_MeV: number;
  readonly energy_by: Float64Array;
}

/** Grid of cells perpendicular to the beam, centred on x = y = 0. */
interface TransverseGrid {
  readonly nx: number;
  readonly ny: number;
  readonly dx_mm: number;
  readonly dy_mm: number;
}

/** Numbers of distinct kinds of spots (`kinds`), of solved kinds, and of depth planes with a complete dose (`summed`). */
export type VolumeDoseProgress = Readonly<Record<'kinds' | 'solved' | 'summed', number>>;

export interface VolumeDose {
  /** Dose in each cell, [z][y][x]. */
  readonly dose_MeV: Float64Array;
  /** Depth dose of each z row, summed over the whole plane, including the part outside of the transverse grid. */
  readonly depth_dose_MeV: Float64Array;
  readonly energy: Readonly<
    Record<'in' | 'outside' | 'neutral' | 'left' | 'products' | 'misfit' | 'rel_error', number>
  >;
}

/** Folders of the CUDA kernels. */
export interface KernelFolders {
  /** Folder of the fatbins compiled at build time: dist/kernels. */
  readonly images: string;
  /** Folder of the sources for compilation at run time: dist/kernels/source. */
  readonly sources: string;
  /** Folder for files compiled or measured at run time: the user's cache. */
  readonly cache: string;
}

/** Result of `warmKernels`. A piece is a group of kernels that are compiled to one image. */
export interface WarmedKernels {
  readonly pieces: number;
  readonly compiled: number;
  readonly from_cache: number;
  /** Compile time, summed over the pieces. Several threads compile at once, so the elapsed time is shorter. */
  readonly compile_s: number;
}

/** Request to compile a user's device code, which replaces a shipped kernel, with NVRTC. */
interface UserKernelsRequest {
  /**
   * `main` is the file to compile: either the replaced file itself, or one that includes it. `root` is the folder of
   * the kernels' sources.
   */
  readonly main: string;
  readonly root: string;
  readonly replaced: string;
  readonly text: string;
  /** Name of the code in messages. */
  readonly name: string;
  readonly cache: string;
  /** NVRTC options in addition to the default flags. */
  readonly options: readonly string[];
  readonly device?: string;
  /** Compute capability to compile for if the machine has no GPU: 90 for sm_90. */
  readonly architecture: number;
}

export interface TransportProblem {
  readonly beam: {
    readonly energy_MeV: number;
    readonly energy_sigma_MeV: number;
    /** Angle of the beam from the +z axis in the z–x plane. */
    readonly angle_rad: number;
    readonly angle_sigma_rad: number;
    readonly x_mm: number;
    readonly x_sigma_mm: number;
    /** Position and width (σ) of the beam along y. The z–x plane of the solver sums over this axis. */
    readonly y_mm?: number;
    readonly y_sigma_mm?: number;
    /** Distance from the entrance to the beam's waist; negative if the waist is in front of the entrance. */
    readonly focus_mm?: number;
    readonly z_mm: number;
    readonly weight: number;
  };
  /** Spots that replace the single beam. `beam` then states their highest energy and their entry depth. */
  readonly spots?: readonly TransportProblem['beam'][];
  readonly grid: {
    readonly nx: number;
    readonly nz: number;
    readonly ntheta: number;
    readonly dx_mm: number;
    readonly dz_mm: number;
    readonly dtheta_rad: number;
    readonly theta_centre_rad: number;
    readonly energy:
      | { readonly kind: 'range'; readonly step_mm: number }
      | { readonly kind: 'uniform'; readonly step_MeV: number; readonly min_MeV: number };
    readonly cutoff_MeV: number;
  };
  /**
   * Materials at their densities: one entry per pair of material and density scale. Entry 0 is always water, which
   * defines the range grid.
   */
  readonly materials: readonly {
    readonly name: string;
    readonly density_g_cm3: number;
    readonly z_over_a: number;
    readonly x0_g_cm2: number;
    readonly xs_g_cm2: number;
    readonly energies_MeV: Float64Array;
    readonly stopping_MeV_cm2_g: Float64Array;
    /** Composition by mass. */
    readonly elements: readonly { readonly symbol: string; readonly mass_fraction: number }[];
  }[];
  /** Index into `materials` for each cell, [z][x]. */
  readonly map: Uint8Array;
  readonly initial: { readonly kind: 'beam' } | { readonly kind: 'filled'; readonly seed: number };
  readonly physics: {
    readonly scattering: 'gottschalk' | 'fermi-rossi' | 'highland' | 'off';
    readonly straggling: 'bohr' | 'off';
    readonly nuclear: 'off' | 'attenuation' | 'icru63';
    /** Contents of the files in assets/nuclear, needed by the model icru63. */
    readonly nuclear_tables?: readonly { readonly name: string; readonly text: string }[];
  };
  readonly solver: {
    readonly stepping: 'path' | 'depth';
    readonly remap: 'high-order' | 'linear';
    readonly step_mm: number;
    readonly max_steps: number;
    readonly stop_weight: number;
    readonly precision: Precision;
    /** Id of a variant, or `auto`. */
    readonly variant: string;
    /**
     * Index or UUID of a GPU. If absent or empty: the GPU that BRAGGBENCH_CUDA_DEVICE names, otherwise the first usable
     * one.
     */
    readonly device?: string;
    /** Number of CPU threads; 0 for all cores. */
    readonly threads: number;
    readonly memory_limit_bytes: number;
  };
  readonly keyframes: number;
  /** Requests moments of tracks, and track-length spectra at the given depths. */
  readonly tracks?: { readonly spectra_mm: Float64Array };
}

/** A planned solution of many beams on one grid. */
export interface TransportBeams {
  readonly plan: Pick<
    TransportRun['plan'],
    'variant' | 'precision' | 'ne' | 'ntheta' | 'nz' | 'nx' | 'energies_MeV' | 'steps_max'
  > & {
    readonly device: 'cpu' | 'cuda';
    /** Estimated memory of each beam. */
    readonly estimate_bytes: number;
    /** Number of beams solved at the same time on the CPU. */
    readonly lanes: number;
    readonly isa: string;
    /** Whether `readouts` supports this grid and variant. */
    readonly has_readouts: boolean;
  };
  /**
   * Solves all beams; call once. Calls `ended` for each finished beam with its index in the list. The result of a
   * failed beam has an `error`.
   */
  start(ended: (answer: { readonly beam: number; readonly result: BeamResult }) => void): Promise<void>;
  /**
   * Like `start`, but passes each result in a reusable block, which is valid until `ended` returns. `reach_mm` has the
   * same meaning as for `axisProfile`. Moment solvers compute no dose maps for beams along z; `dose` computes them on
   * request.
   */
  startInBlocks(
    ended: (
      answer:
        | { readonly beam: number; readonly block: Float64Array }
        | { readonly beam: number; readonly result: BeamResult },
    ) => void,
    reach_mm: number,
  ): Promise<void>;
  /** Dose of the beam that is being reported by `startInBlocks` without a map: MeV per cell, of one row or of all. */
  dose(row?: number): Float64Array;
  /**
   * Computes readouts of any number of beams on this grid, without dose maps; may be called again. `list` has five
   * values per beam, see `writeBeamParameters`. No beam may have more energy than the spots of the problem. Rejects
   * with `unsupported` if `plan.has_readouts` is false.
   */
  readouts(list: Float64Array, curves: boolean): Promise<BeamTable>;
  /** Cancels all beams; unfinished ones are no longer reported. */
  cancel(): void;
}

/** Readouts of many beams, without their dose maps. */
export interface BeamTable {
  /** Readouts in the order of `readoutColumns`, [column][beam]. */
  readonly columns: Float64Array;
  /** Depth doses in MeV/mm, [row][beam], if requested. */
  readonly curves: Float32Array | null;
  /** Number of rows of `curves`, counted from the entrance. */
  readonly rows: number;
  /** Elapsed time from the call to the readouts in host memory, including the solver's set-up. */
  readonly solve_s: number;
  /** Time for marching the beams in depth. This and `readouts_s` are device times, or sums over all CPU threads. */
  readonly march_s: number;
  readonly readouts_s: number;
  readonly state_bytes: number;
  readonly setup_parts: TransportResult['setup_parts'];
}

/** Result of one of many beams, which has no keyframes, spans or device trace. */
export type BeamResult = Omit<TransportResult, 'keyframes' | 'spans' | 'clocks' | 'trace' | 'traceReason'>;

export interface TransportRun {
  readonly plan: {
    readonly variant: string;
    readonly precision: Precision;
    readonly ne: number;
    readonly ntheta: number;
    readonly nz: number;
    readonly nx: number;
    /** Centres of the energy bins, ascending. */
    readonly energies_MeV: Float64Array;
    /** Range spread (σ, mm of water) that the energy grid adds to the beam. */
    readonly extra_straggling_mm: number;
    /** Memory of ψ (the phase-space density) with all its cells stored: an upper bound for any run. */
    readonly estimate_bytes: number;
    /**
     * Approximate peak memory of the run, including tables and results; absent unless requested. For a GPU variant it
     * is device memory.
     */
    readonly memory_bytes?: number;
    readonly steps_max: number;
    readonly threads: number;
  };
  /** Solves on native threads, and reports progress at most about 60 times per second. Call once per run. */
  start(onProgress: (progress: NativeProgress) => void, measuring?: MeasuringSettings): Promise<TransportResult>;
  /** Cancels the run, which ends within one step. The promise then resolves with status 'cancelled'. */
  cancel(): void;
  /**
   * Sets the planes that later live frames contain, replacing the previous request. Throws `invalid` for a plane
   * outside of the grid.
   */
  wantPlanes(planes: readonly PlaneRequest[]): void;
  /** Returns one keyframe of an ended run, by its index in `TransportResult.keyframes`. Call once per keyframe. */
  keyframe(index: number): Marginals;
  /**
   * Returns the newest live frame, or null if there is none since the last call. Never waits for the run. With `parts`
   * the frame contains only the dose and the marginals with these names; its other arrays are empty.
   */
  live(parts?: readonly string[]): NativeLiveFrame | null;
  /** Requests the present state for recovery after a crash. The first `knownKeyframes` keyframes are left out. */
  wantCheckpoint(knownKeyframes: number): void;
  /** Returns the state that `wantCheckpoint` requested, or null if it is not ready yet. Never waits for the run. */
  checkpoint(): NativeCheckpoint | null;
}

/** State of a run at a step, in the form of a result, with the keyframes since the last checkpoint. */
export interface NativeCheckpoint
  extends Omit<TransportResult, 'spans' | 'keyframes' | 'clocks' | 'trace' | 'traceReason'> {
  readonly keyframes: readonly Marginals[];
}

/** Options for timing and monitoring a run; the same for every workload. */
export interface MeasuringSettings {
  /** Flush the CPU caches, or the L2 cache of a GPU, before the first step. The timed span does not include this. */
  readonly coldCaches?: boolean;
  /**
   * On a GPU: capture the launches of one batch of steps, untimed, and replay them as a CUDA graph. Rejected on the
   * CPU.
   */
  readonly graphReplay?: boolean;
  /** Skip live frames, because nobody displays the run in progress or requests its last frame. */
  readonly unwatched?: boolean;
  /** Read the device's clocks before set-up and after the steps. */
  readonly clocks?: boolean;
  /** Record the device's work and the driver's calls. This slows launches, even in later runs of the same process. */
  readonly trace?: boolean;
}

export interface NativeProgress {
  readonly step: number;
  readonly steps_max: number;
  readonly depth_mm: number;
  readonly weight_left: number;
  readonly ledger_error: number;
  readonly steps_per_s: number;
  readonly eta_s: number;
}

/** Numbers of protons over two axes, summed over the other two. In [slow][fast], the fast axis is contiguous. */
export interface Marginals {
  readonly step: number;
  readonly depth_mm: number;
  /** [z][x] */
  readonly zx: Float32Array;
  /** [x][theta] */
  readonly xtheta: Float32Array;
  /** [e][theta] */
  readonly etheta: Float32Array;
  /** [e][z] */
  readonly ez: Float32Array;
  /** [e][x]; empty in files of earlier versions. */
  readonly ex: Float32Array;
  /** [z][theta]; empty in files of earlier versions. */
  readonly ztheta: Float32Array;
}

type NativeAxis = 'e' | 'theta' | 'z' | 'x';

/** Request for the numbers of protons over two axes. Each other axis is summed (-1) or cut at one index. */
export interface PlaneRequest {
  readonly slow: NativeAxis;
  readonly fast: NativeAxis;
  /** In the order e, theta, z, x; -1 for the displayed axes. */
  readonly cut: readonly [number, number, number, number];
}

export interface NativePlane extends PlaneRequest {
  /** Protons in each cell, [slow][fast]. */
  readonly values: Float32Array;
}

export interface NativeLiveFrame extends Marginals {
  /** Dose deposited so far in MeV per cell, [z][x]. */
  readonly dose: Float64Array;
  /** Planes requested by the last call of `wantPlanes` before this frame was made. */
  readonly planes: readonly NativePlane[];
}

/** Result of a run. The inherited scalars are described in run-scalars.ts. */
export interface TransportResult extends EngineScalars {
  /**
   * `failed`: the device failed during the run. `error` then has the reason, and the other fields describe the finished
   * part.
   */
  readonly status: 'done' | 'cancelled' | 'failed';
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly variant: string;
  readonly precision: Precision;
  /** Parts of setup_s: tables; for a CUDA variant also device, kernels, upload, state, capture. */
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  /** FLOPs per cell and step of the operators that this problem uses; wider angular kernels need more. */
  readonly flops_per_cell_step: number;
  /** Deposited energy in MeV per cell, [z][x]. */
  readonly dose: Float64Array;
  /**
   * Sums over the fluence through the centre plane of each z cell: N, Σx, Σx², Σθ, Σθ², Σxθ; x in mm, θ in rad from +z.
   */
  readonly crossing: Float64Array;
  /**
   * Energy removed by nuclear reactions, by destination; only with the model icru63. `seconds` is the time for
   * following the products, which `solve_s` does not include.
   */
  readonly secondaries?: {
    readonly local_MeV: number;
    readonly protons_MeV: number;
    readonly deuterons_MeV: number;
    readonly neutral_MeV: number;
    readonly escaped_MeV: number;
    readonly seconds: number;
  };
  /** If tracks were requested: moments [3][z][x] (mm, MeV, MeV²/mm) of primary and of all protons, and spectra. */
  readonly tracks?: {
    readonly primary: Float64Array;
    readonly protons: Float64Array;
    /** Track length in mm, [rows][ne]. */
    readonly spectra: Float64Array;
    readonly spectrum_rows: readonly number[];
    readonly spectrum_energies_MeV: Float64Array;
  };
  /** Numbers of protons, [step][column], with the columns `numberColumns` of the contract. */
  readonly ledger_number: Float64Array;
  /** Energies in MeV, [step][column], with the columns `energyColumns` of the contract. */
  readonly ledger_energy: Float64Array;
  /**
   * Protons and energy (MeV) that left through each face, [step][face], with the columns `faceColumns` of the contract.
   */
  readonly faces_number: Float64Array;
  readonly faces_energy: Float64Array;
  /** Steps and depths of the keyframes, whose arrays `TransportRun.keyframe` returns one at a time. */
  readonly keyframes: readonly { readonly step: number; readonly depth_mm: number }[];
  readonly spans: Spans;
  readonly isa: string;
  /** Clocks before and after the run. Each is null unless `clocks` was requested and NVML supports the device. */
  readonly clocks: Clocks;
  /** Device trace; null unless `trace` was requested. If recording it failed, `traceReason` has the reason. */
  readonly trace: DeviceTrace | null;
  readonly traceReason: string | null;
}

/** Paths where the addon may be: next to the bundle's folder, or in the build folder of a checkout. */
function addonPaths(): readonly string[] {
  const here = import.meta.dirname;
  const folders = [path.join(here, '..', 'native'), path.join(here, '../../../..', 'dist/native')];
  // On the first start, an addon with only the CPU transport (`_first`) is compiled before the complete one.
  return ['braggbench.node', 'braggbench_first.node'].flatMap((name) => folders.map((each) => path.join(each, name)));
}

function findAddon(file?: string): string {
  // The system cannot load native code from inside the archive of a packaged application.
  const places = (file === undefined ? addonPaths() : [file]).map(pathOutsideArchive);
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new BraggError(
    'unsupported',
    `The solver is not built: ${places.slice(0, 2).join(' and ')} do not exist. Run npm run build`,
  );
}

/** Folder of the addon. It also contains the libraries with which user kernels are linked. */
export function addonFolder(): string {
  return path.dirname(findAddon());
}

/** Loads the addon. Throws BraggError with the searched paths, or with the reason why loading failed. */
export function loadAddon(file?: string): NativeAddon {
  const found = findAddon(file);
  try {
    return createRequire(import.meta.url)(found) as NativeAddon;
  } catch (error) {
    const reason = messageOf(error);
    throw new BraggError('unsupported', `The solver at ${found} cannot be loaded: ${reason}`, [], { cause: error });
  }
}

/**
 * Returns a function for the range spread (σ, mm of water) that a problem's energy grid adds, as computed by the
 * engine. It resolves to null if the engine rejects the problem.
 */
export function extraStragglingOf(addon: NativeAddon): (problem: TransportProblem) => Promise<number | null> {
  return async (problem) => {
    try {
      return (await addon.layTransport(problem)).plan.extra_straggling_mm;
    } catch {
      // The user sees the reason for the rejection when the scenario is run or validated.
      return null;
    }
  };
}

/**
 * Returns a lookup of the steppings and precisions that a transport variant offers. Null for an unknown variant, such
 * as `auto`.
 */
export function variantOptionsOf(addon: NativeAddon): (variant: string) => VariantOptions | null {
  // Cached, because listing all variants for each file of a library would be slow. Listed again for an unknown name,
  // because variants are added while the addon is compiled on a first start.
  let known: ReadonlyMap<string, VariantOptions> = new Map();
  return (variant) => {
    if (!known.has(variant)) known = new Map(addon.variants().map((offers) => [offers.id, offers]));
    return known.get(variant) ?? null;
  };
}

/** Converts an exception of the addon to a BraggError with the same code. */
export function errorFromNative(error: unknown): BraggError {
  if (error instanceof BraggError) return error;
  const errorFields = typeof error === 'object' && error !== null ? error : {};
  const message = 'message' in errorFields ? String(errorFields.message) : String(error);
  const code = errorCodeSchema.safeParse('code' in errorFields ? errorFields.code : undefined);
  const known: ErrorCode = code.success ? code.data : 'internal';
  return new BraggError(known, message, [], { cause: error });
}
