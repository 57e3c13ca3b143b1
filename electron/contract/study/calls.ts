/**
 * Calls of the page for studies, which are in the library's folder `studies`. The last view of a study's results and
 * all named views are saved with the study.
 */
import { z } from 'zod';
import { MAX_EXPRESSION_LENGTH } from '../../domain/values/expression.ts';
import { fileRefSchema } from '../files.ts';
import { scenarioDraftSchema } from '../scenario/workload.ts';
import { bytes, float64, uint32 } from '../wire/arrays.ts';
import { clusterSchema, clustersSchema } from './clusters.ts';
import { pointResultSchema } from './result.ts';

const columnKeySchema = z.string().max(300);

/** Keys of the columns by which rows are grouped. */
const groupsSchema = z.array(columnKeySchema).max(3);

const studySortSchema = z.strictObject({ key: columnKeySchema, descending: z.boolean() });

/** Largest number of columns in one plot. */
export const MAX_PLOTTED_COLUMNS = 12;

const studyPlotKinds = ['points', 'lines', 'pareto', 'heat', 'parallel'] as const;

const studyViewSettingsSchema = z.strictObject({
  tab: z.enum(['table', 'plot']),
  filter: z.string().max(MAX_EXPRESSION_LENGTH),
  sort: studySortSchema.nullable(),
  groups: groupsSchema,
  hideEqual: z.boolean(),
  /** If true, each point is a column and each value a row. */
  transposed: z.boolean(),
  plot: z.strictObject({
    look: z.enum(studyPlotKinds),
    /** Columns of the two axes; if empty, a default column. */
    x: columnKeySchema,
    y: columnKeySchema,
    /** Column that separates the series; null for the first axis of the study that is not plotted. */
    by: columnKeySchema.nullable(),
    /** Column that colours the cells of a heat map. */
    value: columnKeySchema,
    logX: z.boolean(),
    logY: z.boolean(),
    /** Columns of a parallel-coordinates plot; if empty, all columns that vary. */
    along: z.array(columnKeySchema).max(MAX_PLOTTED_COLUMNS),
    /** Columns with a logarithmic axis. */
    logs: z.array(columnKeySchema).max(MAX_PLOTTED_COLUMNS),
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

/**
 * Name of the study's folder without `.study`. It begins with a letter, digit or underscore and contains no separators.
 */
export const studyIdSchema = z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ .,()+–-]{0,99}$/u);
export type StudyId = z.infer<typeof studyIdSchema>;
const studyRequestSchema = z.strictObject({ study: studyIdSchema });

const studyEntrySchema = z.strictObject({
  id: studyIdSchema,
  name: z.string(),
  points: z.number().int().nonnegative(),
  done: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /**
   * `elsewhere`: running in another process, such as the command line. `whole`: every point is solved or has failed.
   * `open`: some points are not solved yet.
   */
  state: z.enum(['running', 'stopping', 'elsewhere', 'whole', 'open']),
  /** Points per second during the last 30 s. Null before the first estimate, and if another process runs the study. */
  per_s: z.number().nullable(),
  left_s: z.number().nullable(),
  /** Reason why this program ended its last attempt early; null if it did not. */
  error: z.string().nullable(),
  /** Cluster that the study was last submitted to; null if it ran on this machine. */
  on: z.string().nullable(),
  /** Whether the study contains a search. A search must run on one machine. */
  searches: z.boolean(),
  /** First failed points of the study. */
  failures: z.array(z.strictObject({ id: z.string(), message: z.string() })).readonly(),
  /** Time of creation, ISO 8601. */
  created: z.string(),
});
export type StudyEntry = Readonly<z.infer<typeof studyEntrySchema>>;

/** Study as its author wrote it, and the scenario file that its references are relative to. */
const authoredStudySchema = z.strictObject({
  document: scenarioDraftSchema,
  file: fileRefSchema.nullable().default(null),
});

/** Cluster on which to run; null for this machine. */
const targetSchema = z.string().nullable().default(null);

const studyPlanSchema = z.strictObject({
  points: z.number().int().nonnegative(),
  combinations: z.number().int().nonnegative(),
  /** Number of points that planning examined. The following estimates are based on them. */
  looked: z.number().int().nonnegative(),
  state_bytes: z.number().nullable(),
  /**
   * Lower bound on the total time, s, if the fastest current machine solved one point after another. Null if unknown.
   */
  least_s: z.number().nullable(),
  /** Examined points that cannot be run, with their settings and the reason. */
  refused: z.array(z.strictObject({ settings: z.string(), message: z.string() })).readonly(),
});
export type StudyPlan = Readonly<z.infer<typeof studyPlanSchema>>;

/** Expected duration and memory of a study on one machine, estimated by solving some of its points. */
const studyForecastSchema = z.strictObject({
  machine: z.string(),
  cpu: z.string(),
  cores: z.number().int().positive(),
  gpus: z.number().int().nonnegative(),
  /** Number of points solved for the estimate. */
  probed: z.number().int().nonnegative(),
  /** Expected duration, s; null if unknown, because no point could be solved. */
  expected_s: z.number().nullable(),
  /** True if a point was not solved completely, so that `expected_s` is a lower bound. */
  isLeast: z.boolean(),
  /** Number of points to solve concurrently, and their total memory; null if the memory of a point is unknown. */
  at_once: z.number().int().positive(),
  memory_bytes: z.number().nullable(),
});
export type StudyForecast = Readonly<z.infer<typeof studyForecastSchema>>;

/** Studies with a longer estimate, in seconds, start only after the user confirms. */
export const MAX_UNCONFIRMED_S = 24 * 3600;
/**
 * The theoretical lower bound is far below the real time. If the bound is at least this long, in seconds, some points
 * are solved for a better estimate.
 */
export const MIN_PROBED_S = 60;

const studyCellSchema = z.union([z.number(), z.string(), z.null()]);
export type StudyCell = z.infer<typeof studyCellSchema>;

const studyColumnSchema = z.strictObject({
  /** Key of the column, unique in the table: its group and name. */
  key: z.string(),
  name: z.string(),
  unit: z.string(),
  /** Origin of the values. `group`: columns of grouped rows. `where`: machine and program that solved a point. */
  of: z.enum(['group', 'point', 'axis', 'measure', 'error', 'where']),
  /** Whether the column has the same value in all rows. */
  equal: z.boolean(),
  /** Whether all existing values are numbers. */
  numeric: z.boolean(),
});
export type StudyColumnInfo = Readonly<z.infer<typeof studyColumnSchema>>;

/**
 * Condition that rows must satisfy, over column names, as in studies: `r80_mm > 40`. If empty, all rows are selected.
 */
const filterSchema = z.string().max(MAX_EXPRESSION_LENGTH).default('');
const MAX_ROWS = 500;

const studyRowsSchema = z.strictObject({
  columns: z.array(studyColumnSchema).readonly(),
  rows: z.array(z.array(studyCellSchema).readonly()).readonly(),
  /**
   * Range of the values behind the median in each cell of grouped rows; null for a single value. Empty without groups.
   */
  spans: z.array(z.array(z.tuple([z.number(), z.number()]).readonly().nullable()).readonly()).readonly(),
  /** Total number of rows, or of groups if rows are grouped, after filtering. `from` must be smaller. */
  shown: z.number().int().nonnegative(),
  /** Number of rows that satisfy the filter, and number of all rows. */
  matching: z.number().int().nonnegative(),
  all: z.number().int().nonnegative(),
  /** Remarks to include in every copy of the table. */
  notes: z.array(z.string()).readonly(),
});
export type StudyRows = Readonly<z.infer<typeof studyRowsSchema>>;

/**
 * Values of one column in all selected rows. A missing number is NaN; text is an index into the list of distinct texts.
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

/** Advice that the results of a study support, with the supporting values. */
const adviceSchema = z.strictObject({ text: z.string(), evidence: z.array(z.string()).readonly() });
export type StudyAdvice = Readonly<z.infer<typeof adviceSchema>>;

export const studyMethods = {
  'study.list': { params: emptyRequestSchema, result: z.strictObject({ studies: z.array(studyEntrySchema) }) },
  /** Plans a study without starting it. Throws `invalid` with all errors in the study. */
  'study.plan': { params: authoredStudySchema, result: studyPlanSchema },
  /**
   * Solves some points to estimate the duration, which needs seconds. Null if no estimate is possible, because the
   * study has a search or no point can be run. Also null if a newer request or a study interrupted it.
   */
  'study.forecast': {
    params: authoredStudySchema,
    result: z.strictObject({ forecast: studyForecastSchema.nullable() }),
  },
  /** Saves the study to the library and starts it. If a study with the same points exists, that one is continued. */
  'study.start': { params: authoredStudySchema.extend({ on: targetSchema }), result: studyRequestSchema },
  /** Solves the points that have no result; with `retry`, also those that failed. */
  'study.resume': {
    params: z.strictObject({ study: studyIdSchema, retry: z.boolean(), on: targetSchema }),
    result: emptyRequestSchema,
  },
  'study.clusters': { params: emptyRequestSchema, result: z.strictObject({ clusters: clustersSchema }) },
  /** Saves the list of clusters in place of the previous one. */
  'study.keepClusters': { params: z.strictObject({ clusters: clustersSchema }), result: emptyRequestSchema },
  /**
   * Checks the connection to a cluster and returns one sentence about its state. Throws `unsupported` if it cannot be
   * used.
   */
  'study.tryCluster': {
    params: z.strictObject({ cluster: clusterSchema }),
    result: z.strictObject({ says: z.string() }),
  },
  /** Stops a study. Results of completed points remain. */
  'study.stop': { params: studyRequestSchema, result: emptyRequestSchema },
  /** Returns up to 500 rows in the requested order, starting at index `from`. */
  'study.rows': {
    params: z.strictObject({
      study: studyIdSchema,
      filter: filterSchema,
      /** Column to sort by, and direction; null for the order of the plan. */
      sort: studySortSchema.nullable(),
      /**
       * Columns to group by. Each combination of their values becomes one row, with the number of points and the
       * medians of numbers.
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
      ...{ study: studyIdSchema, filter: filterSchema, keys: z.array(z.string()).min(1).max(MAX_PLOTTED_COLUMNS) },
      /** `rows` of an earlier response whose points the caller has stored; null if it has none. */
      known: z.string().nullable().default(null),
    }),
    result: z.strictObject({
      /** Identifies the set of rows: responses with the same value have the same rows. */
      rows: z.string(),
      /** Ids of the points, packed as by `packedIds`. Null if the rows are those of `known`. */
      points: uint32.nullable(),
      columns: z.array(valuesSchema),
    }),
  },
  /** Returns the scenario that is solved at a point. */
  'study.point': {
    params: z.strictObject({ study: studyIdSchema, point: z.string().regex(/^[0-9a-f]{16}$/) }),
    result: z.strictObject({ scenario: scenarioDraftSchema, name: z.string() }),
  },
  /** Returns the saved result of a point, with its curves. */
  'study.result': {
    params: z.strictObject({ study: studyIdSchema, point: z.string().regex(/^[0-9a-f]{16}$/) }),
    result: z.strictObject({ settings: z.string(), result: pointResultSchema.nullable() }),
  },
  /** Derives advice from the results. `error_mm` is the acceptable error of a length, for convergence studies. */
  'study.advice': {
    params: z.strictObject({ study: studyIdSchema, error_mm: z.number().positive() }),
    result: z.strictObject({ lines: z.array(adviceSchema).readonly() }),
  },
  /** Studies that suit a scenario: variants with tunables, and variants compared by claims about the scenario. */
  'study.offers': {
    params: z.strictObject({ document: scenarioDraftSchema }),
    result: z.strictObject({
      tunable: z.array(z.string()),
      claims: z.array(z.strictObject({ claim: z.string(), variants: z.array(z.string()) })),
    }),
  },
  'study.views': { params: studyRequestSchema, result: z.strictObject({ views: studyViewsSchema }) },
  /** Saves the list of named views in place of the previous one. */
  'study.keepViews': {
    params: z.strictObject({ study: studyIdSchema, views: studyViewsSchema }),
    result: emptyRequestSchema,
  },
  'study.export': {
    params: z.strictObject({ study: studyIdSchema, format: z.enum(['csv', 'parquet', 'h5', 'json']) }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },
} as const;
