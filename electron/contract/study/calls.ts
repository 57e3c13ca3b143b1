/** Studies as the page asks for them: those in the library's folder `studies`. */
import { z } from 'zod';
import { fileRefSchema } from '../files.ts';
import { scenarioDraftSchema } from '../scenario/draft.ts';
import { bytes, float64, uint32 } from '../wire/arrays.ts';
import { clusterSchema, clustersSchema } from './clusters.ts';
import { LONGEST_EXPRESSION } from './expression.ts';
import { pointResultSchema } from './result.ts';
import { groupsSchema, MOST_PLOTTED, studySortSchema, studyViewsSchema } from './views.ts';

const nothing = z.strictObject({});

/** The folder's name without `.study`: a letter, digit or underscore first, no separators. */
export const studyIdSchema = z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ .,()+–-]{0,99}$/u);
export type StudyId = z.infer<typeof studyIdSchema>;
const ofStudy = z.strictObject({ study: studyIdSchema });

const studyEntrySchema = z.strictObject({
  id: studyIdSchema,
  name: z.string(),
  points: z.number().int().nonnegative(),
  done: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /** `elsewhere`: another process works on it, such as the command line. */
  state: z.enum(['running', 'stopping', 'elsewhere', 'whole', 'open']),
  /** Points a second in the last half minute; null before there is a rate, and where nobody works here. */
  per_s: z.number().nullable(),
  left_s: z.number().nullable(),
  /** Why the last go here ended early; null: it did not. */
  error: z.string().nullable(),
  /** The cluster that it was given to last; null: this machine. */
  on: z.string().nullable(),
  /** It has a search, which one machine measures. */
  searches: z.boolean(),
  /** The first failures. */
  failures: z.array(z.strictObject({ id: z.string(), message: z.string() })).readonly(),
  /** ISO 8601. */
  created: z.string(),
});
export type StudyEntry = Readonly<z.infer<typeof studyEntrySchema>>;

/** A study as its author wrote it, and its scenario's file, relative to which the files that it names are resolved. */
const written = z.strictObject({ document: scenarioDraftSchema, file: fileRefSchema.nullable().default(null) });

/** Name of a cluster; null: this machine. */
const on = z.string().nullable().default(null);

const studyPlanSchema = z.strictObject({
  points: z.number().int().nonnegative(),
  combinations: z.number().int().nonnegative(),
  /** Points that were laid out for what follows. */
  looked: z.number().int().nonnegative(),
  state_bytes: z.number().nullable(),
  /** One after the other on the fastest machine of today; null where unknown. */
  least_s: z.number().nullable(),
  /** Points that cannot be run, of those looked at. */
  refused: z.array(z.strictObject({ settings: z.string(), message: z.string() })).readonly(),
});
export type StudyPlan = Readonly<z.infer<typeof studyPlanSchema>>;

/** Expected duration and memory of a study on one machine, from probe runs of some of its points. */
const studyForecastSchema = z.strictObject({
  machine: z.string(),
  cpu: z.string(),
  cores: z.number().int().positive(),
  gpus: z.number().int().nonnegative(),
  /** Points that were solved for it. */
  probed: z.number().int().nonnegative(),
  /** Null if unknown: failed probes give no estimate. */
  expected_s: z.number().nullable(),
  /** True: a probe was given up, so that it takes longer than this. */
  isLeast: z.boolean(),
  /** Points at the same time, at the most, and what these take together; null where a point's memory is not known. */
  at_once: z.number().int().positive(),
  memory_bytes: z.number().nullable(),
});
export type StudyForecast = Readonly<z.infer<typeof studyForecastSchema>>;

/** Studies that need longer start only after confirmation. */
export const ENDLESS_S = 24 * 3600;
/** The least time of any machine is far below that of one: from here on some points are solved to know. */
export const DOUBTFUL_S = 60;

const studyCellSchema = z.union([z.number(), z.string(), z.null()]);
export type StudyCell = z.infer<typeof studyCellSchema>;

const studyColumnSchema = z.strictObject({
  /** Its own in the table: the group, and the name. */
  key: z.string(),
  name: z.string(),
  unit: z.string(),
  /** `group`: of rows that were put together. */
  of: z.enum(['group', 'point', 'axis', 'measure', 'error', 'where']),
  /** Every row has the same here. */
  equal: z.boolean(),
  /** All that is there are numbers. */
  numeric: z.boolean(),
});
export type StudyColumnInfo = Readonly<z.infer<typeof studyColumnSchema>>;

/** Which rows: all where it is empty. As in conditions of studies, by the names of columns: `r80_mm > 40`. */
const filter = z.string().max(LONGEST_EXPRESSION).default('');
const MOST_ROWS = 500;

const studyRowsSchema = z.strictObject({
  columns: z.array(studyColumnSchema).readonly(),
  rows: z.array(z.array(studyCellSchema).readonly()).readonly(),
  /** As rows: least and largest of what a group's cell is the median of; null: one value. Empty without groups. */
  spans: z.array(z.array(z.tuple([z.number(), z.number()]).readonly().nullable()).readonly()).readonly(),
  /** Rows, or groups, that `from` counts through. */
  shown: z.number().int().nonnegative(),
  /** Rows that the filter lets through, and all. */
  matching: z.number().int().nonnegative(),
  all: z.number().int().nonnegative(),
  /** Notes that must accompany every copy of the table. */
  notes: z.array(z.string()).readonly(),
});
export type StudyRows = Readonly<z.infer<typeof studyRowsSchema>>;

