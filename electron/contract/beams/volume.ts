/** Dose in three dimensions of a beam or a field in layered matter. */
import { z } from 'zod';
import { bytes, float64 } from '../wire/arrays.ts';

/** The files it is written as, by their endings. */
export const volumeEndings = ['mha', 'nrrd', 'dcm'] as const;

/** More cells need gigabytes, and a viewer has trouble with them. */
export const MOST_VOLUME_CELLS = 64_000_000;

export const volumeRequestSchema = z.strictObject({
  /** Side of the square across the beam; missing: as far as the widest spot's dose goes. */
  across_mm: z.number().positive().max(2000).optional(),
  /** Side of a cell across the beam. */
  cell_mm: z.number().positive().max(100).default(2),
  /** Protons of a monitor unit; missing: the dose is that of 10⁹ protons. */
  protons_per_mu: z.number().positive().optional(),
  /** A file of the whole dose comes with the answer. */
  file: z.enum(volumeEndings).optional(),
});
export type VolumeRequest = z.input<typeof volumeRequestSchema>;

/** A plane through the cell of the largest dose. */
const sliceSchema = z.strictObject({
  across: z.enum(['x', 'y', 'z']),
  /** Place of the plane along that axis. */
  at_mm: z.number(),
  columns: z.enum(['x', 'y']),
  rows: z.enum(['y', 'z']),
  /** [rows][columns], in the dose's unit. */
  values: float64,
});

const volumeSchema = z.strictObject({
  unit: z.string(),
  /** Cells and their sides along x, y and depth; the first two are centred about 0. */
  sizes: z.tuple([z.number(), z.number(), z.number()]),
  spacing_mm: z.tuple([z.number(), z.number(), z.number()]),
  most: z.number(),
  most_at_mm: z.tuple([z.number(), z.number(), z.number()]),
  slices: z.array(sliceSchema),
  /** MeV, of all protons. */
  energy: z.strictObject({
    in: z.number(),
    deposited: z.number(),
    outside: z.number(),
    neutral: z.number(),
    left: z.number(),
    products: z.number(),
    rel_error: z.number(),
  }),
  /** Misfit of the Gaussians of the products to their projected dose, as a share of it. */
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
