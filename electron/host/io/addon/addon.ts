/**
 * The native addon: its interface, declared once, and how it is found. Nothing
 * else imports it. native/binding implements these types.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Variant } from '../../../contract/capabilities.ts';
import type { Ceilings, ClockState, DeviceReport } from '../../../contract/devices.ts';
import { BraggError, type ErrorCode, errorCodeSchema, messageOf } from '../../../contract/errors.ts';
import type { DriverOccupancy } from '../../../contract/launches.ts';
import type { Precision } from '../../../contract/run.ts';
import type { EngineScalars } from '../../../contract/scenario/transport/run-scalars.ts';
import { onDisk } from '../on-disk.ts';
import type { DiffractionProblem, DiffractionRun, DiffractionVariant } from './diffraction.ts';
import type { Clocks, DeviceTrace, Spans } from './recorded.ts';
import type { NativeTask, TaskProblem, TaskVariant } from './task.ts';

export type { DeviceTrace, Spans } from './recorded.ts';

/** A variant of proton transport with what only transport asks of one. */
export interface TransportVariant extends Omit<Variant, 'precisions'> {
  readonly precisions: Precision[];
  readonly steppings: readonly ('path' | 'depth')[];
  readonly bytesPerCellStep: number;
  readonly flopsPerCellStep: number;
}

export type Offers = Pick<TransportVariant, 'steppings' | 'precisions'>;

export interface NativeAddon {
  buildInfo(): { readonly version: string; readonly compiler: string; readonly build: string; readonly isas: string[] };
  machine(): {
    readonly cpu: string;
    readonly logicalCores: number;
    readonly isa: string;
    readonly memoryBytes: number;
    /** One group of cores has this much. */
    readonly lastLevelCacheBytes: number;
    readonly os: string;
  };
  /** Bytes per second that all cores read from memory; needs a fifth of a second. */
  memoryReadRate(): number;
  /** Opens NVIDIA's libraries on the first call. `cache`: folder of the cached measured ceilings. */
  devices(options?: { readonly cache?: string }): DeviceReport;
  /** Devices as the driver alone reports them, without clocks or ceilings; no other library is opened. */
  driverDevices(): DeviceReport['cuda'];
  /** NVML's reading of the GPU with that UUID; null without NVML. */
  clockState(options: { readonly device: string }): ClockState | null;
  /** Keeps its multiprocessor clock for all programs, or with null no longer. Why that cannot be; null where it is so. */
  lockClocks(options: { readonly device: string; readonly sm_MHz: number | null }): string | null;
  /** Takes about a second on the device unless `cache` has them. Rejects like `createTransport` throws. */
  measureCeilings(options: KernelFolders & { readonly device?: string; readonly force?: boolean }): Promise<Ceilings>;
  /**
   * Compiles every kernel of a workload on several threads, where there is no fat binary; null where there is one. `auto`
   * takes no GPU variant of that workload meanwhile. Rejects like `createTransport` throws.
   */
  warmKernels(options: { readonly workload: string; readonly device?: string }): Promise<WarmedKernels | null>;
  /**
   * Occupancy of kernels at block sizes, from the driver; loads them on a thread. Rejects like `createTransport`
   * throws.
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
  /** Stopping power (MeV cm²/g) and CSDA range (g/cm²) at the energies `at`, by the engines' own interpolation. */
  rangeTable(
    energies_MeV: Float64Array,
    stopping_MeV_cm2_g: Float64Array,
    at_MeV: Float64Array,
  ): { readonly stopping_MeV_cm2_g: Float64Array; readonly range_g_cm2: Float64Array };
  /**
   * Widths of the problem's beam in Fermi–Eyges theory at the middle of every cell of depth from its entrance on,
   * until it stops. Throws `unsupported` for a beam that is not along z.
   */
  fermiEyges(problem: TransportProblem): { readonly sigma_x_mm: Float64Array; readonly theta_rms_rad: Float64Array };
  /**
   * Depth dose (MeV in each row) and width of a beam in layered matter, with their derivatives, [direction][row]. Rejects with
   * `unsupported` where matter is not layered, beams are tilted, or products of reactions are followed.
   */
  doseTangents(problem: TransportProblem, directions: readonly TangentDirection[]): Promise<DoseTangents>;
  /** Dose in three dimensions of spots in layered matter; rejects likewise. */
  volumeDose(problem: TransportProblem, across: AcrossGrid): { readonly done: Promise<VolumeDose>; cancel(): void };
  /** Throws an Error whose `code` is 'invalid', 'memory', 'unsupported' or 'device'. */
  createTransport(problem: TransportProblem): TransportRun;
  /**
   * The same, laid out on a thread of its own: with many steps that takes a tenth of a second. Rejects as that throws.
   * `memory`: its plan says what it takes, found within some milliseconds.
   */
  layTransport(problem: TransportProblem, memory?: boolean): Promise<TransportRun>;
  /**
   * Every spot of the problem as a beam of its own, on one grid; `devices` share them, GPUs by index or UUID, in the place
   * of the problem's. Rejects as `createTransport` throws.
   */
  layBeams(problem: TransportProblem, devices?: readonly string[]): Promise<TransportBeams>;
  /** Replaces the shipped variant that a compiled user variant was made from, for the rest of the process. */
  loadUserLibrary(file: string): void;
  /** The same of CUDA kernels, by their names. */
  loadUserKernels(kernels: { readonly workload: string; readonly name: string; readonly image: Uint8Array }): void;
  /** Blocks for seconds. Throws an Error with the compiler's `log` if the text does not compile. */
  compileUserKernels(request: UserKernelsRequest): { readonly image: Uint8Array; readonly log: string };
  /** Hands on what C and C++ code has printed and the process not yet written. */
  flushOutput(): void;
  /** Lets the process take that much more memory; false where the system knows no such limit. */
  limitMemory(bytes: number): boolean;
  diffractionVariants(): DiffractionVariant[];
  /** Throws like `createTransport`. */
  createDiffraction(problem: DiffractionProblem): DiffractionRun;
  /** Variants of small workloads: for one kind of scenario, or all. */
  taskVariants(workload?: string): TaskVariant[];
  /** Throws like `createTransport`. */
  createTask(problem: TaskProblem): NativeTask;
}

