/**
 * Interface of the native addon, declared once, and the search for its file. Only this module loads the addon.
 * native/binding implements these types.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Ceilings, ClockState, DeviceReport, Variant } from '../../../contract/capabilities.ts';
import { BraggError, type ErrorCode, errorCodeSchema, messageOf } from '../../../contract/errors.ts';
import type { DriverOccupancy } from '../../../contract/launches.ts';
import type { Precision } from '../../../contract/run.ts';
import type { EngineScalars } from '../../../contract/scenario/transport/run-scalars.ts';
import { pathOnDisk } from '../programs.ts';
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

/** A variant of proton transport, with the fields for transport only. */
export interface TransportVariant extends Omit<Variant, 'precisions'> {
  readonly precisions: Precision[];
  readonly steppings: readonly ('path' | 'depth')[];
  readonly bytesPerCellStep: number;
  readonly flopsPerCellStep: number;
}

export type VariantChoices = Pick<TransportVariant, 'steppings' | 'precisions'>;

export interface NativeAddon {
  buildInfo(): { readonly version: string; readonly compiler: string; readonly build: string; readonly isas: string[] };
  machine(): {
    readonly cpu: string;
    readonly logicalCores: number;
    readonly isa: string;
    readonly memoryBytes: number;
    /** Size of the cache that one group of cores shares. */
    readonly lastLevelCacheBytes: number;
    readonly os: string;
  };
  /** Bytes per second that all cores read from memory; the measurement needs 0.2 s. */
  memoryReadRate(): number;
  /** Opens NVIDIA's libraries on the first call. `cache`: folder of the cached measured ceilings. */
  devices(options?: { readonly cache?: string }): DeviceReport;
  /** Devices according to the driver alone, without clocks or ceilings; no other library is opened. */
  driverDevices(): DeviceReport['cuda'];
  /** Clock state of the GPU with this UUID from NVML. Null without NVML. */
  clockState(options: { readonly device: string }): ClockState | null;
  /**
   * Locks the multiprocessor clock of a GPU for all programs; a null clock releases it. Returns the reason of a
   * failure, or null.
   */
  lockClocks(options: { readonly device: string; readonly sm_MHz: number | null }): string | null;
  /**
   * Measures the ceilings, which needs about a second on the device unless `cache` contains them. Rejects with the
   * errors of `createTransport`.
   */
  measureCeilings(options: KernelFolders & { readonly device?: string; readonly force?: boolean }): Promise<Ceilings>;
  /**
   * Compiles every kernel of a workload on several threads if there is no fat binary. Null if there is one. Meanwhile
   * `auto` does not select GPU variants of that workload. Rejects with the errors of `createTransport`.
   */
  warmKernels(options: { readonly workload: string; readonly device?: string }): Promise<WarmedKernels | null>;
  /**
   * Occupancy of kernels at block sizes from the driver, which loads the kernels on a thread. Rejects with the errors
   * of `createTransport`.
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
  /** Stopping power (MeV cm²/g) and CSDA range (g/cm²) at the energies `at`, with the engines' own interpolation. */
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
  /** Throws an Error whose `code` is 'invalid', 'memory', 'unsupported' or 'device'. */
  createTransport(problem: TransportProblem): TransportRun;
  /**
   * Like `createTransport`, but on a separate thread, because a plan with many steps needs 0.1 s. Rejects with the same
   * errors. `memory`: also estimates the memory for the plan, which needs some milliseconds.
   */
  layTransport(problem: TransportProblem, memory?: boolean): Promise<TransportRun>;
  /**
   * Every spot of the problem as a separate beam, on one grid. `devices`: GPUs by index or UUID that share the beams,
   * in place of the problem's. Rejects with the errors of `createTransport`.
   */
  layBeams(problem: TransportProblem, devices?: readonly string[]): Promise<TransportBeams>;
  /** Replaces the base variant of a compiled user variant for the rest of the process. */
  loadUserLibrary(file: string): void;
  /** Replaces CUDA kernels by name for the rest of the process. */
  loadUserKernels(kernels: { readonly workload: string; readonly name: string; readonly image: Uint8Array }): void;
  /** Blocks the thread for seconds. Throws an Error with the compiler's `log` if the text does not compile. */
  compileUserKernels(request: UserKernelsRequest): { readonly image: Uint8Array; readonly log: string };
  /** Flushes buffered output of C and C++ code. */
  flushOutput(): void;
  /** Allows the process this much additional memory. False if the system has no such limit. */
  limitMemory(bytes: number): boolean;
  diffractionVariants(): DiffractionVariant[];
  /** Throws the errors of `createTransport`. */
  createDiffraction(problem: DiffractionProblem): DiffractionRun;
  /** Variants of small workloads: of one kind of scenario, or all. */
  taskVariants(workload?: string): TaskVariant[];
  /** Throws the errors of `createTransport`. */
  createTask(problem: TaskProblem): NativeTask;
}

