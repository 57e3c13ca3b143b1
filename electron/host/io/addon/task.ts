/**
 * The addon's interfaces for small measured workloads and diffraction images, and the recordings of any run.
 * native/binding/runs/task_run.cpp and diffraction_run.cpp implement them. SI units and radians.
 */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import type { ClockState, Variant } from '../../../contract/capabilities.ts';
import type { Precision } from '../../../contract/run.ts';

/** The device's clocks before set-up and after the work. */
export interface Clocks {
  readonly before: ClockState | null;
  readonly after: ClockState | null;
}

/** Device work and driver calls, column by column, in order of start. */
export interface DeviceTrace {
  readonly source: string;
  readonly names: readonly string[];
  readonly dropped: number;
  /** 0 kernel, 1 copy, 2 memset, 3 graph, 4 driver call. */
  readonly kind: Uint16Array;
  /** Index into `names`. */
  readonly name: Uint32Array;
  /** Nanoseconds since the start of the run, on the clock of the spans. */
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** Thread of a driver call. */
  readonly stream: Uint32Array;
  /** Equal for a launch and its driver call. */
  readonly correlation: Uint32Array;
  /** x, y, z of each launch. */
  readonly grid: Uint32Array;
  readonly block: Uint32Array;
  readonly registers: Uint32Array;
  readonly static_shared_bytes: Uint32Array;
  readonly dynamic_shared_bytes: Uint32Array;
  readonly bytes: Float64Array;
  readonly graph: Uint32Array;
  readonly graph_node: Float64Array;
}

export interface Spans {
  readonly names: readonly string[];
  /** In a run on the GPU, thread 0 is the host and thread 1 the device. */
  readonly threads: number;
  readonly name: Uint16Array;
  readonly thread: Uint16Array;
  readonly step: Uint32Array;
  /** Nanoseconds since the start of the run. */
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** Spans dropped because the recorder was full. */
  readonly dropped: number;
}

/** Named values, validated by the scenario's schema. */
export interface TaskProblem {
  /** Kind of the scenario. */
  readonly workload: string;
  /** Benchmark, for a kind with several; empty otherwise. */
  readonly bench: string;
  readonly variant: string;
  /** Index or UUID of the GPU; if absent, the default GPU. */
  readonly device?: string;
  readonly threads: number;
  readonly memory_limit_bytes: number;
  readonly seed: number;
  readonly numbers: Readonly<Record<string, number>>;
  readonly words: Readonly<Record<string, string>>;
  readonly switches: Readonly<Record<string, boolean>>;
}

export interface TaskVariant extends Omit<Variant, 'precisions'> {
  readonly benchTitle: string;
  /** Precision of the arithmetic: fp32, tf32, bf16, … */
  readonly precision: string;
  /** Library whose kernels do the work, such as `cuBLAS`. Null for the project's own kernels. */
  readonly library: string | null;
}

interface TaskPlan {
  readonly variant: string;
  readonly precision: string;
  readonly device: 'cpu' | 'cuda';
  readonly estimate_bytes: number;
}

export interface TaskPreparation {
  readonly setup_s: number;
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  readonly isa: string;
}

export interface TaskSamplingOptions {
  readonly mode: Mode;
  /** Minimum time in seconds; it determines the number of repetitions. */
  readonly at_least_s: number;
  readonly clocks?: boolean;
  readonly trace?: boolean;
  /** Audits one repetition at an index drawn by the engine: the results are judged, or returned to the caller. */
  readonly audit?: 'judged' | 'handed-over';
  /** Ends the sample with a probe for remembered inputs. */
  readonly probe?: boolean;
  /** Whether some inputs change at unpredictable repetitions; for the CPU only. */
  readonly hide?: boolean;
  /** Seed for changing some inputs in a further repetition of an audit. */
  readonly altered?: number;
  /** Measures only `swapped_s`; the task must not have run since it was prepared. */
  readonly swapped?: boolean;
}

export interface MemoryProbe {
  readonly fresh_s: number;
  readonly again_s: number;
  /** NaN if not timed. */
  readonly usual_s: number;
}

/** An audit outside of the timed part of a sample. */
export interface TaskAudit {
  /** Empty if the results were returned to the caller. */
  readonly checks: readonly TaskCheck[];
  readonly compared: string;
  readonly results: readonly Float64Array[];
  /** Results of a repetition with altered inputs; absent without one. */
  readonly altered?: readonly Float64Array[];
  /** Checks of the altered results, if the answer to the altered problem is known. */
  readonly alteredChecks?: readonly TaskCheck[];
  readonly outputs: number;
  /** Number of results that the audited repetition did not write, and the index of the first. */
  readonly unwritten: number;
  readonly first_unwritten: number;
  readonly inputs_changed: boolean;
  /** Times of repetitions with new inputs, with these inputs again, and with the sample's inputs. */
  readonly probes: readonly MemoryProbe[];
  readonly seconds: number;
}

/** Changes at unpredictable repetitions of a sample; none on a GPU. */
export interface HiddenChanges {
  /** Times of a repetition directly after changes of a few inputs and results, and of the one before. */
  readonly probes: readonly { readonly changed_s: number; readonly before_s: number }[];
  /** Number of poisoned results that were not written, and the index of the first. */
  readonly unwritten: number;
  readonly first_unwritten: number;
}