/** An input by which a dose is differentiated; units in transport/moments/tangents.hpp. */
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
  /** From the front; of inputs that belong to a layer. */
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
interface AcrossGrid {
  readonly nx: number;
  readonly ny: number;
  readonly dx_mm: number;
  readonly dy_mm: number;
}

export interface VolumeDose {
  /** [z][y][x] */
  readonly dose_MeV: Float64Array;
  /** Inside and outside of the cells. */
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
  /** Folder for what is compiled or measured at run time: the user's cache. */
  readonly cache: string;
}

/** Result of `warmKernels`; a piece is compiled as one image. */
export interface WarmedKernels {
  readonly pieces: number;
  readonly compiled: number;
  readonly from_cache: number;
  /** Sum over the pieces; several threads compile at once. */
  readonly compile_s: number;
}

/** Device code of the user's in the place of one of ours, for NVRTC. */
interface UserKernelsRequest {
  /** The file to compile, which is or includes the replaced one, and the folder of the kernels' sources. */
  readonly main: string;
  readonly root: string;
  readonly replaced: string;
  readonly text: string;
  /** As messages name it. */
  readonly name: string;
  readonly cache: string;
  /** NVRTC options in addition to our own flags. */
  readonly options: readonly string[];
  readonly device?: string;
  /** Used if there is no GPU that defines it, such as 90. */
  readonly architecture: number;
}

export interface TransportProblem {
  readonly beam: {
    readonly energy_MeV: number;
    readonly energy_sigma_MeV: number;
    /** From +z in the z–x plane. */
    readonly angle_rad: number;
    readonly angle_sigma_rad: number;
    readonly x_mm: number;
    readonly x_sigma_mm: number;
    /** Place and width along the axis that the plane sums over. */
    readonly y_mm?: number;
    readonly y_sigma_mm?: number;
    /** Way from the entrance to where the beam is narrowest; negative: to a source in front. */
    readonly focus_mm?: number;
    readonly z_mm: number;
    readonly weight: number;
  };
  /** Spots that replace the beam, whose energy is the highest of these. Entry depths are the beam's. */
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
  /** Index 0 is water always: it defines the range grid. One entry per pair of material and density scale. */
  readonly materials: readonly {
    readonly name: string;
    readonly density_g_cm3: number;
    readonly z_over_a: number;
    readonly x0_g_cm2: number;
    readonly xs_g_cm2: number;
    readonly energies_MeV: Float64Array;
    readonly stopping_MeV_cm2_g: Float64Array;
    /** Mass fractions. */
    readonly elements: readonly { readonly symbol: string; readonly mass_fraction: number }[];
  }[];
  /** Material index per cell, nz × nx, row z, x contiguous. */
  readonly map: Uint8Array;
  readonly initial: { readonly kind: 'beam' } | { readonly kind: 'filled'; readonly seed: number };
  readonly physics: {
    readonly scattering: 'gottschalk' | 'fermi-rossi' | 'highland' | 'off';
    readonly straggling: 'bohr' | 'off';
    readonly nuclear: 'off' | 'attenuation' | 'icru63';
    /** For icru63: the files of assets/nuclear. */
    readonly nuclear_tables?: readonly { readonly name: string; readonly text: string }[];
  };
  readonly solver: {
    readonly stepping: 'path' | 'depth';
    readonly remap: 'high-order' | 'linear';
    readonly step_mm: number;
    readonly max_steps: number;
    readonly stop_weight: number;
    readonly precision: Precision;
    /** A variant's id, or `auto`. */
    readonly variant: string;
    /** GPU by index or UUID; absent or empty: BRAGGBENCH_CUDA_DEVICE, else the first that can be used. */
    readonly device?: string;
    /** 0: all. */
    readonly threads: number;
    readonly memory_limit_bytes: number;
  };
  readonly keyframes: number;
  /** Scores moments of tracks, and spectra at depths. */
  readonly tracks?: { readonly spectra_mm: Float64Array };
}

