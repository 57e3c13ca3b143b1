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
  /** Its own within a workload: `r80_mm`. */
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

const keptCurveSchema = z.strictObject({
  name: z.string().min(1).max(200),
  unit: z.string().max(40),
  axis: z.string().max(200),
  axis_unit: z.string().max(40),
  /** As long as the values; null is not a number. */
  positions: z.array(z.number().nullable()),
  values: z.array(z.number().nullable()),
});
export type KeptCurve = Readonly<z.infer<typeof keptCurveSchema>>;

/** Machine and program that solved a point. */
const whereSchema = z.strictObject({
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
  /** Points that may have run at the same time, this one among them: more than 1 makes times longer. */
  at_once: z.number().int().positive(),
  /** The cluster's job and task; null elsewhere. */
  job: z.string().nullable(),
});
export type Where = Readonly<z.infer<typeof whereSchema>>;

export const pointResultSchema = z.strictObject({
  format: z.literal(POINT_FORMAT),
  version: z.literal(STUDY_FOLDER_VERSION),
  id: idSchema,
  status: z.enum(['done', 'failed']),
  /** Why it failed; null unless it did. */
  error: z.strictObject({ code: errorCodeSchema, message: z.string() }).nullable(),
  workload: z.string(),
  /** The variant that ran if `auto` was requested. */
  variant: z.string(),
  precision: z.string(),
  threads: z.number().int().nonnegative().nullable(),
  repeats: z.number().int().positive(),
  measures: z.array(measureSchema).readonly(),
  curves: z.array(keptCurveSchema).readonly(),
  where: whereSchema,
  /** ISO 8601. */
  started: z.string(),
  finished: z.string(),
});
export type PointResult = Readonly<z.infer<typeof pointResultSchema>>;

const pathSchema = z
  .array(z.union([z.string(), z.number()]))
  .max(50)
  .readonly();

/** A line of the plan. */
export const planLineSchema = z.strictObject({
  id: idSchema,
  base: z.number().int().nonnegative(),
  settings: z.array(z.strictObject({ path: pathSchema, value: z.unknown() })).readonly(),
});
export type PlanLine = Readonly<z.infer<typeof planLineSchema>>;

export const planHeadSchema = z.strictObject({
  format: z.literal(PLAN_FORMAT),
  version: z.literal(STUDY_FOLDER_VERSION),
  /** ISO 8601. */
  created: z.string(),
  name: z.string(),
  /** The study as it was read, without its base scenarios. */
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
  /** SHA-256 of the lines. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Most that a point was found to take when it was planned, and the least time of all; null where unknown. */
  state_bytes: z.number().nullable(),
  least_s: z.number().nullable(),
});
export type PlanHead = Readonly<z.infer<typeof planHeadSchema>>;

/** Heartbeat of a process working on a study, written every second. */
export const beatSchema = z.strictObject({
  machine: z.string(),
  pid: z.number().int().positive(),
  /** The room of process ids that the pid is of. */
  room: z.string(),
  job: z.string().nullable(),
  /** ISO 8601. */
  started: z.string(),
  at: z.string(),
  done: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  per_s: z.number().nullable(),
});
export type Beat = Readonly<z.infer<typeof beatSchema>>;
