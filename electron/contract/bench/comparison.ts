/**
 * Comparison of results: one row, one map and one curve per subject. Times are only compared within a group: one
 * benchmark of one size on one machine, with one reference.
 */
import { z } from 'zod';
import { curveSchema, fieldMapSchema, viewportSchema } from '../fields.ts';
import { workloadSchema } from '../workload.ts';
import {
  endToEndSchema,
  intervalSchema,
  processSchema,
  quantitySchema,
  ratioSchema,
  seconds,
  verdictSchema,
} from './bench-session.ts';
import { subjectSchema } from './benches.ts';
import {
  accuracySchema,
  determinismSchema,
  modeResultSchema,
  partSchema,
  rooflineSchema,
  timedSchema,
  wordsSchema,
} from './session.ts';

/** Machine and program of a measurement; fields are null if not recorded. */
const provenanceSchema = z.strictObject({
  machine: z.string(),
  driver: z.string().nullable(),
  /** Lowest and highest multiprocessor clock of the samples. */
  sm_MHz: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  version: z.string().nullable(),
  commit: z.string().nullable(),
  /** Time of the measurement, ISO 8601. */
  measured: z.string(),
});
export type Provenance = Readonly<z.infer<typeof provenanceSchema>>;

const comparedRowSchema = z.strictObject({
  subject: subjectSchema,
  workload: workloadSchema,
  title: z.string(),
  /** Name of the session or run. */
  origin: z.string(),
  /** Index of the row's group. */
  group: z.number().int().min(0),
  scenario: z.string(),
  variant: z.string(),
  /** Name of the benchmark if the workload has several; with the id it identifies the variant's source. */
  bench: z.string(),
  device: z.string(),
  precision: z.string(),
  provenance: provenanceSchema,
  /** Measurement conditions, with the outcome of requested ones such as a locked clock, as pairs of name and value. */
  conditions: z.array(z.tuple([z.string(), z.string()])),
  /** Median time; for a stored run, its only time. */
  time_s: seconds,
  /**
   * 95 % interval of the time, from the variation between instances, or by bootstrap without instances; null if too
   * few.
   */
  time_interval: intervalSchema.nullable(),
  /** Median absolute deviation divided by the median; null for one sample. */
  spread: z.number().nullable(),
  wall_s: seconds.nullable(),
  /** End-to-end comparison; null if end-to-end runs were not measured by instances. */
  whole: endToEndSchema.nullable(),
  /** Comparison with a separate process for each run; null if no process was started. */
  process: processSchema.nullable(),
  setup_s: seconds,
  first_setup_s: seconds.nullable(),
  setup_parts: z.array(partSchema),
  /** Results of measured modes other than warm. */
  modes: z.array(modeResultSchema),
  /** Problem size, in the unit that `words` names. */
  size: z.number().nullable(),
  /** Time divided by the time of the group's reference. */
  ratio: ratioSchema,
  /** Whether it was measured in the same rounds as the reference, so that drifts of the machine cancel. */
  paired: z.boolean(),
  verdict: verdictSchema,
  /**
   * Ratios of its time to the variant it builds on, and to the first variant of its ladder; null if not in a ladder.
   */
  rung: ratioSchema.nullable(),
  cumulative: ratioSchema.nullable(),
  /** Reason for the verdict if it is not obvious. */
  note: z.string().nullable(),
  /** Accuracy against the session's FP64 answer; for a run, against the reference's answer. */
  accuracy: z.array(accuracySchema),
  quantities: z.array(quantitySchema),
  roofline: rooflineSchema.nullable(),
  determinism: determinismSchema.nullable(),
  /** Number of flagged samples; null if clocks were not recorded. */
  flagged: z.number().int().nonnegative().nullable(),
  samples: z.array(timedSchema),
  /** Whether the answer can be shown as a map and as a curve. */
  has_map: z.boolean(),
  has_curve: z.boolean(),
  /** Differences from the reference in machine, program and scenario. */
  differences: z.array(z.strictObject({ what: z.string(), reference: z.string(), here: z.string() })),
});
export type ComparedRow = Readonly<z.infer<typeof comparedRowSchema>>;

/** Rows with comparable times: one benchmark of one size on one machine. */
const comparedGroupSchema = z.strictObject({
  /** Benchmark, size and machine, as far as they distinguish the group from others; empty for a single group. */
  title: z.string(),
  /** Index of the row that the others of the group are compared with. */
  reference: z.number().int().min(0),
  noise: z.strictObject({
    /** Spread of the ratio between equal candidates in the reference's session, as a ratio minus 1; null if unknown. */
    floor: z.number().nullable(),
    /** Ratio of the reference to itself in its session; null if it is not the reference of that session. */
    ratio: ratioSchema.nullable(),
  }),
});
export type ComparedGroup = Readonly<z.infer<typeof comparedGroupSchema>>;

const subjects = z.array(subjectSchema).min(1).max(256);
/** Index of the reference among the subjects. */
const reference = z.number().int().min(0);

const comparedCurveSchema = z.strictObject({
  /** Null if there is no curve; `reason` explains why. */
  curve: curveSchema.nullable(),
  reason: z.string().nullable(),
  /** Value less the reference's at the curve's own positions; null for the reference. */
  residual: curveSchema.nullable(),
});
export type ComparedCurve = Readonly<z.infer<typeof comparedCurveSchema>>;

const comparedMapSchema = z.strictObject({
  map: fieldMapSchema.nullable(),
  reason: z.string().nullable(),
  /** Map less the reference's map, cell by cell; null for the reference and if the grids differ. */
  difference: fieldMapSchema.nullable(),
});
export type ComparedMap = Readonly<z.infer<typeof comparedMapSchema>>;

export const comparisonMethods = {
  /**
   * Rows in the order of the subjects, all of one workload. `reference` becomes the reference of its group, which comes
   * first; each other group has another reference. A subject that no longer exists is left out and named.
   */
  'compare.rows': {
    params: z.strictObject({ subjects, reference }),
    result: z.strictObject({
      rows: z.array(comparedRowSchema),
      /** Terms used by the reference's session; null without rows. */
      words: wordsSchema.nullable(),
      groups: z.array(comparedGroupSchema),
      gone: z.array(z.strictObject({ subject: subjectSchema, reason: z.string() })),
    }),
  },
  'compare.curves': {
    params: z.strictObject({ subjects, reference }),
    result: z.strictObject({ curves: z.array(comparedCurveSchema) }),
  },
  'compare.maps': {
    params: z.strictObject({ subjects, reference, viewport: viewportSchema }),
    result: z.strictObject({ maps: z.array(comparedMapSchema) }),
  },
} as const;
