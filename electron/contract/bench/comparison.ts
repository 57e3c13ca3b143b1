/**
 * Comparison of results: each subject has a row, a map and a curve. Times are compared only within a group, which has
 * one benchmark, one size, one machine and one reference.
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
  rooflineSchema,
  sampleSchema,
  sessionTermsSchema,
  setupPartSchema,
} from './session.ts';

/** Machine and program with which a result was measured; a field is null if it was not recorded. */
const provenanceSchema = z.strictObject({
  machine: z.string(),
  driver: z.string().nullable(),
  /** Lowest and highest multiprocessor clock while sampling. */
  sm_MHz: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  version: z.string().nullable(),
  commit: z.string().nullable(),
  /** Time at which it was measured, ISO 8601. */
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
  /** Name of the benchmark if the workload has several. Together with the id, it identifies the variant's source. */
  bench: z.string(),
  device: z.string(),
  precision: z.string(),
  provenance: provenanceSchema,
  /**
   * Conditions of the measurement as pairs of name and value. They include whether requested conditions, such as a
   * locked clock, were met.
   */
  conditions: z.array(z.tuple([z.string(), z.string()])),
  /** Median time of the samples; a stored run has only one. */
  time_s: seconds,
  /**
   * 95 % interval of the median time, from the variation between instances, or by bootstrap if the session has no
   * instances. Null for too few samples.
   */
  time_interval: intervalSchema.nullable(),
  /** Median absolute deviation of the samples, divided by their median; null for one sample. */
  spread: z.number().nullable(),
  wall_s: seconds.nullable(),
  /** End-to-end comparison; null if end-to-end times were not measured for several instances. */
  whole: endToEndSchema.nullable(),
  /** Comparison with a separate process for each run; null if no process was started. */
  process: processSchema.nullable(),
  setup_s: seconds,
  first_setup_s: seconds.nullable(),
  setup_parts: z.array(setupPartSchema),
  /** Results of the measured modes except `warm`. */
  modes: z.array(modeResultSchema),
  /** Problem size, in the unit given by `words`. */
  size: z.number().nullable(),
  /** Time divided by the time of the group's reference. */
  ratio: ratioSchema,
  /**
   * Whether this row and the reference were measured in the same rounds, so that drifts of the machine's speed cancel.
   */
  paired: z.boolean(),
  verdict: verdictSchema,
  /**
   * Ratios of this variant's time to that of the variant it builds on, and to that of the first variant of its ladder.
   * In a ladder, each variant adds one optimisation. Null for a variant outside any ladder.
   */
  rung: ratioSchema.nullable(),
  cumulative: ratioSchema.nullable(),
  /** Explanation of an unusual verdict; null if it needs none. */
  note: z.string().nullable(),
  /** Accuracy relative to the FP64 answer of the session; for a run, relative to the answer of the reference. */
  accuracy: z.array(accuracySchema),
  quantities: z.array(quantitySchema),
  roofline: rooflineSchema.nullable(),
  determinism: determinismSchema.nullable(),
  /** Number of samples that are flagged as doubtful; null if clocks were not recorded. */
  flagged: z.number().int().nonnegative().nullable(),
  samples: z.array(sampleSchema),
  /** Whether a map and a curve of the answer are available. */
  has_map: z.boolean(),
  has_curve: z.boolean(),
  /** Properties of machine, program and scenario that differ from those of the reference. */
  differences: z.array(z.strictObject({ what: z.string(), reference: z.string(), here: z.string() })),
});
export type ComparedRow = Readonly<z.infer<typeof comparedRowSchema>>;

/** Rows whose times are comparable: one benchmark of one size on one machine. */
const comparedGroupSchema = z.strictObject({
  /** Title that distinguishes the group from the others by benchmark, size or machine; empty if there is one group. */
  title: z.string(),
  /** Index of the group's reference row. */
  reference: z.number().int().min(0),
  noise: z.strictObject({
    /** Noise floor of the reference's session, as a ratio minus 1; null if unknown. */
    floor: z.number().nullable(),
    /**
     * Ratio between two copies of the reference in its session (A/A); null if this row is not the reference of that
     * session.
     */
    ratio: ratioSchema.nullable(),
  }),
});
export type ComparedGroup = Readonly<z.infer<typeof comparedGroupSchema>>;

const subjectsSchema = z.array(subjectSchema).min(1).max(256);
/** Index of the reference among the subjects. */
const referenceSchema = z.number().int().min(0);

const comparedCurveSchema = z.strictObject({
  /** Null if there is no curve; `reason` explains why. */
  curve: curveSchema.nullable(),
  reason: z.string().nullable(),
  /** Difference from the reference's curve, at the positions of this curve; null for the reference. */
  residual: curveSchema.nullable(),
});
export type ComparedCurve = Readonly<z.infer<typeof comparedCurveSchema>>;

const comparedMapSchema = z.strictObject({
  map: fieldMapSchema.nullable(),
  reason: z.string().nullable(),
  /** Cell-by-cell difference from the reference's map; null for the reference and if the grids differ. */
  difference: fieldMapSchema.nullable(),
});
export type ComparedMap = Readonly<z.infer<typeof comparedMapSchema>>;

export const comparisonMethods = {
  /**
   * Returns one row per subject, in the given order. All subjects must belong to one workload. `reference` is the index
   * of the subject that its group is compared with; that group is listed first. Other groups choose their own
   * reference. Subjects that no longer exist are omitted and reported.
   */
  'compare.rows': {
    params: z.strictObject({ subjects: subjectsSchema, reference: referenceSchema }),
    result: z.strictObject({
      rows: z.array(comparedRowSchema),
      /** Terms of the reference's session; null if there are no rows. */
      words: sessionTermsSchema.nullable(),
      groups: z.array(comparedGroupSchema),
      gone: z.array(z.strictObject({ subject: subjectSchema, reason: z.string() })),
    }),
  },
  'compare.curves': {
    params: z.strictObject({ subjects: subjectsSchema, reference: referenceSchema }),
    result: z.strictObject({ curves: z.array(comparedCurveSchema) }),
  },
  'compare.maps': {
    params: z.strictObject({ subjects: subjectsSchema, reference: referenceSchema, viewport: viewportSchema }),
    result: z.strictObject({ maps: z.array(comparedMapSchema) }),
  },
} as const;
