/** Dose in three dimensions of a beam or a field in layered matter. */
import { z } from 'zod';
import { bytes, float64 } from '../wire/arrays.ts';

/** File formats for export, by file name extension. */
export const volumeEndings = ['mha', 'nrrd', 'dcm'] as const;

/** A limit, because more cells need gigabytes and overload viewers. */
export const MAX_VOLUME_CELLS = 64_000_000;

export const volumeRequestSchema = z.strictObject({
  /** Side of the square across the beam; if absent, wide enough for the dose of the widest spot. */
  across_mm: z.number().positive().max(2000).optional(),
  /** Side of a cell across the beam. */
  cell_mm: z.number().positive().max(100).default(2),
  /** Protons per monitor unit; if absent, the dose is for 10⁹ protons. */
  protons_per_mu: z.number().positive().optional(),
  /** If given, the result includes a file of the full dose in this format. */
  file: z.enum(volumeEndings).optional(),
});
export type VolumeRequest = z.input<typeof volumeRequestSchema>;

/** Plane through the cell with the largest dose. */
const sliceSchema = z.strictObject({
  across: z.enum(['x', 'y', 'z']),
  /** Position of the plane along that axis. */
  at_mm: z.number(),
  columns: z.enum(['x', 'y']),
  rows: z.enum(['y', 'z']),
  /** [rows][columns], in the dose's unit. */
  values: float64,
});

const volumeSchema = z.strictObject({
  unit: z.string(),
  /** Numbers of cells and their sides along x, y and depth; x and y are centred on 0. */
  sizes: z.tuple([z.number(), z.number(), z.number()]),
  spacing_mm: z.tuple([z.number(), z.number(), z.number()]),
  most: z.number(),
  most_at_mm: z.tuple([z.number(), z.number(), z.number()]),
  slices: z.array(sliceSchema),
  /** Energies in MeV, summed over all protons. */
  energy: z.strictObject({
    in: z.number(),
    deposited: z.number(),
    outside: z.number(),
    neutral: z.number(),
    left: z.number(),
    products: z.number(),
    rel_error: z.number(),
  }),
  /** Sum of the deviations of the Gaussians fitted to the dose of reaction products, divided by that dose. */
  products_misfit: z.number(),
  spots: z.number(),
  protons: z.number(),
  seconds: z.number(),
  file: bytes.nullable(),
});
export type VolumeAnswer = z.infer<typeof volumeSchema>;
export type VolumeSlice = z.infer<typeof sliceSchema>;

export const volumeMethods = {
  'beam.volume': {
    params: z.strictObject({ document: z.record(z.string(), z.unknown()), request: volumeRequestSchema }),
    result: volumeSchema,
  },
} as const;