/** Many beams on one grid. */
export interface TransportBeams {
  readonly plan: Pick<
    TransportRun['plan'],
    'variant' | 'precision' | 'ne' | 'ntheta' | 'nz' | 'nx' | 'energies_MeV' | 'steps_max'
  > & {
    readonly device: 'cpu' | 'cuda';
    /** For each beam. */
    readonly estimate_bytes: number;
    /** Beams at the same time on the CPU. */
    readonly lanes: number;
    readonly isa: string;
  };
  /** Solves all beams, once. Reports each as it ends, by its index in the list; failed ones with their `error`. */
  start(ended: (answer: { readonly beam: number; readonly result: BeamResult }) => void): Promise<void>;
  /** The same in blocks, each of which holds until `ended` returns; `reach_mm` as for `axisProfile`. */
  startInBlocks(
    ended: (
      answer:
        | { readonly beam: number; readonly block: Float64Array }
        | { readonly beam: number; readonly result: BeamResult },
    ) => void,
    reach_mm: number,
  ): Promise<void>;
  /** Beams that are still running are no longer reported. */
  cancel(): void;
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
    /** Approximate peak memory of the run with tables and results, if requested; for a GPU, its device memory. */
    readonly memory_bytes?: number;
    readonly steps_max: number;
    readonly threads: number;
  };
  /** Solves on native threads; progress at most about 60 times a second. Once per run. */
  start(onProgress: (progress: NativeProgress) => void, measuring?: Measuring): Promise<TransportResult>;
  /** Effective within one step; the promise then resolves with status 'cancelled'. */
  cancel(): void;
  /** Planes to include in further live frames; replaces the previous request. Throws `invalid` outside the grid. */
  wantPlanes(planes: readonly PlaneRequest[]): void;
  /** Hands over one keyframe of a run that has ended, once; by index in the result's list. */
  keyframe(index: number): Marginals;
  /** The newest marginals since the last call, or null. Never waits for the run. */
  /** With `parts` the frame holds the dose and the sums that are named, and the others are empty. */
  live(parts?: readonly string[]): NativeLive | null;
  /** Asks for the state so far, without the keyframes that are known already. */
  wantCheckpoint(knownKeyframes: number): void;
  /** The requested state; null if it is not ready yet. Never waits for the run. */
  checkpoint(): NativeCheckpoint | null;
}

/** A run as if it had ended at a step, with the keyframes that were not known. */
export interface NativeCheckpoint
  extends Omit<TransportResult, 'spans' | 'keyframes' | 'clocks' | 'trace' | 'traceReason'> {
  readonly keyframes: readonly Marginals[];
}

/** Options for timing and monitoring a run of any workload. */
export interface Measuring {
  /** Empty the caches (a GPU's L2) before the first step, outside the timed span. */
  readonly coldCaches?: boolean;
  /** On a GPU: capture what a batch launches, untimed, and replay it as one graph. The CPU refuses it. */
  readonly graphReplay?: boolean;
  /** Nobody looks at the run on its way or asks for its last frame: no live frames are made. */
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

/** Protons per cell, summed over the other two axes. First axis slow, second contiguous. */
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
  /** [z][theta]; empty as above. */
  readonly ztheta: Float32Array;
}

type NativeAxis = 'e' | 'theta' | 'z' | 'x';

/** Protons over two axes; each of the others summed (-1) or cut at one index. */
export interface PlaneRequest {
  readonly slow: NativeAxis;
  readonly fast: NativeAxis;
  /** In the order e, theta, z, x; -1 for the axes that are shown. */
  readonly cut: readonly [number, number, number, number];
}

export interface NativePlane extends PlaneRequest {
  /** [slow][fast] */
  readonly values: Float32Array;
}

