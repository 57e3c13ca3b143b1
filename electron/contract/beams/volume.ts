/** Three-dimensional dose of a beam or a field in layered matter. */
import { z } from 'zod';
import { fieldMapSchema, viewportSchema } from '../fields.ts';
import { fileRefSchema } from '../files.ts';
import { scenarioDraftSchema } from '../scenario/workload.ts';
import { bytes, float64 } from '../wire/arrays.ts';

/** Export formats, named by their file name extensions. */
export const volumeFileExtensions = ['mha', 'nrrd', 'dcm'] as const;

/** Larger volumes would need gigabytes and overload viewers. */
export const MAX_VOLUME_CELLS = 64_000_000;

export const volumeRequestSchema = z.strictObject({
  /** Side length of the square scored across the beam; by default, wide enough for the widest spot. */
  across_mm: z.number().positive().max(2000).optional(),
  /** Cell width across the beam. */
  cell_mm: z.number().positive().max(100).default(2),
  /** Protons per monitor unit (MU). If given, the dose is per MU. */
  protons_per_mu: z.number().positive().optional(),
  /** If true, the dose is in Gy for all protons of the field; otherwise it is per 10⁹ protons or per MU. */
  whole_field: z.boolean().default(false),
  /** Format of a file with the full dose, which is then part of the result. */
  file: z.enum(volumeFileExtensions).optional(),
});
export type VolumeRequest = z.input<typeof volumeRequestSchema>;

const volumeAxisSchema = z.enum(['x', 'y', 'z']);
export type VolumeAxis = z.infer<typeof volumeAxisSchema>;

/** Plane through the cell with the largest dose. */
const sliceSchema = z.strictObject({
  across: volumeAxisSchema,
  /** Position of the plane along the axis perpendicular to it. */
  at_mm: z.number(),
  columns: z.enum(['x', 'y']),
  rows: z.enum(['y', 'z']),
  /** [rows][columns], in the dose's unit. */
  values: float64,
});

const volumeSchema = z.strictObject({
  unit: z.string(),
  /** Numbers of cells along x, y and depth, and cell widths. The x and y axes are centred on 0. */
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
  /** Total absolute deviation of the Gaussian fits from the dose of reaction products, relative to that dose. */
  products_misfit: z.number(),
  spots: z.number(),
  protons: z.number(),
  seconds: z.number(),
  file: bytes.nullable(),
});
export type VolumeSummary = z.infer<typeof volumeSchema>;
export type VolumeSlice = z.infer<typeof sliceSchema>;

/** Identifies a volume. The host keeps the volume in memory while its stream is open. */
const volumeIdSchema = z.string().max(64);

const solvedVolumeSchema = volumeSchema.omit({ slices: true, file: true }).extend({ id: volumeIdSchema });
export type SolvedVolume = Readonly<z.infer<typeof solvedVolumeSchema>>;

const volumeFrameSchema = z.discriminatedUnion('state', [
  /** The computation waits until another one has finished. */
  z.strictObject({ state: z.literal('waiting') }),
  z.strictObject({
    state: z.literal('solving'),
    /** Number of distinct spots solved so far, and their total number; 0 until the total is known. */
    solved: z.number(),
    kinds: z.number(),
    /** Number of depth planes with a complete dose, and the total number of planes. */
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
  /**
   * Returns the plane of a stored volume that contains the given position. If depth is one of its axes, depth is
   * horizontal.
   */
  'volume.slice': {
    params: z.strictObject({
      volume: volumeIdSchema,
      /** Axis perpendicular to the plane. */
      across: volumeAxisSchema,
      at_mm: z.number(),
      viewport: viewportSchema,
    }),
    /** `at_mm` is the centre of the selected cell. */
    result: z.strictObject({ map: fieldMapSchema, at_mm: z.number() }),
  },
  'volume.file': {
    params: z.strictObject({ volume: volumeIdSchema, ending: z.enum(volumeFileExtensions) }),
    result: z.strictObject({ mime: z.string(), bytes }),
  },
} as const;

export const volumeStreams = {
  /**
   * Computes a volume, which stays available until the stream is closed. Closing the stream early cancels the
   * computation.
   */
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
