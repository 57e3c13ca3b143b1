/** The scenario of the diffraction workload: the X-ray image of a crystal. */
import { z } from 'zod';
import { editorShape, namingShape } from '../header.ts';
import { count } from '../quantity.ts';
import { variantName } from '../variant-name.ts';
import { beamSchema } from './beam.ts';
import { crystalSchema, structureFactorsSchema } from './crystal.ts';
import { backgroundSchema, detectorSchema, rotationSchema } from './detector.ts';

const solverSchema = z.strictObject({
  variant: variantName('auto picks the fastest in FP64'),
  threads: count({ title: 'Threads', description: 'CPU threads. 0 uses every core.', min: 0, max: 1024 }).default(0),
});

export const diffractionSchema = z
  .strictObject({
    ...editorShape,
    kind: z
      .literal('diffraction')
      .meta({ title: 'Kind', description: 'The workload: the X-ray diffraction image of a crystal.' }),
    version: z.literal(1).meta({ title: 'Version', description: 'Of this file format.' }),
    ...namingShape,
    beam: beamSchema.prefault({}).meta({ title: 'Beam' }),
    crystal: crystalSchema.meta({ title: 'Crystal' }),
    structure_factors: structureFactorsSchema.prefault({}).meta({ title: 'Structure factors' }),
    detector: detectorSchema.prefault({}).meta({ title: 'Detector' }),
    rotation: rotationSchema.prefault({}).meta({ title: 'Rotation' }),
    background: backgroundSchema.prefault({}).meta({ title: 'Background' }),
    solver: solverSchema.prefault({}).meta({ title: 'Solver' }),
  })
  .meta({ title: 'X-ray diffraction' });

/** What a file may hold: only `kind`, `version` and the lattice are required. */
export type DiffractionDocument = z.input<typeof diffractionSchema>;

/** With the defaults that are plain constants. */
export type DiffractionWithConstants = z.output<typeof diffractionSchema>;

type Detector = DiffractionWithConstants['detector'];

/** Every number present; sub-pixels that were left out stay so: the engine counts the crystal's fringes. */
export interface DiffractionScenario extends Omit<DiffractionWithConstants, 'detector'> {
  readonly detector: Omit<Detector, 'beam_x_mm' | 'beam_y_mm'> & {
    readonly beam_x_mm: number;
    readonly beam_y_mm: number;
  };
}