/** An input for which the derivative of a dose is computed; its units are in transport/moments/tangents.hpp. */
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
  /** Index of the layer from the front, for inputs that belong to a layer. */
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

/** Cells across the beam, about x = y = 0. */
interface TransverseGrid {
  readonly nx: number;
  readonly ny: number;
  readonly dx_mm: number;
  readonly dy_mm: number;
}

/** Kinds of spots, how many of them are solved, and the number of planes of depth with a dose. */
export type VolumeDoseProgress = Readonly<Record<'kinds' | 'solved' | 'summed', number>>;

export interface VolumeDose {
  /** Dose in each cell, [z][y][x]. */
  readonly dose_MeV: Float64Array;
  /** Depth dose in each row of z, inside and outside of the cells. */
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

/** Result of `warmKernels`; each piece is compiled to one image. */
export interface WarmedKernels {
  readonly pieces: number;
  readonly compiled: number;
  readonly from_cache: number;
  /** Sum over the pieces, which several threads compile at the same time. */
  readonly compile_s: number;
}

/** The user's device code in place of a shipped kernel, for NVRTC. */
interface UserKernelsRequest {
  /** File to compile, which is or includes the replacement, and the folder of the kernels' sources. */
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
  /** Compute capability if there is no GPU, such as 90. */
  readonly architecture: number;
}

export interface TransportProblem {
  readonly beam: {
    readonly energy_MeV: number;
    readonly energy_sigma_MeV: number;
    /** Angle from +z in the z–x plane. */
    readonly angle_rad: number;
    readonly angle_sigma_rad: number;
    readonly x_mm: number;
    readonly x_sigma_mm: number;
    /** Position and width along the axis that the plane sums over. */
    readonly y_mm?: number;
    readonly y_sigma_mm?: number;
    /** Distance from the entrance to the narrowest point of the beam; negative for a source in front. */
    readonly focus_mm?: number;
    readonly z_mm: number;
    readonly weight: number;
  };
  /** Spots in place of the beam, whose energy is the highest of these. Their entry depth is that of the beam. */
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
  /** Index 0 is always water, which defines the range grid. One entry per pair of material and density scale. */
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
  /** Material index per cell, nz × nx, row z, x contiguous. */
  readonly map: Uint8Array;
  readonly initial: { readonly kind: 'beam' } | { readonly kind: 'filled'; readonly seed: number };
  readonly physics: {
    readonly scattering: 'gottschalk' | 'fermi-rossi' | 'highland' | 'off';
    readonly straggling: 'bohr' | 'off';
    readonly nuclear: 'off' | 'attenuation' | 'icru63';
    /** Files of assets/nuclear, for the model icru63. */
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
     * GPU by index or UUID. If absent or empty, the GPU that BRAGGBENCH_CUDA_DEVICE names, else the first usable one.
     */
    readonly device?: string;
    /** Number of CPU threads; 0 for all cores. */
    readonly threads: number;
    readonly memory_limit_bytes: number;
  };
  readonly keyframes: number;
  /** Scores moments of tracks, and spectra at the given depths. */
  readonly tracks?: { readonly spectra_mm: Float64Array };
}

/** Many beams on one grid. */
export interface TransportBeams {
  readonly plan: Pick<
    TransportRun['plan'],
    'variant' | 'precision' | 'ne' | 'ntheta' | 'nz' | 'nx' | 'energies_MeV' | 'steps_max'
  > & {
    readonly device: 'cpu' | 'cuda';
    /** Estimate for each beam. */
    readonly estimate_bytes: number;
    /** Number of beams solved at the same time on the CPU. */
    readonly lanes: number;
    readonly isa: string;
    /** Whether `readouts` can solve beams. */
    readonly has_readouts: boolean;
  };
  /**
   * Solves all beams; call once. Reports each beam when it ends, by its index in the list. A failed beam has an
   * `error`.
   */
  start(ended: (answer: { readonly beam: number; readonly result: BeamResult }) => void): Promise<void>;
  /**
   * Like `start`, but with results in reusable blocks, each valid until `ended` returns. `reach_mm` as for
   * `axisProfile`.
   */
  startInBlocks(
    ended: (
      answer:
        | { readonly beam: number; readonly block: Float64Array }
        | { readonly beam: number; readonly result: BeamResult },
    ) => void,
    reach_mm: number,
  ): Promise<void>;
  /**
   * Readouts of any number of beams on this grid, without maps; may be called again. `list` has five values per beam, see
   * `writeListedBeam`. No beam may have more energy than the problem's spots. Rejects with `unsupported` without
   * `plan.has_readouts`.
   */
  readouts(list: Float64Array, curves: boolean): Promise<BeamTable>;
  /** Cancels the beams; active ones are not reported any more. */
  cancel(): void;
}

/** Readouts of many beams. */
export interface BeamTable {
  /** Values by column in the order of `readoutColumns`, each column by beam. */
  readonly columns: Float64Array;
  /** Depth doses in MeV/mm, [row][beam], if requested. */
  readonly curves: Float32Array | null;
  /** Rows of the map from the entrance on. */
  readonly rows: number;
  /** From the list to the readouts in the machine's memory, set-up of the solver included. */
  readonly solve_s: number;
  /** Time of marches and of readouts from their rows: of the device, or of all threads together. */
  readonly march_s: number;
  readonly readouts_s: number;
  readonly state_bytes: number;
  readonly setup_parts: TransportResult['setup_parts'];
}

/** Result of one beam of many, without keyframes and spans. */
export type BeamResult = Omit<TransportResult, 'keyframes' | 'spans' | 'clocks' | 'trace' | 'traceReason'>;

export interface TransportRun {
  readonly plan: {
    readonly variant: string;
    readonly precision: Precision;
    readonly ne: number;
    readonly ntheta: number;
    readonly nz: number;
    readonly nx: number;
    /** Bin centres, ascending. */
    readonly energies_MeV: Float64Array;
    /** Range spread (σ, mm of water) that the energy grid adds to the beam. */
    readonly extra_straggling_mm: number;
    /** Memory of a completely filled ψ: an upper bound for ψ in any run. */
    readonly estimate_bytes: number;
    /** Approximate peak memory of the run with tables and results, if requested; device memory for a GPU. */
    readonly memory_bytes?: number;
    readonly steps_max: number;
    readonly threads: number;
  };
  /** Solves on native threads; reports progress at most about 60 times per second. Call once per run. */
  start(onProgress: (progress: NativeProgress) => void, measuring?: MeasuringSettings): Promise<TransportResult>;
  /** Takes effect within one step; the promise then resolves with status 'cancelled'. */
  cancel(): void;
  /** Planes to include in further live frames; replaces the previous request. Throws `invalid` outside the grid. */
  wantPlanes(planes: readonly PlaneRequest[]): void;
  /** Returns one keyframe of an ended run by its index in the result's list. Call once per keyframe. */
  keyframe(index: number): Marginals;
  /** Newest marginals since the last call, or null. Never waits for the run. */
  /** With `parts` the frame contains only the dose and the named sums; other arrays are empty. */
  live(parts?: readonly string[]): NativeLive | null;
  /** Requests the present state, without the `knownKeyframes` keyframes that are already known. */
  wantCheckpoint(knownKeyframes: number): void;
  /** The requested state; null if it is not ready yet. Never waits for the run. */
  checkpoint(): NativeCheckpoint | null;
}

/** A run as if it had ended at a step, with the keyframes that were not yet known. */
export interface NativeCheckpoint
  extends Omit<TransportResult, 'spans' | 'keyframes' | 'clocks' | 'trace' | 'traceReason'> {
  readonly keyframes: readonly Marginals[];
}

/** Options for timing and monitoring a run of any workload. */
export interface MeasuringSettings {
  /** Empty the caches (the L2 of a GPU) before the first step, outside of the timed span. */
  readonly coldCaches?: boolean;
  /** On a GPU: capture the launches of a batch, untimed, and replay them as one graph. Rejected on the CPU. */
  readonly graphReplay?: boolean;
  /** Make no live frames, because nobody displays the run in progress or requests its last frame. */
  readonly unwatched?: boolean;
  /** Read the device's clocks before set-up and after the steps. */
  readonly clocks?: boolean;
  /** Record the device's work and the driver's calls; slows launches, in later runs of the process too. */
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

/** Protons per cell, summed over the other two axes. In [slow][fast], the fast axis is contiguous. */
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

/** Protons over two axes; each other axis is summed (-1) or cut at one index. */
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

export interface NativeLive extends Marginals {
  /** MeV per cell up to now, [z][x]. */
  readonly dose: Float64Array;
  /** Planes of the last `wantPlanes` request when the frame was made. */
  readonly planes: readonly NativePlane[];
}

/** Scalars are described in run-scalars.ts. */
export interface TransportResult extends EngineScalars {
  /** `failed`: the device failed during the run; other fields describe the finished part, and `error` the reason. */
  readonly status: 'done' | 'cancelled' | 'failed';
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly variant: string;
  readonly precision: Precision;
  /** Parts of setup_s: tables; for a CUDA variant also device, kernels, upload, state, capture. */
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  /** Operations of this problem's operators; wide angle kernels have more. */
  readonly flops_per_cell_step: number;
  /** MeV per cell, [z][x]. */
  readonly dose: Float64Array;
  /** Per z cell: N, Σx, Σx², Σθ, Σθ², Σxθ of the fluence through its centre plane; mm, rad from +z. */
  readonly crossing: Float64Array;
  /**
   * With icru63: destinations of the energy that reactions removed, and the seconds for following it, in addition to
   * solve_s.
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
  /** [step][column], with the columns in `numberColumns` of the contract. */
  readonly ledger_number: Float64Array;
  /** Energies in MeV, [step][column], with the columns in `energyColumns`. */
  readonly ledger_energy: Float64Array;
  /** Protons and energy (MeV) that escaped through each face, with the columns in `faceColumns`. */
  readonly faces_number: Float64Array;
  readonly faces_energy: Float64Array;
  /** Arrays of keyframes are fetched one by one with `TransportRun.keyframe`. */
  readonly keyframes: readonly { readonly step: number; readonly depth_mm: number }[];
  readonly spans: Spans;
  readonly isa: string;
  /** Clock states, each null unless `clocks` was requested and NVML supports the device. */
  readonly clocks: Clocks;
  /** Device trace. Null unless `trace` was requested and recorded; `traceReason` then contains the reason. */
  readonly trace: DeviceTrace | null;
  readonly traceReason: string | null;
}

/** Possible paths of the addon: next to the bundle's folder, and in the build folder of a checkout. */
function candidates(): readonly string[] {
  const here = import.meta.dirname;
  const folders = [path.join(here, '..', 'native'), path.join(here, '../../../..', 'dist/native')];
  // A first start compiles an addon with CPU transport before the complete one.
  return ['braggbench.node', 'braggbench_first.node'].flatMap((name) => folders.map((each) => path.join(each, name)));
}

function findAddon(file?: string): string {
  // Native code cannot be loaded from within a package's archive.
  const places = (file === undefined ? candidates() : [file]).map(pathOnDisk);
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new BraggError(
    'unsupported',
    `The solver is not built: ${places.slice(0, 2).join(' and ')} do not exist. Run npm run build`,
  );
}

/** Folder of the addon, with the libraries that user kernels are linked with. */
export function nativeFolder(): string {
  return path.dirname(findAddon());
}

/** Loads the addon. Throws BraggError with the searched paths or the reason of a failure. */
export function loadAddon(file?: string): NativeAddon {
  const found = findAddon(file);
  try {
    return createRequire(import.meta.url)(found) as NativeAddon;
  } catch (error) {
    const reason = messageOf(error);
    throw new BraggError('unsupported', `The solver at ${found} cannot be loaded: ${reason}`, [], { cause: error });
  }
}

/** Range spread that the energy grid of a problem adds, as computed by the engine. Null if it rejects the problem. */
export function extraStraggling(addon: NativeAddon): (problem: TransportProblem) => Promise<number | null> {
  return async (problem) => {
    try {
      return (await addon.layTransport(problem)).plan.extra_straggling_mm;
    } catch {
      // The rejection itself is reported when the scenario is run or validated.
      return null;
    }
  };
}

/** Capabilities of the transport variant with this name. Null if there is none, as for `auto`. */
export function offersOf(addon: NativeAddon): (variant: string) => VariantChoices | null {
  // Cached, because listing all variants for each file of a library would be slow. A first start adds variants later.
  let known: ReadonlyMap<string, VariantChoices> = new Map();
  return (variant) => {
    if (!known.has(variant)) known = new Map(addon.variants().map((offers) => [offers.id, offers]));
    return known.get(variant) ?? null;
  };
}

/** Converts an error of the addon, with its code. */
export function errorFromNative(error: unknown): BraggError {
  if (error instanceof BraggError) return error;
  const told = typeof error === 'object' && error !== null ? error : {};
  const message = 'message' in told ? String(told.message) : String(error);
  const code = errorCodeSchema.safeParse('code' in told ? told.code : undefined);
  const known: ErrorCode = code.success ? code.data : 'internal';
  return new BraggError(known, message, [], { cause: error });
}
