/**
 * Interfaces of the addon for small benchmark workloads and diffraction images, and the recordings of any run.
 * native/binding/runs/task_run.cpp and diffraction_run.cpp implement them. Lengths are in m, angles in rad.
 */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import type { ClockState, Variant } from '../../../contract/capabilities.ts';
import type { Precision } from '../../../contract/run.ts';

/** The device's clocks before set-up and after the work. */
export interface Clocks {
  readonly before: ClockState | null;
  readonly after: ClockState | null;
}

/** Work of the device and calls of the driver, as one array per column. Entries are sorted by start. */
export interface DeviceTrace {
  readonly source: string;
  readonly names: readonly string[];
  readonly dropped: number;
  /** Kind of each entry: 0 kernel, 1 copy, 2 memset, 3 graph, 4 driver call. */
  readonly kind: Uint16Array;
  /** Index into `names`. */
  readonly name: Uint32Array;
  /** Start in nanoseconds since the start of the run, by the clock that `Spans` use. */
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** CUDA stream; for a driver call the calling thread. */
  readonly stream: Uint32Array;
  /** Correlation number: the same for device work and the driver call that launched it. */
  readonly correlation: Uint32Array;
  /** Grid size of each launch, as x, y, z. */
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
  /** Number of threads. In a run on the GPU, thread 0 is the host and thread 1 the device. */
  readonly threads: number;
  readonly name: Uint16Array;
  readonly thread: Uint16Array;
  readonly step: Uint32Array;
  /** Start in nanoseconds since the start of the run. */
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** Number of spans that were dropped because the recorder was full. */
  readonly dropped: number;
}

/** Problem of a small benchmark workload. The scenario's schema has already validated the values. */
export interface TaskProblem {
  /** Kind of the scenario, such as `micro`. */
  readonly workload: string;
  /** Name of the benchmark, for a kind of scenario that has several; empty otherwise. */
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
  /** Library whose kernels do the work, such as `cuBLAS`. Null if Braggbench's own kernels do. */
  readonly library: string | null;
}

interface TaskPlan {
  readonly variant: string;
  readonly precision: string;
  readonly device: 'cpu' | 'cuda';
  readonly estimate_bytes: number;
}

export interface PreparedTask {
  readonly setup_s: number;
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  readonly isa: string;
}

export interface TaskSampleOptions {
  readonly mode: Mode;
  /** Minimum duration of the sample, s. The engine repeats the task until it is reached. */
  readonly at_least_s: number;
  readonly clocks?: boolean;
  readonly trace?: boolean;
  /**
   * Audits one repetition, which the engine selects at random: its results are judged by the engine, or returned to the
   * caller.
   */
  readonly audit?: 'judged' | 'handed-over';
  /** Adds a probe after the sample, which detects variants that return remembered answers for known inputs. */
  readonly probe?: boolean;
  /** Changes some inputs at unpredictable repetitions, which detects variants that skip work; only on the CPU. */
  readonly hide?: boolean;
  /** Seed for changing some inputs in an additional repetition of an audit. */
  readonly altered?: number;
  /** Measures only `TaskSample.swapped_s`. The task must not have run since it was prepared. */
  readonly swapped?: boolean;
}

export interface MemoryProbe {
  readonly fresh_s: number;
  readonly again_s: number;
  /** NaN if not timed. */
  readonly usual_s: number;
}

/** Result of an audit, which takes place outside of the timed part of a sample. */
export interface TaskAudit {
  /** Checks of the results; empty if the results were returned to the caller instead. */
  readonly checks: readonly TaskCheck[];
  readonly compared: string;
  readonly results: readonly Float64Array[];
  /** Results of a repetition with altered inputs; absent if there was none. */
  readonly altered?: readonly Float64Array[];
  /** Checks of `altered`; absent if the correct answer to the altered problem is unknown. */
  readonly alteredChecks?: readonly TaskCheck[];
  readonly outputs: number;
  /** Number of results that the audited repetition did not write. `first_unwritten` is the index of the first. */
  readonly unwritten: number;
  readonly first_unwritten: number;
  readonly inputs_changed: boolean;
  /**
   * Probes for remembered answers: times with new inputs, with the same inputs again, and with the sample's inputs.
   */
  readonly probes: readonly MemoryProbe[];
  readonly seconds: number;
}

