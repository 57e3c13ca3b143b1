/**
 * Studies in the library's folder `studies`, for the page. The last view of a study's results and its named views are
 * saved next to the study.
 */
import { z } from 'zod';
import { LONGEST_EXPRESSION } from '../../domain/values/expression.ts';
import { fileRefSchema } from '../files.ts';
import { scenarioDraftSchema } from '../scenario/workload.ts';
import { bytes, float64, uint32 } from '../wire/arrays.ts';
import { clusterSchema, clustersSchema } from './clusters.ts';
import { pointResultSchema } from './result.ts';

const key = z.string().max(300);

/** Columns to group rows by. */
const groupsSchema = z.array(key).max(3);

const studySortSchema = z.strictObject({ key, descending: z.boolean() });

/** Limit on the columns read for one plot. */
export const MAX_PLOTTED = 12;

const studyPlotLooks = ['points', 'lines', 'pareto', 'heat', 'parallel'] as const;

const studyViewSettingsSchema = z.strictObject({
  tab: z.enum(['table', 'plot']),
  filter: z.string().max(LONGEST_EXPRESSION),
  sort: studySortSchema.nullable(),
  groups: groupsSchema,
  hideEqual: z.boolean(),
  /** Whether points are shown side by side, with one row per value. */
  transposed: z.boolean(),
  plot: z.strictObject({
    look: z.enum(studyPlotLooks),
    /** Column keys; if empty, the default column to plot. */
    x: key,
    y: key,
    /** Null if the first remaining axis is used. */
    by: key.nullable(),
    /** Column that determines the colours of a heat map. */
    value: key,
    logX: z.boolean(),
    logY: z.boolean(),
    /** Axes of parallel coordinates; if empty, the columns that vary. */
    along: z.array(key).max(MAX_PLOTTED),
    /** Axes that are logarithmic. */
    logs: z.array(key).max(MAX_PLOTTED),
  }),
});
export type StudyViewSettings = Readonly<z.infer<typeof studyViewSettingsSchema>>;

export const defaultViewSettings: StudyViewSettings = {
  ...{ tab: 'table', filter: '', sort: null, groups: [], hideEqual: true, transposed: false },
  plot: { look: 'lines', x: '', y: '', by: null, value: '', logX: false, logY: false, along: [], logs: [] },
};

const studyViewSchema = z.strictObject({ name: z.string().trim().min(1).max(60), look: studyViewSettingsSchema });
export type StudyView = Readonly<z.infer<typeof studyViewSchema>>;

export const studyViewsSchema = z.array(studyViewSchema).max(100).readonly();

const emptyRequestSchema = z.strictObject({});

/** Folder name without `.study`: begins with a letter, digit or underscore, has no separators. */
export const studyIdSchema = z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ .,()+–-]{0,99}$/u);
export type StudyId = z.infer<typeof studyIdSchema>;
const studyRequestSchema = z.strictObject({ study: studyIdSchema });

const studyEntrySchema = z.strictObject({
  id: studyIdSchema,
  name: z.string(),
  points: z.number().int().nonnegative(),
  done: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /** `elsewhere`: another process works on it, such as the command line. */
  state: z.enum(['running', 'stopping', 'elsewhere', 'whole', 'open']),
  /**
   * Points per second in the last half minute; null before there is a rate, and if this program is not working on it.
   */
  per_s: z.number().nullable(),
  left_s: z.number().nullable(),
  /** Reason why the last attempt in this program ended early; null if it did not. */
  error: z.string().nullable(),
  /** Cluster to which the study was last submitted; null for this machine. */
  on: z.string().nullable(),
  /** Whether the study has a search, which must run on one machine. */
  searches: z.boolean(),
  /** First failures of the study. */
  failures: z.array(z.strictObject({ id: z.string(), message: z.string() })).readonly(),
  /** Time of creation, ISO 8601. */
  created: z.string(),
});
export type StudyEntry = Readonly<z.infer<typeof studyEntrySchema>>;

