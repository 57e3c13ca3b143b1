/**
 * Parts that benchmark sessions of all workloads share. A session is plain JSON with every raw sample; times are in
 * seconds. Recorded conditions help to explain why times on one machine differ between days.
 */
import { z } from 'zod';
import { ceilingsSchema } from '../capabilities.ts';
import { kernelResourcesSchema } from '../launches.ts';
import { storedDocumentSchema } from '../scenario/workload.ts';

export const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });
export type Interval = Readonly<z.infer<typeof intervalSchema>>;

/** Lowest and highest reading of a sensor during the session; null if the device does not report it. */
const readingRangeSchema = intervalSchema.nullable();

export const environmentSchema = z.strictObject({
  /** Mean number of CPU cores used by other programs during the session; null if the session was too short to tell. */
  other_load_cores: z.number().nonnegative().nullable(),
  /** CPU frequency governor of Linux, such as `performance`; null if the system does not report it. */
  governor: z.string().nullable(),
  /** Whether the checkout had uncommitted changes; null without a checkout. */
  dirty: z.boolean().nullable(),
  /** Software versions by name: Node.js and NVIDIA's libraries. */
  versions: z.record(z.string(), z.string()),
  /** Extremes of the NVML readings taken before and after the samples; null on the CPU and without NVML. */
  gpu: z
    .strictObject({
      /** Whether ECC memory is enabled; null if unknown. */
      ecc: z.boolean().nullable(),
      /**
       * Whether the driver stays loaded while no program uses the GPU; null if not reported, absent in older sessions.
       */
      persistence: z.boolean().nullable().optional(),
      sm_MHz: readingRangeSchema,
      memory_MHz: readingRangeSchema,
      power_W: readingRangeSchema,
      power_limit_W: readingRangeSchema,
      temperature_C: readingRangeSchema,
    })
    .nullable(),
});
export type Environment = Readonly<z.infer<typeof environmentSchema>>;

/** Load by other programs, in cores, above which the report warns that times are inflated. */
const MAX_QUIET_LOAD_CORES = 0.5;

function rangeText(range: z.infer<typeof readingRangeSchema>, unit: string): readonly string[] {
  if (range === null) return [];
  const [low, high] = [range.low, range.high].map((value) => String(Math.round(value)));
  return [`${low === high ? low : `${low} to ${high}`} ${unit}`];
}

function gpuText(gpu: NonNullable<Environment['gpu']>): string {
  const { ecc, persistence = null, sm_MHz, memory_MHz, power_W, power_limit_W, temperature_C } = gpu;
  const limit = rangeText(power_limit_W, 'W');
  return [
    ...rangeText(sm_MHz, 'MHz'),
    ...rangeText(memory_MHz, 'MHz memory clock'),
    ...rangeText(power_W, 'W').map((power) => power + limit.map((at) => `, limit ${at}`).join('')),
    ...rangeText(temperature_C, '°C'),
    ...(ecc === null ? [] : [ecc ? 'ECC on' : 'ECC off']),
    ...(persistence === null ? [] : [persistence ? 'persistence mode on' : 'persistence mode off']),
  ].join(' · ');
}

function loadText(load: number, cores: number): string {
  const text = `${load.toFixed(1)} of ${cores} cores`;
  return load > MAX_QUIET_LOAD_CORES ? `${text}; times are inflated` : text;
}

/** Returns the known facts about the environment as pairs of name and value, for display. */
export function environmentFacts(environment: Environment | undefined, cores: number): [string, string][] {
  if (environment === undefined) return [];
  const { other_load_cores, governor, dirty, versions, gpu } = environment;
  const libraries = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    ...(gpu === null ? [] : [['GPU during the measurement', gpuText(gpu)] as [string, string]]),
    ...(other_load_cores === null ? [] : [['Other programs', loadText(other_load_cores, cores)] as [string, string]]),
    ...(governor === null ? [] : [['CPU clock', governor] as [string, string]]),
    ...(dirty === true ? [['Sources', 'changed since the commit'] as [string, string]] : []),
    ...(libraries.length === 0 ? [] : [['Libraries', libraries.join(', ')] as [string, string]]),
  ];
}

export const seconds = z.number().nonnegative();
export const count = z.number().int().nonnegative();

/**
 * Ratio of two times with its 95 % interval. The interval comes from the variation between instances and is null for
 * too few instances. Older sessions, which lack the field `judged`, contain a bootstrap interval of the ratio of
 * medians.
 */
export const ratioSchema = z.strictObject({ value: z.number(), interval: intervalSchema.nullable() });
export type Ratio = Readonly<z.infer<typeof ratioSchema>>;

