/** Views of a study's results: the last one, and named ones, saved next to the study. */
import { z } from 'zod';
import { LONGEST_EXPRESSION } from './expression.ts';

const key = z.string().max(300);

/** Columns to group rows by. */
export const groupsSchema = z.array(key).max(3);

export const studySortSchema = z.strictObject({ key, descending: z.boolean() });

/** Columns that are read for one plot. */
export const MOST_PLOTTED = 12;

const studyPlotLooks = ['points', 'lines', 'pareto', 'heat', 'parallel'] as const;

const studyLookSchema = z.strictObject({
  tab: z.enum(['table', 'plot']),
  filter: z.string().max(LONGEST_EXPRESSION),
  sort: studySortSchema.nullable(),
  groups: groupsSchema,
  hideEqual: z.boolean(),
  /** Points side by side, a row a value. */
  transposed: z.boolean(),
  plot: z.strictObject({
    look: z.enum(studyPlotLooks),
    /** Keys of columns; empty: what is plotted first. */
    x: key,
    y: key,
    /** Null if the first remaining axis is used. */
    by: key.nullable(),
    /** Column that determines the colours of a heat map. */
    value: key,
    logX: z.boolean(),
    logY: z.boolean(),
    /** Axes of parallel coordinates; empty: what varies. */
    along: z.array(key).max(MOST_PLOTTED),
    /** Those of them that are logarithmic. */
    logs: z.array(key).max(MOST_PLOTTED),
  }),
});
export type StudyLook = Readonly<z.infer<typeof studyLookSchema>>;

export const plainLook: StudyLook = {
  ...{ tab: 'table', filter: '', sort: null, groups: [], hideEqual: true, transposed: false },
  plot: { look: 'lines', x: '', y: '', by: null, value: '', logX: false, logY: false, along: [], logs: [] },
};

const studyViewSchema = z.strictObject({ name: z.string().trim().min(1).max(60), look: studyLookSchema });
export type StudyView = Readonly<z.infer<typeof studyViewSchema>>;

export const studyViewsSchema = z.array(studyViewSchema).max(100).readonly();
