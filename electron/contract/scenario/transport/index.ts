/** The scenario of the transport workload: a proton beam in a box of materials. */
import { z } from 'zod';
import { editorShape, namingShape } from '../header.ts';
import { beamSchema } from './beam.ts';
import { geometrySchema } from './geometry.ts';
import { gridSchema, initialSchema } from './grid.ts';
import { physicsSchema } from './physics.ts';
import { outputSchema, solverSchema } from './solver.ts';
import type { Spot } from './spots.ts';

export const transportSchema = z
  .strictObject({
    ...editorShape,
    kind: z.literal('transport').meta({ title: 'Kind', description: 'The workload: transport of a proton beam.' }),
    version: z.literal(2).meta({ title: 'Version', description: 'Of this file format.' }),
    ...namingShape,
    beam: beamSchema.meta({ title: 'Beam' }),
    geometry: geometrySchema.prefault({}).meta({ title: 'Geometry' }),
    grid: gridSchema.prefault({}).meta({ title: 'Grid' }),
    initial: initialSchema
      .prefault({ kind: 'beam' })
      .meta({ title: 'Initial state', description: 'What the phase space holds before the first step.' }),
    physics: physicsSchema.prefault({}).meta({ title: 'Physics' }),
    solver: solverSchema.prefault({}).meta({ title: 'Solver' }),
    output: outputSchema.prefault({}).meta({ title: 'Output' }),
  })
  .meta({ title: 'Proton transport' });

/** What a file may hold: only `kind`, `version` and the beam's energy, range or spots are required. */
export type TransportDocument = z.input<typeof transportSchema>;

/** With the defaults that are plain constants; those that follow from the beam's range are still open. */
export type TransportWithConstants = z.output<typeof transportSchema>;

type Filled<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]-?: NonNullable<T[P]> };

type RangeGrid = Filled<Extract<TransportWithConstants['grid']['energy'], { kind: 'range' }>, 'step_mm'>;
type UniformGrid = Extract<TransportWithConstants['grid']['energy'], { kind: 'uniform' }>;

/** The beam with its energy known, whichever way it was given. */
export interface CompleteBeam extends Omit<TransportWithConstants['beam'], 'energy_MeV' | 'spots'> {
  /** The highest of the spots', where there are some. */
  readonly energy_MeV: number;
  readonly spots?: Spot[];
  /** Name of the file that the spots are from. */
  readonly spots_file?: string;
}

export type TransportWithBeam = Omit<TransportWithConstants, 'beam'> & { readonly beam: CompleteBeam };

/** The beams that enter: the spots, or the one. */
export const spotsOf = (beam: CompleteBeam): readonly Spot[] => beam.spots ?? [{ ...beam, weight: 1 }];

/** Every number present. */
export interface TransportScenario extends Omit<TransportWithBeam, 'geometry' | 'grid' | 'solver'> {
  readonly geometry: Filled<TransportWithConstants['geometry'], 'width_mm' | 'depth_mm'>;
  readonly grid: Omit<
    Filled<TransportWithConstants['grid'], 'dx_mm' | 'dz_mm' | 'dtheta_mrad' | 'theta_max_mrad' | 'cutoff_MeV'>,
    'energy'
  > & {
    readonly energy: RangeGrid | UniformGrid;
  };
  readonly solver: Filled<TransportWithConstants['solver'], 'step_mm'>;
}
