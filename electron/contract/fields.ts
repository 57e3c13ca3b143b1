/** Fields for display, reduced by the host to the requested window and pixels: never more cells than pixels. */
import { z } from 'zod';
import { float32, float64 } from './wire/arrays.ts';

/** The four axes of phase space. `e` is in MeV, `theta` in mrad, `z` and `x` in mm. */
export const axisNameSchema = z.enum(['e', 'theta', 'z', 'x']);
export type AxisName = z.infer<typeof axisNameSchema>;

/** A part of an axis, in the axis' unit. */
const intervalSchema = z
  .tuple([z.number(), z.number()])
  .refine(([from, to]) => from < to, 'the interval must not be empty');
export type Interval = readonly [from: number, to: number];

/** A window to show and how large it is on the screen. `null` shows the whole axis. */
export const viewportSchema = z.strictObject({
  horizontal: intervalSchema.nullable(),
  vertical: intervalSchema.nullable(),
  /** Device pixels. The host may send fewer cells, never more. */
  pixels: z.tuple([z.number().int().min(1).max(8192), z.number().int().min(1).max(8192)]),
});
export type Viewport = Readonly<z.infer<typeof viewportSchema>>;

const mapAxisSchema = z.strictObject({
  /** One of phase space, or another field's own: `fast`. */
  name: z.string().max(16),
  unit: z.string(),
  /** Edges of the part sent; it covers the requested window and ends on cell edges. */
  from: z.number(),
  to: z.number(),
  /** Cells sent along this axis. */
  count: z.number().int().positive(),
  /** Cells of the grid in one cell sent. */
  cellsPerSample: z.number().int().positive(),
  /** The same of the last one, which the end of the axis may cut short. */
  lastCells: z.number().int().positive(),
  /** Edges of the whole axis. */
  fullFrom: z.number(),
  fullTo: z.number(),
  /**
   * Edges of the samples where they are not equally wide (energy on the range
   * grid): count + 1 values; null where they are.
   */
  edges: float64.nullable(),
});
export type MapAxis = Readonly<z.infer<typeof mapAxisSchema>>;

/**
 * Reduction of several cells to one sample: their mean, or the value farthest from zero, which keeps small spots
 * visible.
 */
export const fieldStatisticSchema = z.enum(['mean', 'max']);
export type FieldStatistic = z.infer<typeof fieldStatisticSchema>;

/** A two-dimensional map, row by row along `vertical`, horizontal contiguous. */
export const fieldMapSchema = z.strictObject({
  quantity: z.string(),
  unit: z.string(),
  horizontal: mapAxisSchema,
  vertical: mapAxisSchema,
  /** One cell's unit, whatever the zoom. Length horizontal.count × vertical.count. */
  values: float32,
  /** Reduction of the grid cells in each sample. */
  statistic: fieldStatisticSchema,
  /** Smallest and largest value of the whole field before reduction. */
  min: z.number(),
  max: z.number(),
  /** Smallest value above zero of the whole field, for logarithmic scales; 0 when there is none. */
  minPositive: z.number(),
});
export type FieldMap = Readonly<z.infer<typeof fieldMapSchema>>;

/** A curve: `values[i]` at `positions[i]`. */
export const curveSchema = z.strictObject({
  quantity: z.string(),
  unit: z.string(),
  axis: z.string(),
  axisUnit: z.string(),
  positions: float64,
  values: float64,
});
export type Curve = Readonly<z.infer<typeof curveSchema>>;