/** Study as its author wrote it, and its scenario's file, against which file references are resolved. */
const authoredStudySchema = z.strictObject({
  document: scenarioDraftSchema,
  file: fileRefSchema.nullable().default(null),
});

/** Name of a cluster; null for this machine. */
const targetSchema = z.string().nullable().default(null);

const studyPlanSchema = z.strictObject({
  points: z.number().int().nonnegative(),
  combinations: z.number().int().nonnegative(),
  /** Number of points that were examined for the following values. */
  looked: z.number().int().nonnegative(),
  state_bytes: z.number().nullable(),
  /** Total time on the fastest current machine, one point after another; null if unknown. */
  least_s: z.number().nullable(),
  /** Examined points that cannot be run. */
  refused: z.array(z.strictObject({ settings: z.string(), message: z.string() })).readonly(),
});
export type StudyPlan = Readonly<z.infer<typeof studyPlanSchema>>;

/** Expected duration and memory of a study on one machine, from probe runs of some of its points. */
const studyForecastSchema = z.strictObject({
  machine: z.string(),
  cpu: z.string(),
  cores: z.number().int().positive(),
  gpus: z.number().int().nonnegative(),
  /** Number of points that were solved as probes. */
  probed: z.number().int().nonnegative(),
  /** Null if unknown: failed probes give no estimate. */
  expected_s: z.number().nullable(),
  /** True if a probe was aborted, so that the study needs more time than this. */
  isLeast: z.boolean(),
  /** Largest number of points at the same time, and their total memory; null if the memory of a point is unknown. */
  at_once: z.number().int().positive(),
  memory_bytes: z.number().nullable(),
});
export type StudyForecast = Readonly<z.infer<typeof studyForecastSchema>>;

/** Studies that need longer start only after confirmation. */
export const CONFIRM_FROM_S = 24 * 3600;
/**
 * The theoretical minimum is far below the time on a real machine. From this minimum on, some points are solved as
 * probes.
 */
export const DOUBTFUL_S = 60;

const studyCellSchema = z.union([z.number(), z.string(), z.null()]);
export type StudyCell = z.infer<typeof studyCellSchema>;

const studyColumnSchema = z.strictObject({
  /** Unique key in the table: group and name. */
  key: z.string(),
  name: z.string(),
  unit: z.string(),
  /** Source of the column; `group` is for grouped rows. */
  of: z.enum(['group', 'point', 'axis', 'measure', 'error', 'where']),
  /** Whether all rows have the same value in this column. */
  equal: z.boolean(),
  /** Whether all values present are numbers. */
  numeric: z.boolean(),
});
export type StudyColumnInfo = Readonly<z.infer<typeof studyColumnSchema>>;

/** Filter of rows; if empty, all rows. Written as a condition on column names, as in studies: `r80_mm > 40`. */
const filter = z.string().max(LONGEST_EXPRESSION).default('');
const MAX_ROWS = 500;

const studyRowsSchema = z.strictObject({
  columns: z.array(studyColumnSchema).readonly(),
  rows: z.array(z.array(studyCellSchema).readonly()).readonly(),
  /** Smallest and largest value behind each median in a grouped row; null for a single value. Empty without groups. */
  spans: z.array(z.array(z.tuple([z.number(), z.number()]).readonly().nullable()).readonly()).readonly(),
  /** Total number of rows or groups, the range of `from`. */
  shown: z.number().int().nonnegative(),
  /** Number of rows that pass the filter, and of all rows. */
  matching: z.number().int().nonnegative(),
  all: z.number().int().nonnegative(),
  /** Notes that must accompany every copy of the table. */
  notes: z.array(z.string()).readonly(),
});
export type StudyRows = Readonly<z.infer<typeof studyRowsSchema>>;

