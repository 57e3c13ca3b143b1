/**
 * Common parts of all workloads' benchmark sessions: plain JSON with every raw sample. Times are in seconds. The
 * conditions of a session explain why times on one machine differ between days.
 */
import { z } from 'zod';
import { ceilingsSchema } from '../capabilities.ts';
import { kernelResourcesSchema } from '../launches.ts';
import { storedDocumentSchema } from '../scenario/workload.ts';

export const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });
export type Interval = Readonly<z.infer<typeof intervalSchema>>;

/** Lowest and highest reading of all samples; null if the device does not report it. */
const readSchema = intervalSchema.nullable();

export const environmentSchema = z.strictObject({
  /** Mean number of cores used by other programs during the session; null if the session was too short to measure. */
  other_load_cores: z.number().nonnegative().nullable(),
  /** CPU frequency governor of Linux, such as `performance`; null if the system does not report it. */
  governor: z.string().nullable(),
  /** Whether files of the checkout differed from the commit; null if there is no checkout. */
  dirty: z.boolean().nullable(),
  /** Versions by name: Node.js, and NVIDIA's libraries as they report them. */
  versions: z.record(z.string(), z.string()),
  /** NVML's readings before and after the samples; null on the CPU and without NVML. */
  gpu: z
    .strictObject({
      /** Whether ECC memory is enabled; null if it was not queried. */
      ecc: z.boolean().nullable(),
      /**
       * Whether the driver stays loaded while no program uses the GPU; null if not reported, absent in older sessions.
       */
      persistence: z.boolean().nullable().optional(),
      sm_MHz: readSchema,
      memory_MHz: readSchema,
      power_W: readSchema,
      power_limit_W: readSchema,
      temperature_C: readSchema,
    })
    .nullable(),
});
export type Environment = Readonly<z.infer<typeof environmentSchema>>;

/** Load by other programs, in cores, above which a note is shown, because timed threads had to wait for them. */
const quiet_cores = 0.5;

function rangeText(range: z.infer<typeof readSchema>, unit: string): readonly string[] {
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
  return load > quiet_cores ? `${text}; times are inflated` : text;
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
 * Ratio of times with its 95 % interval, from the variation between instances; null if there are too few. In sessions
 * without `judged`, it is a bootstrap interval of the ratio of medians.
 */
export const ratioSchema = z.strictObject({ value: z.number(), interval: intervalSchema.nullable() });
export type Ratio = Readonly<z.infer<typeof ratioSchema>>;

/**
 * `warm`: steps follow set-up at once. `cold`: the caches (a GPU's L2) are emptied before each sample, outside the
 * measured time. `graph`: the launches of a batch of steps are captured and replayed as one graph. `cold-graph`: the
 * caches are emptied before each replay.
 */
export const modeSchema = z.enum(['warm', 'cold', 'graph', 'cold-graph']);
export type Mode = z.infer<typeof modeSchema>;
export const modes = modeSchema.options;

/** Additional measured number with its unit: cycles of latency, registers, GB/s. */
export const quantitySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  /**
   * 95 % interval of the value, from the variation between instances; null if there are too few. Absent if the session
   * did not record the value per sample.
   */
  interval: intervalSchema.nullable().optional(),
});
export type Quantity = Readonly<z.infer<typeof quantitySchema>>;

/** `impossible`: the time is shorter than the machine needs for the problem's bytes and operations. */
/** Verdicts on the time. */
const timeVerdictSchema = z.enum(['faster', 'slower', 'same', 'undecided', 'reference']);
/** Verdicts on the answer. Whatever its time, such an entry is neither recommended nor counted as correct. */
const answerVerdictSchema = z.enum(['wrong', 'impossible', 'not checked']);
export const verdictSchema = z.enum([...timeVerdictSchema.options, ...answerVerdictSchema.options]);
type Verdict = z.infer<typeof verdictSchema>;

const unprovenVerdicts: ReadonlySet<Verdict> = new Set(answerVerdictSchema.options);
export const isUnproven = (verdict: Verdict): verdict is z.infer<typeof answerVerdictSchema> =>
  unprovenVerdicts.has(verdict);

/** Difference between the session's reference and itself in the same rounds (A/A). */
export interface Noise {
  readonly ratio: Ratio | null;
  /** Noise floor as a ratio minus 1. */
  readonly floor: number | null;
}

/**
 * Largest noise floor, as a logarithm of the ratio. Differences below the floor are noise. A larger difference of the
 * control is an issue of the session.
 */
export const highestFloor = 0.02;

/** Whether the floor is at its upper limit because the control differed by more. */
export const isHighestFloor = (floor: number | null): boolean =>
  floor !== null && Math.abs(floor / Math.expm1(highestFloor) - 1) < 1e-6;

/** Whether the reference differs from itself by more than the largest floor: the machine was too noisy. */
export function isTooNoisy({ ratio, floor }: Noise): boolean {
  if (isHighestFloor(floor)) return true;
  if (ratio === null || ratio.interval === null) return false;
  const { value, interval } = ratio;
  return Math.abs(Math.log(value)) > highestFloor || interval.low > 1 || interval.high < 1;
}

