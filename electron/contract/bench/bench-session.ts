/** Common parts of all workloads' benchmark sessions: plain JSON with every raw sample. Times in seconds. */

import { z } from 'zod';
import { ceilingsSchema } from '../devices.ts';
import { kernelResourcesSchema } from '../resources.ts';
import { keptDocumentSchema } from '../scenario/kept-document.ts';
import { environmentSchema } from './environment.ts';
import { intervalSchema } from './interval.ts';

export const seconds = z.number().nonnegative();
export const count = z.number().int().nonnegative();

/**
 * A ratio of times with its 95 % interval, from what varies between instances; null for too few. Of sessions without
 * `judged` it is a bootstrap interval of the ratio of medians.
 */
export const ratioSchema = z.strictObject({ value: z.number(), interval: intervalSchema.nullable() });
export type Ratio = Readonly<z.infer<typeof ratioSchema>>;

/**
 * `warm`: steps follow set-up at once. `cold`: the caches (a GPU's L2) are emptied just before, outside the time.
 * `graph`: what a batch of steps launches is captured and replayed as one graph.
 */
export const modeSchema = z.enum(['warm', 'cold', 'graph']);
export type Mode = z.infer<typeof modeSchema>;
export const modes = modeSchema.options;

/** A further number with its unit: cycles of latency, registers, GB/s. */
export const quantitySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  /**
   * The 95 % interval of the value, from what varies between instances; null for too few. Absent where the session did
   * not tell it for each sample.
   */
  interval: intervalSchema.nullable().optional(),
});
export type Quantity = Readonly<z.infer<typeof quantitySchema>>;

/** `impossible`: the time is below what the machine needs for the problem's bytes and operations. */
/** About time. */
const timeVerdictSchema = z.enum(['faster', 'slower', 'same', 'undecided', 'reference']);
/** About the answer: whatever its time, such an entry is neither recommended nor counted as correct. */
const answerVerdictSchema = z.enum(['wrong', 'impossible', 'not checked']);
export const verdictSchema = z.enum([...timeVerdictSchema.options, ...answerVerdictSchema.options]);
type Verdict = z.infer<typeof verdictSchema>;

const unproven: ReadonlySet<Verdict> = new Set(answerVerdictSchema.options);
export const isUnproven = (verdict: Verdict): verdict is z.infer<typeof answerVerdictSchema> => unproven.has(verdict);

/** Difference of a session's reference from itself in the same rounds (A/A). */
export interface Noise {
  readonly ratio: Ratio | null;
  /** As a ratio less 1. */
  readonly floor: number | null;
}

/** On the logarithm. Differences below the floor are noise; a control that strays further is an issue of the session. */
export const highestFloor = 0.02;

/** The floor is at its cap: the control strayed further. */
export const isHighestFloor = (floor: number | null): boolean =>
  floor !== null && Math.abs(floor / Math.expm1(highestFloor) - 1) < 1e-6;

/** The reference differs from itself by more than the floor may hide: the machine was too noisy. */
export function straysFromItself({ ratio, floor }: Noise): boolean {
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

/** By what a session was judged; absent in older sessions, which tell nothing of instances. */
const judgedSchema = z.strictObject({
  /** Requested half width of every ratio's interval, as a ratio less 1; null if the session was to end when decided. */
  precision: z.number().positive().nullable(),
  /** `same` means inside this, as a ratio less 1. */
  margin: z.number().positive(),
  /** Separately prepared states of each candidate. */
  instances: count,
  rounds_per_instance: count,
});
export type Judged = Readonly<z.infer<typeof judgedSchema>>;

/** End-to-end comparison with the reference, from the problem to its answer in memory; absent in older sessions. */
export const wholeSchema = z.strictObject({
  ratio: ratioSchema,
  verdict: timeVerdictSchema,
});
export type Whole = Readonly<z.infer<typeof wholeSchema>>;

/** The verdict of a row: of end-to-end runs where they were judged, unless it is about the answer. */
export function headVerdict({
  verdict,
  whole,
}: {
  readonly verdict: Verdict;
  readonly whole?: Pick<Whole, 'verdict'> | null | undefined;
}): Verdict {
  return isUnproven(verdict) || verdict === 'reference' ? verdict : (whole?.verdict ?? verdict);
}

/** The same of a process of its own for each run: from its start to its answer. What was done in it stays in its memory. */
export const processSchema = z.strictObject({
  /** Why there is no time; null when there is. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  /** Over the reference's; null where either has no time. */
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

/** The GPUs that labels of the session name, as the driver counts; absent where none does, and in older sessions. */
const namedGpusSchema = z.array(z.strictObject({ index: count, ...sessionGpuSchema.shape })).optional();

/** GPUs recorded in a session. */
export interface SessionMachine {
  readonly gpu: SessionGpu | null;
  readonly gpus?: z.infer<typeof namedGpusSchema>;
}

/** The one that an entry ran on: what its label names, else what runs use. Null without one. */
export function gpuOf({ gpu, gpus = [] }: SessionMachine, index: number | null | undefined): SessionGpu | null {
  return gpus.find((one) => one.index === index) ?? gpu;
}

/** Those that entries ran on, each once, by the order of the entries. */
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
  /** The GPU that runs use by default. */
  readonly gpu: Pick<SessionGpu, 'uuid'> | null;
}

/** Equal for one machine alone: many hosts share the name of their processor. */
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
    /** The one that runs use. */
    gpu: sessionGpuSchema.nullable(),
    gpus: namedGpusSchema,
  }),
  program: z.strictObject({
    version: z.string(),
    build: z.string(),
    compiler: z.string(),
    /** Commit of the checkout; absent where it was not recorded. */
    commit: z.string().optional(),
  }),
  /** Scenario document as the user wrote it; absent in older sessions. */
  document: keptDocumentSchema.optional(),
  /** Resources of the CUDA kernels on this GPU's architecture; absent where they were not compiled beforehand. */
  resources: kernelResourcesSchema.optional(),
  /** The label that ratios are against: the first that could run. */
  reference: z.string().nullable(),
  seed: z.number(),
  rounds: count,
  stopped: stoppedSchema,
  judged: judgedSchema.optional(),
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
