/** X-ray diffraction in the contract. */
import { z } from 'zod';
import { type ContractWorkload, resolvedShape } from '../workload.ts';
import { diffractionSchema } from './index.ts';

const progressSchema = z.strictObject({
  workload: z.literal('diffraction'),
  /** Share of the image, 0 to 1. */
  done: z.number(),
  terms_per_s: z.number(),
});
export type ImageProgress = Readonly<z.infer<typeof progressSchema>>;

const resolvedSchema = z.strictObject({
  kind: z.literal('diffraction'),
  ...resolvedShape,
  width: z.number().int(),
  height: z.number().int(),
  /** Sub-pixels along each side of a pixel. */
  oversample: z.number().int(),
  sources: z.number().int(),
  orientations: z.number().int(),
  layers: z.number().int(),
  /** Lattice factors in the image. */
  terms: z.number(),
  /** In the list that the scenario names; 0 without one. */
  reflections: z.number().int(),
});
export type DiffractionResolved = Readonly<z.infer<typeof resolvedSchema>>;

export const diffraction = {
  kind: 'diffraction',
  title: 'X-ray diffraction',
  runs: 'results',
  schema: diffractionSchema,
  version: 1,
  migrations: {},
  standIns: [{ path: ['crystal', 'lattice'], value: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 } }],
  fresh: {
    beam: { wavelength_A: 6.2 },
    crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
    structure_factors: { default_electrons: 100 },
  },
  sweepExample: 'detector.width=128,256,512',
  progress: progressSchema,
  resolved: resolvedSchema,
  exports: [
    { id: 'smv', title: 'SMV image, 16 bits (.img)' },
    { id: 'tiff', title: 'TIFF, 32-bit photons' },
    { id: 'tiff16', title: 'TIFF, 16-bit counts' },
    { id: 'raw', title: 'Raw float32, slow · width + fast' },
    { id: 'peaks', title: 'Peaks (CSV)' },
    { id: 'summary', title: 'Summary (JSON)' },
    { id: 'run', title: 'Everything (HDF5)' },
  ],
  runEnding: '.h5',
} as const satisfies ContractWorkload;