/**
 * Measurement modes. `warm`: steps directly follow the set-up. `cold`: the caches (a GPU's L2) are emptied before each
 * sample, outside the measured time. `graph`: a batch of steps is captured and replayed as one CUDA graph.
 * `cold-graph`: as `graph`, with the caches emptied before each replay.
 */
export const modeSchema = z.enum(['warm', 'cold', 'graph', 'cold-graph']);
export type Mode = z.infer<typeof modeSchema>;
export const modes = modeSchema.options;

/** Additional measured quantity with its unit, such as latency in cycles or bandwidth in GB/s. */
export const quantitySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  /**
   * 95 % interval of the value, from the variation between instances; null for too few instances. Absent if the session
   * has no value for each sample.
   */
  interval: intervalSchema.nullable().optional(),
});
export type Quantity = Readonly<z.infer<typeof quantitySchema>>;

/** Verdicts on the time. */
const timeVerdictSchema = z.enum(['faster', 'slower', 'same', 'undecided', 'reference']);
/**
 * Verdicts on the answer; an entry with one of them is never recommended. `impossible`: the time is shorter than the
 * machine needs for the problem's bytes and operations.
 */
const answerVerdictSchema = z.enum(['wrong', 'impossible', 'not checked']);
export const verdictSchema = z.enum([...timeVerdictSchema.options, ...answerVerdictSchema.options]);
type Verdict = z.infer<typeof verdictSchema>;

const unprovenVerdicts: ReadonlySet<Verdict> = new Set(answerVerdictSchema.options);
export const isUnproven = (verdict: Verdict): verdict is z.infer<typeof answerVerdictSchema> =>
  unprovenVerdicts.has(verdict);

/** Noise measured by comparing the session's reference with a second copy of itself in the same rounds (A/A test). */
export interface NoiseEstimate {
  readonly ratio: Ratio | null;
  /** Noise floor as a ratio minus 1; smaller differences are noise. */
  readonly floor: number | null;
}

/**
 * Upper limit on the noise floor, as the natural logarithm of a time ratio. If the two copies of the reference differ
 * by more, the session is reported as too noisy.
 */
export const MAX_LOG_NOISE_FLOOR = 0.02;

/** Whether the floor was clamped to its upper limit, because the two copies of the reference differed by more. */
export const isClampedNoiseFloor = (floor: number | null): boolean =>
  floor !== null && Math.abs(floor / Math.expm1(MAX_LOG_NOISE_FLOOR) - 1) < 1e-6;

/** Whether the two copies of the reference differ by more than the upper limit, or significantly. */
export function isTooNoisy({ ratio, floor }: NoiseEstimate): boolean {
  if (isClampedNoiseFloor(floor)) return true;
  if (ratio === null || ratio.interval === null) return false;
  const { value, interval } = ratio;
  return Math.abs(Math.log(value)) > MAX_LOG_NOISE_FLOOR || interval.low > 1 || interval.high < 1;
}

/**
 * Reason why a session ended. `decided`: every verdict is certain. `precise`: every ratio has the requested precision.
 * `narrow` and `settled` occur only in sessions recorded by earlier versions.
 */
export const endReasonSchema = z.enum([
  'decided',
  'precise',
  'narrow',
  'settled',
  'time',
  'rounds',
  'instances',
  'cancelled',
  'refused',
]);

/** Criteria for the session's verdicts; absent in older sessions, which have no instances. */
const criteriaSchema = z.strictObject({
  /**
   * Requested half width of the interval of every ratio, relative to the ratio; null if the session ended once its
   * verdicts were certain.
   */
  precision: z.number().positive().nullable(),
  /** Two times count as the same if their ratio minus 1 is smaller than this. */
  margin: z.number().positive(),
  /** Number of instances per candidate. An instance is a separately prepared state, with its own memory and inputs. */
  instances: count,
  rounds_per_instance: count,
  /** Number of untimed samples of each instance before its first timed one; absent if there were none. */
  warm_up: count.optional(),
});
export type Criteria = Readonly<z.infer<typeof criteriaSchema>>;

/**
 * Comparison of the end-to-end time, from the problem to the answer in memory, with that of the reference. Absent in
 * older sessions.
 */
export const endToEndSchema = z.strictObject({
  ratio: ratioSchema,
  verdict: timeVerdictSchema,
});
export type EndToEnd = Readonly<z.infer<typeof endToEndSchema>>;

/**
 * Verdict shown for a row: the end-to-end verdict if there is one. A reference, and an entry whose answer is wrong,
 * impossible or not checked, keep their own verdict.
 */