/** Means over the repetitions. Null if the clock is not available. */
export interface TaskSample {
  readonly repetitions: number;
  readonly device_s: number | null;
  readonly wall_s: number | null;
  /** Time by the relevant clock: the device's, unless the task measures the host. */
  readonly time_s: number;
  /** Total time of all repetitions by the host's clock. */
  readonly timed_s: number;
  /** End of the call on the machine's steady clock, read in the process that ran it. */
  readonly ended_ns: number;
  /** End of the call on the same clock, read in this process; absent unless another process ran the call. */
  readonly received_ns?: number;
  /** Processor time of that process outside of calls since the previous sample, and the elapsed time. */
  readonly between?: { readonly cpu_s: number; readonly elapsed_s: number };
  readonly audit: TaskAudit | null;
  readonly hidden: HiddenChanges;
  /**
   * Time of one repetition with the prepared inputs, after many with others. Null unless requested, or without such
   * inputs.
   */
  readonly swapped_s: number | null;
  /**
   * Spans of all calls up to now: preparation, checks and timed work, with the number of repetitions as step. A traced
   * sample also contains every repetition, and its parts on further threads.
   */
  readonly spans: Spans;
  /** Zero of the spans on the machine's steady clock, which all recorders share. */
  readonly origin_ns: number;
  readonly clocks: { readonly before: ClockState | null; readonly after: ClockState | null };
  readonly trace: DeviceTrace | null;
  readonly traceReason: string | null;
}

export interface TaskCheck {
  readonly id: string;
  readonly title: string;
  /** Null if the value is not a number (NaN), which never passes. */
  readonly value: number | null;
  readonly limit: number;
  readonly holds: boolean;
  /** First value beyond the tolerance, and the reference's value; empty if there is none. */
  readonly where: string;
}

/** A number that a variant reports about itself. Null if it is not a number. */
export interface TaskQuantity {
  readonly id: string;
  readonly title: string;
  readonly value: number | null;
  readonly unit: string;
}

export interface TaskVerdict {
  readonly checks: readonly TaskCheck[];
  /** Description of the comparison. */
  readonly compared: string;
  readonly holds: boolean;
  /** Number of runs with equal inputs. `bitwise`: whether their results have equal bits. */
  readonly runs: number;
  readonly bitwise: boolean;
  readonly hash: string;
  /** Clock that determines the time. */
  readonly clock: 'device' | 'wall';
  /** Bytes and operations of one repetition. Null if not meaningful. */
  readonly work: { readonly bytes: number | null; readonly flops: number | null };
  readonly quantities: readonly TaskQuantity[];
  readonly audit: TaskAudit | null;
  /**
   * Results that the engine did not judge: those of the first run, of each run with different bits, or of a user
   * kernel.
   */
  readonly unjudged: readonly (readonly Float64Array[])[];
}

/** One call at a time. After `cancel` every call returns null. Rejects with the errors of `createTransport`. */
export interface NativeTask {
  readonly plan: TaskPlan;
  /**
   * `seed`: seed of the inputs; by default that of the problem. `altered`: seed of the alterations that audits may use.
   */
  prepare(seed?: number, altered?: number): Promise<TaskPreparation | null>;
  sample(options: TaskSamplingOptions): Promise<TaskSample | null>;
  /** Without `judged`, the results are returned to the caller unjudged. */
  check(runs: number, judged?: boolean): Promise<TaskVerdict | null>;
  /** Quantities that the variant reports about its repetitions; may run further ones. */
  told(): Promise<readonly TaskQuantity[] | null>;
  /** All input arrays for the problem's seed, for a reference outside of the engine; needs no preparation. */
  inputs(): Promise<readonly Float64Array[] | null>;
  /** Checks results of another program on this problem against the same reference; needs no preparation. */
  compare(results: readonly Float64Array[]): Promise<Pick<TaskVerdict, 'checks' | 'compared'> | null>;
  /** Frees the prepared data. */
  close(): Promise<void>;
  /** Takes effect between two repetitions; in long CPU work within one. */
  cancel(): void;
}

/** Three components: along x, y, z or along a, b, c. */
export type Vector3 = Float64Array;