/**
 * Values of one column in all matching rows. Missing numbers are NaN; texts are indices into the list of distinct
 * texts.
 */
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
  'study.list': { params: emptyRequestSchema, result: z.strictObject({ studies: z.array(studyEntrySchema) }) },
  /** Throws `invalid` with every error in the study. */
  'study.plan': { params: authoredStudySchema, result: studyPlanSchema },
  /**
   * Solves some points as probes, which needs seconds. Null if no forecast is possible: the study has a search, no
   * point can be run, or a newer request or a started study interrupted this one.
   */
  'study.forecast': {
    params: authoredStudySchema,
    result: z.strictObject({ forecast: studyForecastSchema.nullable() }),
  },
  /** Plans the study into the library and starts it. A study with the same points is continued. */
  'study.start': { params: authoredStudySchema.extend({ on: targetSchema }), result: studyRequestSchema },
  /** Solves the points without a result; with `retry`, also those that failed. */
  'study.resume': {
    params: z.strictObject({ study: studyIdSchema, retry: z.boolean(), on: targetSchema }),
    result: emptyRequestSchema,
  },
  'study.clusters': { params: emptyRequestSchema, result: z.strictObject({ clusters: clustersSchema }) },
  /** Replaces all saved clusters. */
  'study.keepClusters': { params: z.strictObject({ clusters: clustersSchema }), result: emptyRequestSchema },
  /**
   * Checks the connection to a cluster: one sentence about its state. Throws `unsupported` with one sentence about the
   * error.
   */
  'study.tryCluster': {
    params: z.strictObject({ cluster: clusterSchema }),
    result: z.strictObject({ says: z.string() }),
  },
  /** Stops the study. Only the points in progress are lost. */
  'study.stop': { params: studyRequestSchema, result: emptyRequestSchema },
  /** Returns at most 500 rows from index `from` in the requested order. */
  'study.rows': {
    params: z.strictObject({
      study: studyIdSchema,
      filter,
      /** Column and direction of sorting; null for the order of the plan. */
      sort: studySortSchema.nullable(),
      /**
       * Groups rows by these columns: one row for each combination of values, with the count and the medians of
       * numbers.
       */
      groups: groupsSchema.default([]),
      from: z.number().int().nonnegative(),
      count: z.number().int().min(0).max(MAX_ROWS),
    }),
    result: studyRowsSchema,
  },
  /** Returns complete columns, for plots. */
  'study.values': {
    params: z.strictObject({
      ...{ study: studyIdSchema, filter, keys: z.array(z.string()).min(1).max(MAX_PLOTTED) },
      /** Name of the row set, from an earlier response, for which the caller already has the points. */
      known: z.string().nullable().default(null),
    }),
    result: z.strictObject({
      /** Name of the row set; responses with equal names have the same rows. */
      rows: z.string(),
      /** Ids of the points, packed. Null if the caller already has them. */
      points: uint32.nullable(),
      columns: z.array(valuesSchema),
    }),
  },
  /** Scenario that is solved at a point. */
  'study.point': {
    params: z.strictObject({ study: studyIdSchema, point: z.string().regex(/^[0-9a-f]{16}$/) }),
    result: z.strictObject({ scenario: scenarioDraftSchema, name: z.string() }),
  },
  /** Saved result of a point, including curves. */
  'study.result': {
    params: z.strictObject({ study: studyIdSchema, point: z.string().regex(/^[0-9a-f]{16}$/) }),
    result: z.strictObject({ settings: z.string(), result: pointResultSchema.nullable() }),
  },
  /** `error_mm`: acceptable error of a length, for convergence studies. */
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
  'study.views': { params: studyRequestSchema, result: z.strictObject({ views: studyViewsSchema }) },
  /** Replaces all saved views. */
  'study.keepViews': {
    params: z.strictObject({ study: studyIdSchema, views: studyViewsSchema }),
    result: emptyRequestSchema,
  },
  'study.export': {
    params: z.strictObject({ study: studyIdSchema, format: z.enum(['csv', 'parquet', 'h5', 'json']) }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },
} as const;
