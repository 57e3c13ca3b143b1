/**
 * Saved data of a study: header and lines of the plan, and one result per point. Units are stored next to their
 * numbers.
 */
import { z } from 'zod';
import { errorCodeSchema } from '../errors.ts';

export const PLAN_FORMAT = 'braggbench-study';
export const POINT_FORMAT = 'braggbench-point';
export const STUDY_FOLDER_VERSION = 1;

export const measureGroups = ['readouts', 'curves', 'ledger', 'times', 'memory', 'energy'] as const;
export type MeasureGroup = (typeof measureGroups)[number];

const idSchema = z.string().regex(/^[0-9a-f]{16}$/);

const measureSchema = z.strictObject({
  group: z.enum(measureGroups),
  /** Unique within a workload: `r80_mm`. */
  name: z.string().min(1).max(200),
  /** Empty for a plain number and for text. */
  unit: z.string().max(40),
  /** Null if not defined for this answer. */
  value: z.union([z.number(), z.string(), z.null()]),
  /** 95 % interval of the median over the repeats. */
  low: z.number().optional(),
  high: z.number().optional(),
});
export type Measure = Readonly<z.infer<typeof measureSchema>>;

const savedCurveSchema = z.strictObject({
  name: z.string().min(1).max(200),
  unit: z.string().max(40),
  axis: z.string().max(200),
  axis_unit: z.string().max(40),
  /** Positions of the values, in equal number; null in place of NaN. */
  positions: z.array(z.number().nullable()),
  values: z.array(z.number().nullable()),
});
export type SavedCurve = Readonly<z.infer<typeof savedCurveSchema>>;

/** Machine and program that solved a point. */
const solverMachineSchema = z.strictObject({
  version: z.string(),
  build: z.string(),
  /** Null if run from a package. */
  commit: z.string().nullable(),
  machine: z.string(),
  cpu: z.string(),
  cores: z.number().int().positive(),
  os: z.string(),
  /** Null if solved on the CPU. */
  gpu: z.string().nullable(),
  gpu_uuid: z.string().nullable(),
  driver: z.string().nullable(),
  /** Number of points that may have run concurrently, including this one; more than 1 makes times longer. */
  at_once: z.number().int().positive(),
  /** Job and task id of the cluster; null on other machines. */
  job: z.string().nullable(),
});
export type SolverMachine = Readonly<z.infer<typeof solverMachineSchema>>;

export const pointResultSchema = z.strictObject({
  format: z.literal(POINT_FORMAT),
  version: z.literal(STUDY_FOLDER_VERSION),
  id: idSchema,
  status: z.enum(['done', 'failed']),
  /** Reason of the failure; null unless it failed. */
  error: z.strictObject({ code: errorCodeSchema, message: z.string() }).nullable(),
  workload: z.string(),
  /** The variant that ran if `auto` was requested. */
  variant: z.string(),
  precision: z.string(),
  threads: z.number().int().nonnegative().nullable(),
  repeats: z.number().int().positive(),
  measures: z.array(measureSchema).readonly(),
  curves: z.array(savedCurveSchema).readonly(),
  where: solverMachineSchema,
  /** Start time, ISO 8601. */
  started: z.string(),
  finished: z.string(),
});
export type PointResult = Readonly<z.infer<typeof pointResultSchema>>;

const pathSchema = z
  .array(z.union([z.string(), z.number()]))
  .max(50)
  .readonly();

/** Line of the plan for one point. */
export const planLineSchema = z.strictObject({
  id: idSchema,
  base: z.number().int().nonnegative(),
  settings: z.array(z.strictObject({ path: pathSchema, value: z.unknown() })).readonly(),
});
export type PlanLine = Readonly<z.infer<typeof planLineSchema>>;

export const planHeadSchema = z.strictObject({
  format: z.literal(PLAN_FORMAT),
  version: z.literal(STUDY_FOLDER_VERSION),
  /** Time of creation, ISO 8601. */
  created: z.string(),
  name: z.string(),
  /** Study document as read, without its base scenarios. */
  study: z.record(z.string(), z.unknown()),
  bases: z
    .array(
      z.strictObject({
        name: z.string(),
        document: z.unknown(),
        /** Folder of the files that the scenario names. */
        folder: z.string().nullable(),
        /** Digests of these files. */
        beside: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
  points: z.number().int().nonnegative(),
  /** SHA-256 of the plan's lines. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * Largest memory of a point, estimated when planning, and lower bound on the time of all points, s; null if unknown.
   */
  state_bytes: z.number().nullable(),
  least_s: z.number().nullable(),
});
export type PlanHead = Readonly<z.infer<typeof planHeadSchema>>;

/** Heartbeat of a process working on a study, written every second. */
export const heartbeatSchema = z.strictObject({
  machine: z.string(),
  pid: z.number().int().positive(),
  /** Identifies the PID namespace that `pid` belongs to. */
  room: z.string(),
  job: z.string().nullable(),
  /** Start time, ISO 8601. */
  started: z.string(),
  at: z.string(),
  done: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  per_s: z.number().nullable(),
});
export type Heartbeat = Readonly<z.infer<typeof heartbeatSchema>>;

/**
 * Digits in half a point id. Ids of many points are sent as two numbers each, because text would dominate the size of a
 * plot's data.
 */
const HALF_DIGITS = 8;

/** Packs ids of 16 hexadecimal digits each. */
export function packedIds(ids: readonly string[]): Uint32Array {
  const packed = new Uint32Array(2 * ids.length);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] ?? '';
    packed[2 * i] = Number.parseInt(id.slice(0, HALF_DIGITS), 16);
    packed[2 * i + 1] = Number.parseInt(id.slice(HALF_DIGITS), 16);
  }
  return packed;
}

/** Returns the id at index i, or null if out of range. */
export function idAt(packed: Uint32Array, i: number): string | null {
  const [high, low] = [packed[2 * i], packed[2 * i + 1]];
  if (high === undefined || low === undefined) return null;
  return [high, low].map((half) => half.toString(16).padStart(HALF_DIGITS, '0')).join('');
}
