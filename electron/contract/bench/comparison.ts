/**
 * Results next to each other: one row, one map and one curve per subject. Times are compared within a group alone: one
 * benchmark of one size on one machine, with one reference.
 */
import { z } from 'zod';
import { curveSchema, fieldMapSchema, viewportSchema } from '../fields.ts';
import { workloadSchema } from '../workload.ts';
import { processSchema, quantitySchema, ratioSchema, seconds, verdictSchema, wholeSchema } from './bench-session.ts';
import { subjectSchema } from './benches.ts';
import { intervalSchema } from './interval.ts';
import {
  accuracySchema,
  determinismSchema,
  modeResultSchema,
  partSchema,
  rooflineSchema,
  timedSchema,
  wordsSchema,
} from './session.ts';

/** The machine and program that numbers were measured with; null is what was not recorded. */
const provenanceSchema = z.strictObject({
  machine: z.string(),
  driver: z.string().nullable(),
  /** Lowest and highest multiprocessor clock of the samples. */
  sm_MHz: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  version: z.string().nullable(),
  commit: z.string().nullable(),
  /** ISO 8601. */
  measured: z.string(),
});
export type Provenance = Readonly<z.infer<typeof provenanceSchema>>;

const comparedRowSchema = z.strictObject({
  subject: subjectSchema,
  workload: workloadSchema,
  title: z.string(),
  /** The session's or the run's name. */
  origin: z.string(),
  /** Index of its group. */
  group: z.number().int().min(0),
  scenario: z.string(),
  variant: z.string(),
  /** Benchmark within a workload that has several; with the id it identifies the variant's source. */
  bench: z.string(),
  device: z.string(),
  precision: z.string(),
  provenance: provenanceSchema,
  /** Measurement conditions and how the requested ones were met: name and value. */
  conditions: z.array(z.tuple([z.string(), z.string()])),
  /** Median; of a stored run its one time. */
  time_s: seconds,
  /** 95 % interval of the time, from what varies between instances, or by bootstrap where there are none; null for too few. */
  time_interval: intervalSchema.nullable(),
  /** Median absolute deviation over the median; null for one sample. */
  spread: z.number().nullable(),
  wall_s: seconds.nullable(),
  /** End-to-end comparison; null if end-to-end runs were not measured by instances. */
  whole: wholeSchema.nullable(),
  /** The same in a process of its own for each run; null where none was started. */
  process: processSchema.nullable(),
  setup_s: seconds,
  first_setup_s: seconds.nullable(),
  setup_parts: z.array(partSchema),
  /** Results of measured modes other than warm. */
  modes: z.array(modeResultSchema),
  /** In the words' unit. */
  size: z.number().nullable(),
  /** Time over the time of its group's reference. */
  ratio: ratioSchema,
  /** Taken in the same rounds as the reference: drifts of the machine cancel. */
  paired: z.boolean(),
  verdict: verdictSchema,
  /** Why the verdict is what it is, where that is not plain. */
  note: z.string().nullable(),
  /** Against the session's FP64 answer; of a run against the reference's answer. */
  accuracy: z.array(accuracySchema),
  quantities: z.array(quantitySchema),
  roofline: rooflineSchema.nullable(),
  determinism: determinismSchema.nullable(),
  /** Null if clocks were not recorded. */
  flagged: z.number().int().nonnegative().nullable(),
  samples: z.array(timedSchema),
  /** Whether the answer can be shown as a map and as a curve. */
  has_map: z.boolean(),
  has_curve: z.boolean(),
  /** Differences from the reference in machine, program and scenario. */
  differences: z.array(z.strictObject({ what: z.string(), reference: z.string(), here: z.string() })),
});
export type ComparedRow = Readonly<z.infer<typeof comparedRowSchema>>;

/** Rows whose times compare: one benchmark of one size on one machine. */
const comparedGroupSchema = z.strictObject({
  /** The benchmark, its size and the machine, as far as these differ between groups; empty for the only group. */
  title: z.string(),
  /** Index of the row that the others of the group are compared with. */
  reference: z.number().int().min(0),
  noise: z.strictObject({
    /** Spread of the ratio between equal candidates in the reference's session, as a ratio less 1; null if unknown. */
    floor: z.number().nullable(),
    /** The reference against itself, in its own session. */
    ratio: ratioSchema.nullable(),
  }),
});
export type ComparedGroup = Readonly<z.infer<typeof comparedGroupSchema>>;

const subjects = z.array(subjectSchema).min(1).max(256);
/** Index into the subjects. */
const reference = z.number().int().min(0);

const comparedCurveSchema = z.strictObject({
  /** Null if there is no curve; `reason` explains why. */
  curve: curveSchema.nullable(),
  reason: z.string().nullable(),
  /** Value less the reference's at the curve's own positions; null of the reference. */
  residual: curveSchema.nullable(),
});
export type ComparedCurve = Readonly<z.infer<typeof comparedCurveSchema>>;

const comparedMapSchema = z.strictObject({
  map: fieldMapSchema.nullable(),
  reason: z.string().nullable(),
  /** Less the reference's, cell by cell; null of the reference and where the grids differ. */
  difference: fieldMapSchema.nullable(),
});
export type ComparedMap = Readonly<z.infer<typeof comparedMapSchema>>;

export const comparisonMethods = {
  /**
   * Rows in the order of the subjects, all of one workload. `reference` is that of its group, which comes first; the
   * other groups have references of their own. A subject that no longer exists is left out and named.
   */
  'compare.rows': {
    params: z.strictObject({ subjects, reference }),
    result: z.strictObject({
      rows: z.array(comparedRowSchema),
      /** As the reference's session calls things; null without rows. */
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