/**
 * `decided`: every verdict is settled. `precise`: every ratio is as narrow as requested. `narrow` and `settled` ended
 * recorded sessions of earlier programs.
 */
export const stoppedSchema = z.enum([
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

/** Criteria that verdicts of the session used; absent in older sessions, which record no instances. */
const criteriaSchema = z.strictObject({
  /** Requested half width of every ratio's interval, as a ratio minus 1; null if the session ends when decided. */
  precision: z.number().positive().nullable(),
  /** `same` means that the ratio minus 1 is smaller than this. */
  margin: z.number().positive(),
  /** Separately prepared states of each candidate. */
  instances: count,
  rounds_per_instance: count,
  /** Untimed samples before the first timed sample of each prepared state; absent if there were none. */
  warm_up: count.optional(),
});
export type Criteria = Readonly<z.infer<typeof criteriaSchema>>;

/** End-to-end comparison with the reference, from the problem to its answer in memory; absent in older sessions. */
export const endToEndSchema = z.strictObject({
  ratio: ratioSchema,
  verdict: timeVerdictSchema,
});
export type EndToEnd = Readonly<z.infer<typeof endToEndSchema>>;

/** Verdict of a row: that on end-to-end runs if they were judged, except for a reference and for an unproven answer. */
export function headVerdict({
  verdict,
  whole,
}: {
  readonly verdict: Verdict;
  readonly whole?: Pick<EndToEnd, 'verdict'> | null | undefined;
}): Verdict {
  return isUnproven(verdict) || verdict === 'reference' ? verdict : (whole?.verdict ?? verdict);
}

/** End-to-end comparison with a separate process for each run, from process start to the answer in its memory. */
export const processSchema = z.strictObject({
  /** Reason for a missing time; null if there is a time. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  /** Ratio to the reference's time; null if either has no time. */
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

/** GPUs that labels of the session name, by the driver's index; absent if no label does, and in older sessions. */
const namedGpusSchema = z.array(z.strictObject({ index: count, ...sessionGpuSchema.shape })).optional();

/** GPUs recorded in a session. */
export interface SessionMachine {
  readonly gpu: SessionGpu | null;
  readonly gpus?: z.infer<typeof namedGpusSchema>;
}

/** GPU that an entry ran on: the one that its label names, else the default. Null if there is none. */
export function gpuOf({ gpu, gpus = [] }: SessionMachine, index: number | null | undefined): SessionGpu | null {
  return gpus.find((one) => one.index === index) ?? gpu;
}

/** Returns the GPUs that entries ran on, without duplicates, in the order of the entries. */
export function gpusUsed(
  machine: SessionMachine,
  entries: readonly { readonly device: 'cpu' | 'cuda'; readonly gpu?: number | null | undefined }[],
): readonly SessionGpu[] {
  const used = entries.flatMap(({ device, gpu }) => (device === 'cpu' ? [] : (gpuOf(machine, gpu) ?? [])));
  return [...new Map(used.map((gpu) => [gpu.uuid, gpu])).values()];
}

/** Properties that identify a machine. */
export interface MachineIdentity {
  readonly id?: string | null | undefined;
  readonly cpu: string;
  readonly logical_cores: number;
  readonly memory_bytes?: number | null | undefined;
  /** GPU that runs use by default. */
  readonly gpu: Pick<SessionGpu, 'uuid'> | null;
}

/** Key that differs between machines even if their processors have the same name, as on many hosts. */
export const machineKey = ({ id, cpu, logical_cores, memory_bytes, gpu }: MachineIdentity): string =>
  JSON.stringify([id ?? null, cpu, logical_cores, memory_bytes ?? null, gpu?.uuid ?? null]);

/** Fields common to all reports: scenario, machine, program and duration. */
export const reportShape = {
  scenario: z.string(),
  machine: z.strictObject({
    /** Hashed identifier of the system; absent in recorded sessions of other machines. */
    id: z.string().optional(),
    cpu: z.string(),
    logical_cores: count,
    memory_bytes: count.optional(),
    isa: z.string(),
    os: z.string(),
    /** GPU that runs use by default. */
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
  /** Scenario document as the user wrote it; absent in older sessions. */
  document: storedDocumentSchema.optional(),
  /** Resources of the CUDA kernels on this GPU's architecture; absent if they were not compiled in advance. */
  resources: kernelResourcesSchema.optional(),
  /** Label of the entry that ratios refer to: the first one that could run. */
  reference: z.string().nullable(),
  seed: z.number(),
  rounds: count,
  stopped: stoppedSchema,
  judged: criteriaSchema.optional(),
  /** Absent in older sessions. */
  environment: environmentSchema.optional(),
  elapsed_s: seconds,
  /**
   * A/A comparison: the first variant against itself in the same rounds. In sessions with `judged`, the control is
   * prepared separately, like a candidate.
   */
  noise: z.strictObject({
    ratio: ratioSchema.nullable(),
    floor: z.number().nullable(),
    /** Noise floor of end-to-end runs; absent in older sessions and if end-to-end runs are not judged. */
    whole_floor: z.number().nullable().optional(),
  }),
};
