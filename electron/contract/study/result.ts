/** Files of a study: header and lines of the plan, and one result per point. Units are stored with the numbers. */
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
  /** Name such as `r80_mm`, unique within a workload. */
  name: z.string().min(1).max(200),
  /** Unit; empty for text and for dimensionless numbers. */
  unit: z.string().max(40),
  /** Null if this result does not define the value. */
  value: z.union([z.number(), z.string(), z.null()]),
  /** 95 % interval of the median over repeats; absent without repeats. */
  low: z.number().optional(),
  high: z.number().optional(),
});
export type Measure = Readonly<z.infer<typeof measureSchema>>;

const savedCurveSchema = z.strictObject({
  name: z.string().min(1).max(200),
  unit: z.string().max(40),
  axis: z.string().max(200),
  axis_unit: z.string().max(40),
  /** Positions of the values, as many as there are values. NaN is stored as null. */
  positions: z.array(z.number().nullable()),
  values: z.array(z.number().nullable()),
});
export type SavedCurve = Readonly<z.infer<typeof savedCurveSchema>>;

/** Machine on which a point was solved, and version of the program. */
const solverMachineSchema = z.strictObject({
  version: z.string(),
  build: z.string(),
  /** Commit of the checkout; null for an installed package. */
  commit: z.string().nullable(),
  machine: z.string(),
  cpu: z.string(),
  cores: z.number().int().positive(),
  os: z.string(),
  /** GPU on which the point was solved; null for the CPU. */
  gpu: z.string().nullable(),
  gpu_uuid: z.string().nullable(),
  driver: z.string().nullable(),
  /** Largest number of points that ran concurrently, including this one. If it is above 1, times are longer. */
  at_once: z.number().int().positive(),
  /** Slurm job and task id; null outside a cluster. */
  job: z.string().nullable(),
});
export type SolverMachine = Readonly<z.infer<typeof solverMachineSchema>>;

export const pointResultSchema = z.strictObject({
  format: z.literal(POINT_FORMAT),
  version: z.literal(STUDY_FOLDER_VERSION),
  id: idSchema,
  status: z.enum(['done', 'failed']),
  /** Reason for the failure; null unless `status` is `failed`. */
  error: z.strictObject({ code: errorCodeSchema, message: z.string() }).nullable(),
  workload: z.string(),
  /** Variant that ran. If the scenario requests `auto`, the one that was selected. */
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

/** Line of the plan, which describes one point. */
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
  /** Study document without its base scenarios. */
  study: z.record(z.string(), z.unknown()),
  bases: z
    .array(
      z.strictObject({
        name: z.string(),
        document: z.unknown(),
        /** Folder that the scenario's file names are relative to. */
        folder: z.string().nullable(),
        /** SHA-256 digests of the files that the scenario names. */
        beside: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
  points: z.number().int().nonnegative(),
  /** SHA-256 digest of the lines of the plan. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * Estimates made by planning: largest memory of a point, bytes, and lower bound on the time of all points, s. Null if
   * unknown.
   */
  state_bytes: z.number().nullable(),
  least_s: z.number().nullable(),
});
export type PlanHead = Readonly<z.infer<typeof planHeadSchema>>;

/** Heartbeat that a process writes every second while it solves points of a study. */
export const heartbeatSchema = z.strictObject({
  machine: z.string(),
  pid: z.number().int().positive(),
  /** Id of the PID namespace in which `pid` is valid. */
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
 * Hexadecimal digits in one half of a point id. An id is sent as two 32-bit numbers, because text would need more bytes
 * than the plotted values.
 */
const HALF_DIGITS = 8;

/** Packs ids of 16 hexadecimal digits into two 32-bit numbers each. */
export function packedIds(ids: readonly string[]): Uint32Array {
  const packed = new Uint32Array(2 * ids.length);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] ?? '';
    packed[2 * i] = Number.parseInt(id.slice(0, HALF_DIGITS), 16);
    packed[2 * i + 1] = Number.parseInt(id.slice(HALF_DIGITS), 16);
  }
  return packed;
}

/** Returns the packed id at index i, or null if i is out of range. */
export function idAt(packed: Uint32Array, i: number): string | null {
  const [high, low] = [packed[2 * i], packed[2 * i + 1]];
  if (high === undefined || low === undefined) return null;
  return [high, low].map((half) => half.toString(16).padStart(HALF_DIGITS, '0')).join('');
}
