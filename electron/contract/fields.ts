/**
 * Fields for display, reduced by the host to the requested window and pixels: never more cells than pixels. Also the
 * slice of a CT that defines a scenario's matter, with the solver's box and the beam's path.
 */
import { z } from 'zod';
import { fileRefSchema } from './files.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';
import { float32, float64 } from './wire/arrays.ts';

/** The four axes of phase space. `e` is in MeV, `theta` in mrad, `z` and `x` in mm. */
export const axisNameSchema = z.enum(['e', 'theta', 'z', 'x']);
export type AxisName = z.infer<typeof axisNameSchema>;

/** Part of an axis, in the unit of the axis. */
const intervalSchema = z
  .tuple([z.number(), z.number()])
  .refine(([from, to]) => from < to, 'the interval must not be empty');
export type Interval = readonly [from: number, to: number];

/** Window to show and its size on the screen. `null` shows the whole axis. */
export const viewportSchema = z.strictObject({
  horizontal: intervalSchema.nullable(),
  vertical: intervalSchema.nullable(),
  /** Device pixels. The host may send fewer samples, never more. */
  pixels: z.tuple([z.number().int().min(1).max(8192), z.number().int().min(1).max(8192)]),
});
export type Viewport = Readonly<z.infer<typeof viewportSchema>>;

const mapAxisSchema = z.strictObject({
  /** A phase-space axis, or an axis name of another field, such as `fast`. */
  name: z.string().max(16),
  unit: z.string(),
  /** Edges of the range sent; it covers the requested window and ends on cell edges. */
  from: z.number(),
  to: z.number(),
  /** Number of samples sent along this axis. */
  count: z.number().int().positive(),
  /** Number of grid cells in one sample. */
  cellsPerSample: z.number().int().positive(),
  /** Number of grid cells in the last sample, which the end of the axis may shorten. */
  lastCells: z.number().int().positive(),
  /** Edges of the whole axis. */
  fullFrom: z.number(),
  fullTo: z.number(),
  /** Edges of the samples if their widths differ (energy on the range grid): count + 1 values; otherwise null. */
  edges: float64.nullable(),
});
export type MapAxis = Readonly<z.infer<typeof mapAxisSchema>>;

/**
 * Reduction of several cells to one sample: their mean, or the value with the largest magnitude, which keeps small
 * spots visible.
 */
export const fieldStatisticSchema = z.enum(['mean', 'max']);
export type FieldStatistic = z.infer<typeof fieldStatisticSchema>;

/** A two-dimensional map, row by row along `vertical`, horizontal contiguous. */
export const fieldMapSchema = z.strictObject({
  quantity: z.string(),
  unit: z.string(),
  horizontal: mapAxisSchema,
  vertical: mapAxisSchema,
  /** Values per cell of the grid, independent of the zoom; horizontal.count × vertical.count of them. */
  values: float32,
  /** Reduction of the grid cells in each sample. */
  statistic: fieldStatisticSchema,
  /** Smallest and largest value of the whole field before reduction. */
  min: z.number(),
  max: z.number(),
  /** Smallest positive value of the whole field, for logarithmic scales; 0 if there is none. */
  minPositive: z.number(),
});
export type FieldMap = Readonly<z.infer<typeof fieldMapSchema>>;

/** Curve with `values[i]` at `positions[i]`. */
export const curveSchema = z.strictObject({
  quantity: z.string(),
  unit: z.string(),
  axis: z.string(),
  axisUnit: z.string(),
  positions: float64,
  values: float64,
});
export type Curve = Readonly<z.infer<typeof curveSchema>>;

/** Position along the two axes of the slice, mm in the patient's coordinates. */
const pointSchema = z.tuple([z.number(), z.number()]);

const ctPictureSchema = z.strictObject({
  plane: z.enum(['transverse', 'coronal', 'sagittal']),
  /** Hounsfield units; both axes ascend in the patient's coordinates. */
  slice: fieldMapSchema,
  /** Position of the slice along the third axis, and of the first and last available slice. */
  at_mm: z.number(),
  from_mm: z.number(),
  to_mm: z.number(),
  slices: z.number().int().positive(),
  /** Corners of the solver's box, in order around it. */
  box: z.array(pointSchema).length(4),
  /** Beam paths from the entrance: a single beam to its range; spots, and beams that leave the box, through the box. */
  beams: z.array(z.strictObject({ from: pointSchema, to: pointSchema })),
  /** Whether the paths end at the range. */
  toRange: z.boolean(),
});
export type CtPicture = Readonly<z.infer<typeof ctPictureSchema>>;

const ctSeriesSchema = z.strictObject({
  /** SeriesInstanceUID of the CT series. */
  uid: z.string(),
  description: z.string(),
  slices: z.number().int().positive(),
  columns: z.number().int(),
  rows: z.number().int(),
  /** Positions of the first and the last slice along the third axis of the patient. */
  from_mm: z.number(),
  to_mm: z.number(),
  /** Properties of the series that change the meaning of its Hounsfield units. */
  notes: z.array(z.string()),
  /** Reason why the series cannot be read; null if it can. */
  reason: z.string().nullable(),
});
export type CtSeriesInfo = Readonly<z.infer<typeof ctSeriesSchema>>;

export const ctPictureMethods = {
  /** CT series in a folder that a scenario names; empty if there is none. */
  'ct.series': {
    params: z.strictObject({
      /** Folder as written in the scenario. */
      name: z.string().max(1024),
      file: fileRefSchema.nullable().default(null),
    }),
    result: z.strictObject({ series: z.array(ctSeriesSchema) }),
  },
  /** Null if there is no CT or it cannot be used; `scenario.resolve` reports the reason. */
  'ct.picture': {
    params: z.strictObject({
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable().default(null),
      /** Largest number of samples along either axis. */
      pixels: z.number().int().min(16).max(2048),
    }),
    result: z.strictObject({ picture: ctPictureSchema.nullable() }),
  },
} as const;