export interface DiffractionProblem {
  readonly beam: {
    readonly wavelength_m: number;
    /** Full width of the wavelengths relative to their mean. */
    readonly dispersion: number;
    readonly dispersion_steps: number;
    readonly divergence_h_rad: number;
    readonly divergence_h_steps: number;
    readonly divergence_v_rad: number;
    readonly divergence_v_steps: number;
    /** Photons per m². */
    readonly fluence_m2: number;
    readonly polarisation: number;
  };
  readonly crystal: (
    | {
        readonly cell: {
          readonly a_m: number;
          readonly b_m: number;
          readonly c_m: number;
          readonly alpha_rad: number;
          readonly beta_rad: number;
          readonly gamma_rad: number;
        };
      }
    | { readonly reciprocal: { readonly a_per_m: Vector3; readonly b_per_m: Vector3; readonly c_per_m: Vector3 } }
  ) & {
    readonly misset_rad: Vector3;
    readonly cells: Vector3;
    readonly shape: 'square' | 'round' | 'gauss' | 'tophat';
    readonly mosaic_spread_rad: number;
    readonly mosaic_domains: number;
    readonly mosaic_seed: number;
  };
  readonly structure_factors: {
    readonly default: number;
    /** h, k, l, F of each reflection. */
    readonly reflections: Float64Array;
    readonly lookup: 'nearest' | 'tricubic';
  };
  readonly detector: {
    readonly width: number;
    readonly height: number;
    readonly pixel_m: number;
    readonly distance_m: number;
    readonly beam_x_m: number;
    readonly beam_y_m: number;
    readonly rotation_rad: Vector3;
    readonly twotheta_rad: number;
    readonly thickness_m: number;
    readonly attenuation_depth_m: number;
    readonly layers: number;
    /** Sub-pixels along each side of a pixel; 0 for enough to resolve the crystal's fringes. */
    readonly oversample: number;
    readonly corrections: 'pixel' | 'subpixel';
  };
  readonly rotation: { readonly phi0_rad: number; readonly oscillation_rad: number; readonly steps: number };
  /** Edge length of a cube of water in the beam. */
  readonly water_m: number;
  readonly solver: {
    readonly variant: string;
    /**
     * GPU by index or UUID. If absent or empty, the GPU that BRAGGBENCH_CUDA_DEVICE names, else the first usable one.
     */
    readonly device?: string;
    readonly threads: number;
    readonly memory_limit_bytes: number;
  };
}

export interface DiffractionVariant extends Omit<Variant, 'precisions'> {
  /** Precision of the lattice factors. */
  readonly precision: Precision;
  /** A fused multiply-add counts as two. */
  readonly flopsPerTerm: number;
  /** FP64 operations among these. */
  readonly fp64FlopsPerTerm: number;
  /** Other operations per sub-pixel, layer and source; 0 if not stated. */
  readonly flopsPerBeam: number;
  readonly fp64FlopsPerBeam: number;
  /** Memory traffic of temporaries, in bytes per term. */
  readonly bytesPerTerm: number;
  /**
   * Tolerance in the variant's tests for the relative error on pixels above 1e-3 of the maximum; 1 marks a wrong
   * variant.
   */
  readonly brightError: number;
}

export interface DiffractionPlan {
  readonly variant: string;
  readonly precision: Precision;
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  /** Number of phi steps times number of mosaic blocks. */
  readonly orientations: number;
  readonly layers: number;
  /** Number of lattice factors in the image. */
  readonly terms: number;
  readonly estimate_bytes: number;
  readonly threads: number;
}

export interface DiffractionProgress {
  /** Finished fraction of the image, 0 to 1. */
  readonly done: number;
  readonly terms_per_s: number;
  readonly eta_s: number;
}

export interface DiffractionResult {
  readonly status: 'done' | 'cancelled';
  /** Finished fraction of the image; other pixels are 0. */
  readonly done: number;
  readonly variant: string;
  readonly precision: Precision;
  readonly threads: number;
  readonly isa: string;
  readonly setup_s: number;
  readonly solve_s: number;
  /** Time of one image by the GPU's clock; 0 on the CPU. */
  readonly device_s: number;
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  /** Number of computed lattice factors. */
  readonly terms: number;
  readonly scratch_bytes: number;
  /** Photons per pixel, [slow][fast]. */
  readonly image: Float32Array;
  /** Photons in the brightest pixel. */
  readonly brightest: number;
  /** The step of a span is its first row. */
  readonly spans: Spans;
  readonly trace: DeviceTrace | null;
  /** Clocks of the GPU, if requested. */
  readonly clocks: Clocks;
  /** Reason why a requested device trace is missing; null otherwise. */
  readonly traceReason: string | null;
}

/**
 * `cold` empties the caches before every image, `graph` captures its launches and replays them. The image is repeated
 * for at least `atLeast_s` seconds in total, or made once without a mode.
 */
export type ImageMeasurementOptions = ({ readonly mode: Mode; readonly atLeast_s: number } | object) & {
  /** Read the device's clocks before set-up and after the image. */
  readonly clocks?: boolean;
  /** Record the device's work and the driver's calls; slows launches, also in later runs of the process. */
  readonly trace?: boolean;
};

export interface DiffractionRun {
  readonly plan: DiffractionPlan;
  /**
   * Renders on native threads; reports progress at most about 60 times per second. Call once per run. With `measuring`,
   * a GPU then repeats the image, and device_s is the mean of the repetitions.
   */
  start(
    onProgress: (progress: DiffractionProgress) => void,
    measuring?: ImageMeasurementOptions,
  ): Promise<DiffractionResult>;
  /**
   * Requests finished rows. Returns the rows received up to now and their fraction, or null if there are none since the
   * last call. Other rows are 0. The array is also that of the result.
   */
  live(): { readonly image: Float32Array; readonly done: number } | null;
  /** Takes effect within a band of rows; the promise then resolves with status 'cancelled'. */
  cancel(): void;
}
