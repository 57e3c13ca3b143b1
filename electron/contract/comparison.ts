/** Results beside each other: one row, one map and one curve per subject, all against one reference. */
import { z } from 'zod';
import { setupPartSchema } from './bench.ts';
import { intervalSchema, modeSchema, ratioSchema, verdictSchema } from './bench-session.ts';
import { subjectSchema } from './benches.ts';
import { curveSchema, fieldMapSchema, viewportSchema } from './fields.ts';
import { precisionSchema } from './run.ts';

const seconds = z.number().nonnegative();
const count = z.number().int().nonnegative();

/** The machine and program that numbers were measured with; null is what was not recorded. */
export const provenanceSchema = z.strictObject({
  machine: z.string(),
  driver: z.string().nullable(),
  /** Lowest and highest multiprocessor clock of the samples. */
  sm_MHz: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  version: z.string(),
  commit: z.string().nullable(),
  /** ISO 8601. */
  measured: z.string(),
});
export type Provenance = Readonly<z.infer<typeof provenanceSchema>>;

export const comparedSampleSchema = z.strictObject({ round: count, time_s: seconds, flag: z.string().nullable() });

export const comparedRowSchema = z.strictObject({
  subject: subjectSchema,
  title: z.string(),
  /** The session's or the run's name. */
  origin: z.string(),
  scenario: z.string(),
  variant: z.string(),
  device: z.string(),
  precision: precisionSchema,
  stepping: z.enum(['path', 'depth']).nullable(),
  provenance: provenanceSchema,
  /** Median of the steps; of a stored run its one time. */
  time_s: seconds,
  /** 95 % bootstrap interval of the median; null for one sample. */
  time_interval: intervalSchema.nullable(),
  /** Median absolute deviation over the median; null for one sample. */
  spread: z.number().nullable(),
  wall_s: seconds,
  setup_s: seconds,
  first_setup_s: seconds.nullable(),
  setup_parts: z.array(setupPartSchema),
  /** Beside warm, where they were measured. */
  modes: z.array(
    z.strictObject({
      mode: modeSchema,
      /** Null with the reason where the variant cannot be run so. */
      time_s: seconds.nullable(),
      /** Over the same variant's warm time. */
      ratio: ratioSchema.nullable(),
      reason: z.string().nullable(),
    }),
  ),
  steps: count,
  cells: z.number().nullable(),
  cell_steps_per_s: z.number(),
  /** Time over the reference's time. */
  ratio: ratioSchema,
  /** Taken in the same rounds as the reference: drifts of the machine cancel. */
  paired: z.boolean(),
  verdict: verdictSchema,
  /** Why the verdict is what it is, where that is not plain. */
  note: z.string().nullable(),
  /** Of the dose, against the session's FP64 answer; of a run against the reference's dose. */
  rel_l2: z.number().nullable(),
  rel_l2_limit: z.number().nullable(),
  ledger_error: z.number(),
  determinism: z.strictObject({ runs: count, bitwise: z.boolean(), spread: z.number() }).nullable(),
  flagged: count,
  samples: z.array(comparedSampleSchema),
  /** A dose can be shown. */
  has_dose: z.boolean(),
  r80_mm: z.number().nullable(),
  /** What differs from the reference in machine, program and scenario. */
  differences: z.array(z.strictObject({ what: z.string(), reference: z.string(), here: z.string() })),
});
export type ComparedRow = Readonly<z.infer<typeof comparedRowSchema>>;

const subjects = z.array(subjectSchema).min(1).max(256);
/** Index into the subjects. */
const reference = z.number().int().min(0);

export const comparedCurveSchema = z.strictObject({
  /** Null with the reason where there is no dose. */
  curve: curveSchema.nullable(),
  reason: z.string().nullable(),
  /** Value less the reference's at the curve's own positions; null of the reference. */
  residual: curveSchema.nullable(),
});
export type ComparedCurve = Readonly<z.infer<typeof comparedCurveSchema>>;

export const comparedMapSchema = z.strictObject({
  map: fieldMapSchema.nullable(),
  reason: z.string().nullable(),
  /** Less the reference's dose, cell by cell; null of the reference and where the grids differ. */
  difference: fieldMapSchema.nullable(),
});
export type ComparedMap = Readonly<z.infer<typeof comparedMapSchema>>;

export const comparisonMethods = {
  /** Rows in the order of the subjects. A subject that is gone is left out and named. */
  'compare.rows': {
    params: z.strictObject({ subjects, reference }),
    result: z.strictObject({
      rows: z.array(comparedRowSchema),
      /** How far the reference strays from itself in its own session; null where that was not measured. */
      noise_floor: z.number().nullable(),
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