/** Checks of repetitions whose inputs changed unpredictably within a sample; empty on a GPU. */
export interface HiddenChangeChecks {
  /**
   * Time of a repetition directly after a change of a few inputs and results, and time of the repetition before it.
   */
  readonly probes: readonly { readonly changed_s: number; readonly before_s: number }[];
  /**
   * Number of results that were overwritten with a marker and not computed again. `first_unwritten` is the index of the
   * first.
   */
  readonly unwritten: number;
  readonly first_unwritten: number;
}

/** A sample: mean times of one repetition. A time is null if its clock is not available. */
export interface TaskSample {
  readonly repetitions: number;
  readonly device_s: number | null;
  readonly wall_s: number | null;
  /** Time by which variants are compared: by the device's clock, or by the host's if the task measures the host. */
  readonly time_s: number;
  /** Total time of all repetitions, by the host's clock. */
  readonly timed_s: number;
  /** End of the call on the machine's steady clock, read in the process that executed the call. */
  readonly ended_ns: number;
  /**
   * Time on the same clock at which this process received the result; absent if this process itself executed the call.
   */
  readonly received_ns?: number;
  /**
   * Processor time that the executing process used outside of calls since the previous sample, and the elapsed time.
   */
  readonly between?: { readonly cpu_s: number; readonly elapsed_s: number };
  readonly audit: TaskAudit | null;
  readonly hidden: HiddenChangeChecks;
  /**
   * Time of one repetition with the prepared inputs, directly after many repetitions with other inputs. Null if not
   * requested, or if the task has no inputs to exchange.
   */
  readonly swapped_s: number | null;
  /**
   * Spans of all calls so far: preparation, checks and timed work. The step of a timed span is its number of
   * repetitions. A traced sample also contains a span for each repetition, and its parts on further threads.
   */
  readonly spans: Spans;
  /** Time 0 of the spans, on the machine's steady clock, which all recorders share. */
  readonly origin_ns: number;
  readonly clocks: { readonly before: ClockState | null; readonly after: ClockState | null };
  readonly trace: DeviceTrace | null;
  readonly traceReason: string | null;
}

export interface TaskCheck {
  readonly id: string;
  readonly title: string;
  /** Value of the check. Null stands for NaN, which never passes. */
  readonly value: number | null;
  readonly limit: number;
  readonly holds: boolean;
  /**
   * Location and value of the first result beyond the tolerance, with the reference's value; empty if all are within
   * it.
   */
  readonly where: string;
}

/** A quantity that a variant measures about its own work, such as a latency. `value` is null if it is not a number. */
export interface TaskQuantity {
  readonly id: string;
  readonly title: string;
  readonly value: number | null;
  readonly unit: string;
}

export interface TaskVerdict {
  readonly checks: readonly TaskCheck[];
  /** Description of the comparison and its reference, for a reader. */
  readonly compared: string;
  readonly holds: boolean;
  /** Number of runs with the same inputs. `bitwise`: whether the bits of their results are the same. */
  readonly runs: number;
  readonly bitwise: boolean;
  readonly hash: string;
  /** Clock by which variants are compared. */
  readonly clock: 'device' | 'wall';
  /** Bytes and operations of one repetition; null for a number that has no meaning for the task. */
  readonly work: { readonly bytes: number | null; readonly flops: number | null };
  readonly quantities: readonly TaskQuantity[];
  readonly audit: TaskAudit | null;
  /**
   * Results that the caller has to judge: those of the first run, and of each run whose bits differ. For a user kernel
   * the results of every run.
   */
  readonly unjudged: readonly (readonly Float64Array[])[];
}

/**
 * A planned task, which executes one call at a time. After `cancel` every call resolves to null. Calls reject with the
 * errors of `createTransport`.
 */
export interface NativeTask {
  readonly plan: TaskPlan;
  /**
   * Prepares the state. `seed` selects the inputs; the problem's seed by default. `altered` is the seed of the
   * alterations that audits may use.
   */
  prepare(seed?: number, altered?: number): Promise<PreparedTask | null>;
  sample(options: TaskSampleOptions): Promise<TaskSample | null>;
  /**
   * Runs the task `runs` times with the same inputs. If `judged` is false, the results are returned to the caller
   * unjudged.
   */
  check(runs: number, judged?: boolean): Promise<TaskVerdict | null>;
  /** Returns quantities that the variant reports about its repetitions; may run additional repetitions. */
  told(): Promise<readonly TaskQuantity[] | null>;
  /** Returns all input arrays for the seed of the problem, for a reference outside the engine. Needs no `prepare`. */
  inputs(): Promise<readonly Float64Array[] | null>;
  /** Compares results of another program for this problem with the engine's reference. Needs no `prepare`. */
  compare(results: readonly Float64Array[]): Promise<Pick<TaskVerdict, 'checks' | 'compared'> | null>;
  /** Frees the prepared data. */
  close(): Promise<void>;
  /** Cancels after the current repetition; long CPU work ends within a repetition. */
  cancel(): void;
}