export function rowVerdict({
  verdict,
  whole,
}: {
  readonly verdict: Verdict;
  readonly whole?: Pick<EndToEnd, 'verdict'> | null | undefined;
}): Verdict {
  return isUnproven(verdict) || verdict === 'reference' ? verdict : (whole?.verdict ?? verdict);
}

/**
 * End-to-end comparison in which every run has its own process, timed from process start to the answer in its memory.
 */
export const processSchema = z.strictObject({
  /** Reason why there is no time; null if there is one. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  /** Ratio to the reference's time; null if either time is missing. */
  ratio: ratioSchema.nullable(),
  verdict: timeVerdictSchema,
});

const sessionGpuSchema = z.strictObject({
  name: z.string(),
  uuid: z.string(),
  driver: z.string().nullable(),
  ceilings: ceilingsSchema.nullable(),
});

export type SessionGpu = Readonly<z.infer<typeof sessionGpuSchema>>;

/**
 * GPUs selected by labels such as `cuda-fused:1`, by the driver's index. Absent if no label selects a GPU, and in older
 * sessions.
 */
const namedGpusSchema = z.array(z.strictObject({ index: count, ...sessionGpuSchema.shape })).optional();

/** GPUs recorded in a session. */
export interface SessionMachine {
  readonly gpu: SessionGpu | null;
  readonly gpus?: z.infer<typeof namedGpusSchema>;
}

/** GPU that an entry ran on: the one that its label selects, otherwise the default GPU. Null without a GPU. */
export function gpuOfEntry({ gpu, gpus = [] }: SessionMachine, index: number | null | undefined): SessionGpu | null {
  return gpus.find((one) => one.index === index) ?? gpu;
}

/** Returns the GPUs that entries ran on, without duplicates, in the order of the entries. */
export function usedGpus(
  machine: SessionMachine,
  entries: readonly { readonly device: 'cpu' | 'cuda'; readonly gpu?: number | null | undefined }[],
): readonly SessionGpu[] {
  const used = entries.flatMap(({ device, gpu }) => (device === 'cpu' ? [] : (gpuOfEntry(machine, gpu) ?? [])));
  return [...new Map(used.map((gpu) => [gpu.uuid, gpu])).values()];
}

/** Properties that identify a machine. */
export interface MachineIdentity {
  readonly id?: string | null | undefined;
  readonly cpu: string;
  readonly logical_cores: number;
  readonly memory_bytes?: number | null | undefined;
  /** Default GPU of runs. */
  readonly gpu: Pick<SessionGpu, 'uuid'> | null;
}

/** Key of a machine. It includes more than the processor's name, because many hosts have the same processor. */
export const machineKey = ({ id, cpu, logical_cores, memory_bytes, gpu }: MachineIdentity): string =>
  JSON.stringify([id ?? null, cpu, logical_cores, memory_bytes ?? null, gpu?.uuid ?? null]);

/** Fields common to all reports: scenario, machine, program and duration. */
export const reportShape = {
  scenario: z.string(),
  machine: z.strictObject({
    /** Hash that identifies the operating system's installation; absent in sessions recorded on other machines. */
    id: z.string().optional(),
    cpu: z.string(),
    logical_cores: count,
    memory_bytes: count.optional(),
    isa: z.string(),
    os: z.string(),
    /** Default GPU of runs. */
    gpu: sessionGpuSchema.nullable(),
    gpus: namedGpusSchema,
  }),
  program: z.strictObject({
    version: z.string(),
    build: z.string(),
    compiler: z.string(),
    /** Commit of the checkout; absent if it was not recorded. */
    commit: z.string().optional(),
  }),
  /** Scenario as the user wrote it, without defaults; absent in older sessions. */
  document: storedDocumentSchema.optional(),
  /**
   * Registers and memory that the CUDA kernels use on this GPU's architecture; absent if they were not compiled in
   * advance.
   */
  resources: kernelResourcesSchema.optional(),
  /** Label of the entry that all ratios refer to: the first entry that could run. */
  reference: z.string().nullable(),
  seed: z.number(),
  rounds: count,
  stopped: endReasonSchema,
  judged: criteriaSchema.optional(),
  /** Absent in older sessions. */
  environment: environmentSchema.optional(),
  elapsed_s: seconds,
  /**
   * A/A comparison: the first variant against a second copy of itself in the same rounds. The copy is prepared
   * separately, like a candidate, except in older sessions without the field `judged`.
   */
  noise: z.strictObject({
    ratio: ratioSchema.nullable(),
    floor: z.number().nullable(),
    /** Noise floor of end-to-end times; absent in older sessions, and without end-to-end verdicts. */
    whole_floor: z.number().nullable().optional(),
  }),
};
