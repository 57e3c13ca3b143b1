/**
 * Data of a figure on the page, to be saved as a file. The host writes the file, because the page has no library for
 * the format.
 */
import { z } from 'zod';
import { bytes, float32, float64, uint32 } from './wire/arrays.ts';

/** Name of the dataset in the file. */
const arrayNameSchema = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'letters, digits and underscores');

const figureArraySchema = z
  .strictObject({
    name: arrayNameSchema,
    unit: z.string().max(64),
    description: z.string().max(512),
    /** Dimensions of the array, which is stored in row-major order. */
    shape: z.array(z.number().int().nonnegative()).min(1).max(4),
    values: z.union([float64, float32, uint32]),
    /**
     * Names of the arrays with the positions along each dimension; null for an array that contains positions itself.
     */
    axes: z.array(arrayNameSchema).max(4).nullable(),
  })
  .refine(
    ({ shape, values }) => shape.reduce((a, b) => a * b, 1) === values.length,
    'the shape does not match the number of values',
  );

export const packedFigureSchema = z.strictObject({
  title: z.string().max(512),
  notes: z.record(z.string().max(64), z.union([z.string().max(4096), z.number()])),
  arrays: z.array(figureArraySchema).max(512),
});
export type PackedFigure = Readonly<z.infer<typeof packedFigureSchema>>;

export const figureMethods = {
  /** Writes the arrays to an HDF5 file: a dataset for each, with unit and axes as attributes. */
  'figure.pack': { params: packedFigureSchema, result: z.strictObject({ bytes }) },
} as const;