/** Vector with components along x, y, z, or along the crystal axes a, b, c. */
export type Vector3 = Float64Array;

export interface DiffractionProblem {
  readonly beam: {
    readonly wavelength_m: number;
    /** Full width of the wavelength spectrum, divided by the mean wavelength. */
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
    /** Miller indices and structure factor of each reflection: h, k, l, F. */
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
    /**
     * Number of sub-pixels along each side of a pixel. With 0 the engine chooses as many as resolve the crystal's
     * fringes.
     */
    readonly oversample: number;
    readonly corrections: 'pixel' | 'subpixel';
  };
  readonly rotation: { readonly phi0_rad: number; readonly oscillation_rad: number; readonly steps: number };
  /** Edge length in m of a cube of water in the beam, which scatters the background. */
  readonly water_m: number;
  readonly solver: {
    readonly variant: string;
    /**
     * Index or UUID of a GPU. If absent or empty: the GPU that BRAGGBENCH_CUDA_DEVICE names, otherwise the first usable
     * one.
     */
    readonly device?: string;
    readonly threads: number;
    readonly memory_limit_bytes: number;
  };
}

export interface DiffractionVariant extends Omit<Variant, 'precisions'> {
  /** Precision in which lattice factors are computed. */
  readonly precision: Precision;
  /** Operations per lattice factor; a fused multiply-add counts as two. */
  readonly flopsPerTerm: number;
  /** FP64 operations among `flopsPerTerm`. */
  readonly fp64FlopsPerTerm: number;
  /** Further operations per sub-pixel, layer and source; 0 if not stated. */
  readonly flopsPerBeam: number;
  readonly fp64FlopsPerBeam: number;
  /** Memory traffic of temporary arrays, in bytes per lattice factor. */
  readonly bytesPerTerm: number;
  /**
   * Limit in the variant's tests for the relative error of pixels above 1e-3 of the maximum. The value 1 marks a
   * variant whose images are wrong.
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
  /** Number of phi steps times the number of mosaic blocks. */
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
  /** Finished fraction of the image, 0 to 1. Pixels that are not finished are 0. */
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
  /** Spans of the run; the step of a span is its first row of pixels. */
  readonly spans: Spans;
  readonly trace: DeviceTrace | null;
  /** Clocks of the GPU, if requested. */
  readonly clocks: Clocks;
  /** Reason why a requested device trace is missing; null otherwise. */
  readonly traceReason: string | null;
}

/**
 * Options for timing an image. Mode `cold` flushes the caches before every image; `graph` captures the launches of one
 * image and replays them. With a mode, the image is repeated for at least `atLeast_s` seconds in total; without one it
 * is made once.
 */
export type ImageMeasurementOptions = ({ readonly mode: Mode; readonly atLeast_s: number } | object) & {
  /** Read the device's clocks before set-up and after the image. */
  readonly clocks?: boolean;
  /** Record the device's work and the driver's calls. This slows launches, even in later runs of the same process. */
  readonly trace?: boolean;
};

export interface DiffractionRun {
  readonly plan: DiffractionPlan;
  /**
   * Renders on native threads, and reports progress at most about 60 times per second. Call once per run. With
   * `measuring`, a GPU then repeats the image, and `device_s` is the mean of the repetitions.
   */
  start(
    onProgress: (progress: DiffractionProgress) => void,
    measuring?: ImageMeasurementOptions,
  ): Promise<DiffractionResult>;
  /**
   * Returns the rows finished so far and their fraction of the image, or null if no row was added since the last call.
   * Also requests the next rows. Pixels of other rows are 0. The result uses the same array.
   */
  live(): { readonly image: Float32Array; readonly done: number } | null;
  /** Cancels after the current band of rows. The promise then resolves with status 'cancelled'. */
  cancel(): void;
}
