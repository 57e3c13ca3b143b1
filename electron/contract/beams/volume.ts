/** Dose in three dimensions of a beam or a field in layered matter. */
import { z } from 'zod';
import { fieldMapSchema, viewportSchema } from '../fields.ts';
import { fileRefSchema } from '../files.ts';
import { scenarioDraftSchema } from '../scenario/workload.ts';
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
  /** Protons per monitor unit: the dose is then per MU. */
  protons_per_mu: z.number().positive().optional(),
  /** Dose of all protons of the field, in Gy; otherwise per 10⁹ protons or per MU. */
  whole_field: z.boolean().default(false),
  /** If given, the result includes a file of the full dose in this format. */
  file: z.enum(volumeEndings).optional(),
});
export type VolumeRequest = z.input<typeof volumeRequestSchema>;

const volumeAxisSchema = z.enum(['x', 'y', 'z']);
export type VolumeAxis = z.infer<typeof volumeAxisSchema>;

/** Plane through the cell with the largest dose. */
const sliceSchema = z.strictObject({
  across: volumeAxisSchema,
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

/** Identifies a volume that the host retains while its stream is open. */
const volumeIdSchema = z.string().max(64);

const solvedVolumeSchema = volumeSchema.omit({ slices: true, file: true }).extend({ id: volumeIdSchema });
export type SolvedVolume = Readonly<z.infer<typeof solvedVolumeSchema>>;

const volumeFrameSchema = z.discriminatedUnion('state', [
  /** Another computation uses the processor. */
  z.strictObject({ state: z.literal('waiting') }),
  z.strictObject({
    state: z.literal('solving'),
    /** Solved kinds of spots, and their number; 0 until the kinds are known. */
    solved: z.number(),
    kinds: z.number(),
    /** Planes of depth with a dose, and their number. */
    summed: z.number(),
    planes: z.number(),
  }),
  z.strictObject({ state: z.literal('solved'), volume: solvedVolumeSchema }),
]);
export type VolumeFrame = z.infer<typeof volumeFrameSchema>;

export const volumeMethods = {
  'beam.volume': {
    params: z.strictObject({ document: z.record(z.string(), z.unknown()), request: volumeRequestSchema }),
    result: volumeSchema,
  },
  /** Plane of a retained volume through the cell at a position; depth is the horizontal axis if it has depth. */
  'volume.slice': {
    params: z.strictObject({
      volume: volumeIdSchema,
      /** Axis perpendicular to the plane. */
      across: volumeAxisSchema,
      at_mm: z.number(),
      viewport: viewportSchema,
    }),
    /** `at_mm`: centre of the cell. */
    result: z.strictObject({ map: fieldMapSchema, at_mm: z.number() }),
  },
  'volume.file': {
    params: z.strictObject({ volume: volumeIdSchema, ending: z.enum(volumeEndings) }),
    result: z.strictObject({ mime: z.string(), bytes }),
  },
} as const;

export const volumeStreams = {
  /** Computes a volume and retains it until the stream is closed. Closing the stream earlier cancels the computation. */
  volume: {
    params: z.strictObject({
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable().default(null),
      request: volumeRequestSchema.omit({ file: true }),
    }),
    frame: volumeFrameSchema,
    policy: 'latest',
  },
} as const;