export interface NativeLive extends Marginals {
  /** MeV per cell so far, [z][x]. */
  readonly dose: Float64Array;
  /** Planes that `wantPlanes` had requested when the frame was made. */
  readonly planes: readonly NativePlane[];
}

/** Its numbers are those of run-scalars.ts. */
export interface TransportResult extends EngineScalars {
  /** `failed`: the device failed on the way; the rest is what was finished before, and `error` why. */
  readonly status: 'done' | 'cancelled' | 'failed';
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly variant: string;
  readonly precision: Precision;
  /** Parts of setup_s: tables; for a CUDA variant also device, kernels, upload, state, capture. */
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  /** Operations of this problem's operators: wide angle kernels have more. */
  readonly flops_per_cell_step: number;
  /** MeV per cell, [z][x]. */
  readonly dose: Float64Array;
  /** Per z cell: N, Σx, Σx², Σθ, Σθ², Σxθ of the fluence crossing its centre plane; mm, rad from +z. */
  readonly crossing: Float64Array;
  /**
   * With icru63: destinations of the energy that reactions removed, and the seconds of following it, in addition to
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
    /** [rows][ne] mm of track. */
    readonly spectra: Float64Array;
    readonly spectrum_rows: readonly number[];
    readonly spectrum_energies_MeV: Float64Array;
  };
  /** [step][column], columns as `numberColumns` of the contract. */
  readonly ledger_number: Float64Array;
  /** The same in MeV, columns as `energyColumns`. */
  readonly ledger_energy: Float64Array;
  /** The same of what has escaped through each face, columns as `faceColumns`: protons, and MeV. */
  readonly faces_number: Float64Array;
  readonly faces_energy: Float64Array;
  /** Their arrays are fetched one by one with `TransportRun.keyframe`. */
  readonly keyframes: readonly { readonly step: number; readonly depth_mm: number }[];
  readonly spans: Spans;
  readonly isa: string;
  /** Clock states, each null unless `clocks` was requested and NVML supports the device. */
  readonly clocks: Clocks;
  /** Device trace; null unless `trace` was requested and recorded. `traceReason` then contains the reason. */
  readonly trace: DeviceTrace | null;
  readonly traceReason: string | null;
}

/** Paths where the addon may be: next to the bundle's folder, and in the build folder of a checkout. */
function candidates(): readonly string[] {
  const here = import.meta.dirname;
  const folders = [path.join(here, '..', 'native'), path.join(here, '../../../..', 'dist/native')];
  // A first start compiles an addon that solves transport on the CPU before the whole one.
  return ['braggbench.node', 'braggbench_first.node'].flatMap((name) => folders.map((each) => path.join(each, name)));
}

function findAddon(file?: string): string {
  // Native code cannot be loaded from within a package's archive.
  const places = (file === undefined ? candidates() : [file]).map(onDisk);
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new BraggError(
    'unsupported',
    `The solver is not built: ${places.slice(0, 2).join(' and ')} do not exist. Run: npm run build`,
  );
}

/** The addon's folder, with what user kernels are linked with. */
export function nativeFolder(): string {
  return path.dirname(findAddon());
}

/** Loads the addon. Throws a BraggError that says where it was looked for or why it cannot be loaded. */
export function loadAddon(file?: string): NativeAddon {
  const found = findAddon(file);
  try {
    return createRequire(import.meta.url)(found) as NativeAddon;
  } catch (error) {
    const reason = messageOf(error);
    throw new BraggError('unsupported', `The solver at ${found} cannot be loaded: ${reason}`, [], { cause: error });
  }
}

/** Range spread that the energy grid of a problem adds, as the engine computes it; null if it rejects the problem. */
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

/** Capabilities of the transport variant with this name; null if there is none, as for `auto`. */
export function offersOf(addon: NativeAddon): (variant: string) => Offers | null {
  // Listing all variants for each file of a library takes long. A first start gets further ones.
  let known: ReadonlyMap<string, Offers> = new Map();
  return (variant) => {
    if (!known.has(variant)) known = new Map(addon.variants().map((offers) => [offers.id, offers]));
    return known.get(variant) ?? null;
  };
}

/** An error of the addon with its code, as the host passes it on. */
export function fromNative(error: unknown): BraggError {
  if (error instanceof BraggError) return error;
  const told = typeof error === 'object' && error !== null ? error : {};
  const message = 'message' in told ? String(told.message) : String(error);
  const code = errorCodeSchema.safeParse('code' in told ? told.code : undefined);
  const known: ErrorCode = code.success ? code.data : 'internal';
  return new BraggError(known, message, [], { cause: error });
}
