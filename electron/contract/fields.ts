/**
 * Maps and curves for display. The host reduces them to the requested window and pixels, so it never sends more cells
 * than pixels. Also CT slices with the solver's box and the beam's path.
 */
import { z } from 'zod';
import { fileRefSchema } from './files.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';
import { float32, float64 } from './wire/arrays.ts';

/**
 * The four axes of phase space with their units: `e` (energy) in MeV, `theta` (angle) in mrad, `z` and `x` (position)
 * in mm.
 */
export const axisNameSchema = z.enum(['e', 'theta', 'z', 'x']);
export type AxisName = z.infer<typeof axisNameSchema>;

/** Interval of an axis, in the unit of the axis. */
const intervalSchema = z
  .tuple([z.number(), z.number()])
  .refine(([from, to]) => from < to, 'the interval must not be empty');
export type Interval = readonly [from: number, to: number];

/** Visible part of a map along each axis, and its size on the screen. Null shows the full axis. */
export const viewportSchema = z.strictObject({
  horizontal: intervalSchema.nullable(),
  vertical: intervalSchema.nullable(),
  /** Width and height in device pixels. The host may send fewer samples, never more. */
  pixels: z.tuple([z.number().int().min(1).max(8192), z.number().int().min(1).max(8192)]),
});
export type Viewport = Readonly<z.infer<typeof viewportSchema>>;

const mapAxisSchema = z.strictObject({
  /** Name of a phase-space axis, or of another map's axis, such as `fast`. */
  name: z.string().max(16),
  unit: z.string(),
  /** Ends of the interval that was sent. It contains the requested window and ends on cell edges. */
  from: z.number(),
  to: z.number(),
  /** Number of samples along this axis. */
  count: z.number().int().positive(),
  /** Number of grid cells in one sample. */
  cellsPerSample: z.number().int().positive(),
  /** Number of grid cells in the last sample, which may be smaller at the end of the axis. */
  lastCells: z.number().int().positive(),
  /** Ends of the full axis. */
  fullFrom: z.number(),
  fullTo: z.number(),
  /**
   * Edges of the samples (count + 1 values) if their widths differ, as for energy on the range grid; otherwise null.
   */
  edges: float64.nullable(),
});
export type MapAxis = Readonly<z.infer<typeof mapAxisSchema>>;

/**
 * Combines the cells of a sample: their mean, or the value with the largest magnitude. The latter keeps small spots
 * visible.
 */
export const fieldStatisticSchema = z.enum(['mean', 'max']);
export type FieldStatistic = z.infer<typeof fieldStatisticSchema>;

/** Two-dimensional map. Values are stored row by row, with the horizontal axis contiguous. */
export const fieldMapSchema = z.strictObject({
  quantity: z.string(),
  unit: z.string(),
  horizontal: mapAxisSchema,
  vertical: mapAxisSchema,
  /** Values per grid cell, horizontal.count × vertical.count of them. Their scale does not depend on the zoom. */
  values: float32,
  /** Statistic that combined the grid cells of each sample. */
  statistic: fieldStatisticSchema,
  /** Smallest and largest value of all grid cells, before they were combined. */
  min: z.number(),
  max: z.number(),
  /** Smallest positive value of all grid cells, for logarithmic scales; 0 if there is none. */
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

/** Point of the slice, in mm along its two axes, in the patient's coordinates. */
const pointSchema = z.tuple([z.number(), z.number()]);

const ctPictureSchema = z.strictObject({
  plane: z.enum(['transverse', 'coronal', 'sagittal']),
  /** Hounsfield units; both axes ascend in the patient's coordinates. */
  slice: fieldMapSchema,
  /** Position of this slice along the third axis, mm, and positions of the first and last available slice. */
  at_mm: z.number(),
  from_mm: z.number(),
  to_mm: z.number(),
  slices: z.number().int().positive(),
  /** Corners of the solver's box, in order around it. */
  box: z.array(pointSchema).length(4),
  /** Beam paths, starting at the entrance. A single beam ends at its range; other paths extend through the box. */
  beams: z.array(z.strictObject({ from: pointSchema, to: pointSchema })),
  /** Whether the paths end at the beam's range. */
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
  /** Positions of the first and last slice along the patient's third axis, mm. */
  from_mm: z.number(),
  to_mm: z.number(),
  /** Remarks on the series that affect the interpretation of its Hounsfield units. */
  notes: z.array(z.string()),
  /** Reason why the series cannot be read; null if it can. */
  reason: z.string().nullable(),
});
export type CtSeriesInfo = Readonly<z.infer<typeof ctSeriesSchema>>;

export const ctPictureMethods = {
  /** Lists the CT series in a folder that a scenario names. */
  'ct.series': {
    params: z.strictObject({
      /** Folder name as written in the scenario. */
      name: z.string().max(1024),
      file: fileRefSchema.nullable().default(null),
    }),
    result: z.strictObject({ series: z.array(ctSeriesSchema) }),
  },
  /**
   * Returns the CT slice of a scenario; null without a usable CT. The reason is then among the issues of
   * `scenario.resolve`.
   */
  'ct.picture': {
    params: z.strictObject({
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable().default(null),
      /** Largest number of samples along each axis. */
      pixels: z.number().int().min(16).max(2048),
    }),
    result: z.strictObject({ picture: ctPictureSchema.nullable() }),
  },
} as const;