/** A column of all matching rows: numbers with NaN where there is none, or which of its different texts each has. */
const valuesSchema = z.strictObject({
  key: z.string(),
  numbers: float64.nullable(),
  texts: z.strictObject({ different: z.array(z.string()), of: uint32 }).nullable(),
});
export type StudyValues = Readonly<z.infer<typeof valuesSchema>>;
export interface StudyColumns {
  readonly rows: string;
  readonly points: Uint32Array | null;
  readonly columns: StudyValues[];
}

/** Advice drawn from the points of a study, with its evidence. */
const adviceSchema = z.strictObject({ text: z.string(), evidence: z.array(z.string()).readonly() });
export type StudyAdvice = Readonly<z.infer<typeof adviceSchema>>;

export const studyMethods = {
  'study.list': { params: nothing, result: z.strictObject({ studies: z.array(studyEntrySchema) }) },
  /** Throws `invalid` with every error in the study. */
  'study.plan': { params: written, result: studyPlanSchema },
  /**
   * Solves some points as probes, which needs seconds. Null if no forecast is possible: the study has a search, no
   * point can be run, or a newer request or a started study interrupted this one.
   */
  'study.forecast': { params: written, result: z.strictObject({ forecast: studyForecastSchema.nullable() }) },
  /** Plans it into the library and begins. A study with the same points goes on where it was. */
  'study.start': { params: written.extend({ on }), result: ofStudy },
  /** Solves what has no result; with `retry` what failed, too. */
  'study.resume': { params: z.strictObject({ study: studyIdSchema, retry: z.boolean(), on }), result: nothing },
  'study.clusters': { params: nothing, result: z.strictObject({ clusters: clustersSchema }) },
  /** In the place of those that are there. */
  'study.keepClusters': { params: z.strictObject({ clusters: clustersSchema }), result: nothing },
  /**
   * Checks the connection to a cluster: one sentence about its state. Throws `unsupported` with one sentence about the
   * error.
   */
  'study.tryCluster': {
    params: z.strictObject({ cluster: clusterSchema }),
    result: z.strictObject({ says: z.string() }),
  },
  /** The points under way are lost, and nothing else. */
  'study.stop': { params: ofStudy, result: nothing },
  /** Rows from `from` on in the requested order; at most 500. */
  'study.rows': {
    params: z.strictObject({
      study: studyIdSchema,
      filter,
      /** Null if in the order of the plan. */
      sort: studySortSchema.nullable(),
      /** A row for each combination of values of these columns: how many rows, and the medians of their numbers. */
      groups: groupsSchema.default([]),
      from: z.number().int().nonnegative(),
      count: z.number().int().min(0).max(MOST_ROWS),
    }),
    result: studyRowsSchema,
  },
  /** Whole columns, for plots. */
  'study.values': {
    params: z.strictObject({
      ...{ study: studyIdSchema, filter, keys: z.array(z.string()).min(1).max(MOST_PLOTTED) },
      /** Rows whose points the asker has, by their name in an answer. */
      known: z.string().nullable().default(null),
    }),
    result: z.strictObject({
      /** Names these rows: another answer with it is of the same ones. */
      rows: z.string(),
      /** The points' ids, packed. Null: the asker has them. */
      points: uint32.nullable(),
      columns: z.array(valuesSchema),
    }),
  },
  /** The scenario that is solved at a point. */
  'study.point': {
    params: z.strictObject({ study: studyIdSchema, point: z.string().regex(/^[0-9a-f]{16}$/) }),
    result: z.strictObject({ scenario: scenarioDraftSchema, name: z.string() }),
  },
  /** Saved result of a point, including curves. */
  'study.result': {
    params: z.strictObject({ study: studyIdSchema, point: z.string().regex(/^[0-9a-f]{16}$/) }),
    result: z.strictObject({ settings: z.string(), result: pointResultSchema.nullable() }),
  },
  /** `error_mm`: which error of a length is near enough, for studies of convergence. */
  'study.advice': {
    params: z.strictObject({ study: studyIdSchema, error_mm: z.number().positive() }),
    result: z.strictObject({ lines: z.array(adviceSchema).readonly() }),
  },
  /** Study options of a scenario: tunable variants, and the variants compared by claims about it. */
  'study.offers': {
    params: z.strictObject({ document: scenarioDraftSchema }),
    result: z.strictObject({
      tunable: z.array(z.string()),
      claims: z.array(z.strictObject({ claim: z.string(), variants: z.array(z.string()) })),
    }),
  },
  'study.views': { params: ofStudy, result: z.strictObject({ views: studyViewsSchema }) },
  /** In the place of those that are there. */
  'study.keepViews': { params: z.strictObject({ study: studyIdSchema, views: studyViewsSchema }), result: nothing },
  'study.export': {
    params: z.strictObject({ study: studyIdSchema, format: z.enum(['csv', 'parquet', 'h5', 'json']) }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },
} as const;
