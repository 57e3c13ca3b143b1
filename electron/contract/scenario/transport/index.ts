/** Scenario of the transport workload: a proton beam in a box of materials. */
import { z } from 'zod';
import { companionFile, count, editorShape, namingShape, quantity, variantName } from '../common-fields.ts';
import { beamShape, ENERGY_RANGE_TEXT, type Spot, spotsSchema } from './beam.ts';
import { cellLimits_mm, geometrySchema } from './geometry.ts';

/** Schema of the name of a stopping-power table that replaces water's. */
const tableFile = companionFile({
  title: 'Table',
  description: "A CSV file with the columns T_MeV,S (MeV cm²/g), used instead of water's table.",
  example: 'tables/mine.csv',
});

const stoppingPowerNames = ['icru49', 'icru90'] as const;

const physicsSchema = z.strictObject({
  stopping_power: z
    .union([z.enum(stoppingPowerNames), z.strictObject({ file: tableFile })])
    .meta({
      title: 'Stopping power of water',
      description: 'icru49: NIST PSTAR, I = 75 eV. icru90: I = 78 eV, range 0.5 % longer. Or your own table.',
    })
    .default('icru49'),
  scattering: z
    .enum(['gottschalk', 'fermi-rossi', 'highland', 'off'])
    .meta({
      title: 'Scattering',
      description:
        'Model of the scattering power: gottschalk is differential Molière; highland depends on the thickness traversed.',
    })
    .default('gottschalk'),
  straggling: z
    .enum(['bohr', 'off'])
    .meta({ title: 'Straggling', description: 'Spread of the energy loss.' })
    .default('bohr'),
  nuclear: z
    .enum(['off', 'attenuation', 'icru63'])
    .meta({
      title: 'Nuclear reactions',
      description:
        'icru63 follows reaction products, by tabulated spectra. attenuation removes 1.2 % of the protons per g/cm² and deposits 60 % of their energy locally, a share that builds up over the first 2 cm.',
    })
    .default('icru63'),
});

const solverSchema = z.strictObject({
  stepping: z
    .enum(['path', 'depth'])
    .meta({
      title: 'Stepping',
      description: 'path: steps along the path, for any direction. depth: plane by plane in z, faster, up to 60°.',
    })
    .default('path'),
  remap: z
    .enum(['high-order', 'linear'])
    .meta({
      title: 'Streaming',
      description:
        'high-order keeps edges sharp. linear is the bilinear shift of the earlier solver, which smears them.',
    })
    .default('high-order'),
  step_mm: quantity({
    title: 'Step',
    description: 'Path length of one step. Default: the cell size in depth.',
    unit: 'mm',
    min: 1e-5,
    max: 100,
  }).optional(),
  max_steps: count({
    title: 'Most steps',
    description: 'Maximum number of steps; the run ends there even if protons are left.',
    min: 1,
    max: 10_000_000,
  }).default(20_000),
  stop_weight: quantity({
    title: 'Stop at',
    description: 'The run ends when this fraction of the protons is still in flight.',
    unit: '1',
    min: 0,
    max: 0.5,
  }).default(1e-6),
  precision: z
    .enum(['fp32', 'fp64'])
    .meta({
      title: 'Precision',
      description: 'Precision of the phase-space data. Sums and the ledger are always fp64.',
    })
    .default('fp32'),
  variant: variantName('auto chooses the fastest that fits'),
  threads: count({
    title: 'Threads',
    description: 'CPU threads. 0 uses every core.',
    min: 0,
    max: 1024,
  }).default(0),
});

const outputSchema = z.strictObject({
  keyframes: count({
    title: 'Keyframes',
    description: 'Number of steps whose phase-space slices are saved in the run file.',
    min: 0,
    max: 2000,
  }).default(64),
  let: z
    .boolean()
    .meta({
      title: 'LET',
      description:
        'Computes LET per cell, the spectra below and the RBE-weighted dose. On a GPU only with cuda-window and cuda-depth.',
    })
    .default(false),
  spectra_mm: z
    .array(z.number().min(0).max(5000).meta({ unit: 'mm' }))
    .max(50)
    .meta({
      title: 'Spectra at',
      description: 'Depths (mm) at which the energy spectrum of primary protons is saved, with LET.',
    })
    .default([]),
  gray: z
    .boolean()
    .meta({
      title: 'Gy for fields',
      description:
        'Solves each kind of spot separately after the run, on columns 20 mm wide, to compute the dose of a field in Gy.',
    })
    .default(false),
  alpha_beta_Gy: quantity({
    title: 'α/β',
    description: 'α/β for photons, for the RBE by McNamara, Wedenberg and Carabe.',
    unit: 'Gy',
    min: 0.1,
    max: 100,
  }).default(2),
  fraction_Gy: quantity({
    title: 'Fraction dose',
    description: 'Physical dose per fraction at the maximum of the depth dose, for the RBE.',
    unit: 'Gy',
    min: 0.01,
    max: 100,
  }).default(2),
});

/** Schema of a grid whose energy cells follow the proton range: cells in position, plane angle and energy. */
const rangeGrid = z
  .strictObject({
    kind: z.literal('range'),
    step_mm: quantity({
      title: 'Range step',
      description:
        'Spacing of the energy bins in residual range in water. Default: the solver step, so that slowing down in water is an exact shift.',
      unit: 'mm',
      min: 1e-5,
      max: 100,
    }).optional(),
  })
  .meta({ title: 'Uniform in residual range' });

const uniformGrid = z
  .strictObject({
    kind: z.literal('uniform'),
    step_MeV: quantity({
      title: 'Energy step',
      description: 'Width of the energy bins. Splitting between two bins adds straggling.',
      unit: 'MeV',
      min: 0.001,
      max: 50,
    }).default(0.2),
    min_MeV: quantity({
      title: 'Lowest energy',
      description: 'Lower edge of the lowest energy bin.',
      unit: 'MeV',
      min: 0.1,
      max: 500,
    }).default(1),
  })
  .meta({ title: 'Uniform in energy' });

const gridSchema = z.strictObject({
  dx_mm: quantity({
    title: 'Cell across',
    description: 'Lateral cell size. Default: about a quarter of the beam width at the end of its range.',
    unit: 'mm',
    ...cellLimits_mm,
  }).optional(),
  dz_mm: quantity({
    title: 'Cell in depth',
    description: 'Cell size in depth. Default: a third of the distal falloff or less.',
    unit: 'mm',
    ...cellLimits_mm,
  }).optional(),
  dtheta_mrad: quantity({
    title: 'Angle bin',
    description: 'Width of the angle bins. Default: 5 mrad, and more for metals.',
    unit: 'mrad',
    min: 0.01,
    max: 500,
  }).optional(),
  theta_max_mrad: quantity({
    title: 'Largest angle',
    description:
      'Centre of the outermost angle bin, from the beam angle. There are 2 · theta_max / dtheta + 1 bins. Default: 400 mrad, and more for metals.',
    unit: 'mrad',
    min: 0.01,
    max: 3140,
  }).optional(),
  energy: z
    .discriminatedUnion('kind', [rangeGrid, uniformGrid])
    .meta({ title: 'Energy grid', description: 'Spacing of the energy bins.' })
    .prefault({ kind: 'range' }),
  cutoff_MeV: quantity({
    title: 'Cutoff',
    description:
      'Below this energy a proton stops and deposits its remaining energy locally. Default: 0.5 MeV, less for low-energy beams, and up to 2 MeV in metals.',
    unit: 'MeV',
    min: 0.2,
    max: 500,
  }).optional(),
});

const initialSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('beam') }).meta({ title: 'The beam at entry' }),
  z
    .strictObject({
      kind: z.literal('filled'),
      seed: z
        .int()
        .min(0)
        .max(0xffff_ffff)
        .meta({ title: 'Seed', description: 'Seed of the random numbers.', unit: '1' })
        .default(1),
    })
    .meta({ title: 'Every cell filled with random numbers, for timing kernels' }),
]);

/** Proton beam with Gaussian spreads of energy and direction, or a list of spots that are such beams. */
const beamSchema = z
  .strictObject({
    energy_MeV: beamShape.energy_MeV.optional(),
    range_mm: beamShape.range_mm.optional(),
    range_is: beamShape.range_is.default('r80'),
    spots: spotsSchema.optional(),
    energy_sigma_MeV: beamShape.energy_sigma_MeV.default(0),
    angle_deg: beamShape.angle_deg.default(0),
    angle_sigma_mrad: beamShape.angle_sigma_mrad.default(0),
    x_mm: beamShape.x_mm.default(0),
    x_sigma_mm: beamShape.x_sigma_mm.default(0),
    x_sigma_is: beamShape.x_sigma_is.default('plane'),
    y_sigma_mm: beamShape.y_sigma_mm.optional(),
    focus_mm: beamShape.focus_mm.default(0),
    z_mm: beamShape.z_mm.default(0),
    weight: beamShape.weight.default(1),
  })
  .superRefine((beam, context) => {
    const given = (['energy_MeV', 'range_mm', 'spots'] as const).filter((key) => beam[key] !== undefined);
    if (given.length === 1) return;
    const [first = 'energy_MeV', ...others] = given;
    context.addIssue({
      code: 'custom',
      path: [others.at(-1) ?? first],
      message: `cannot be combined with ${first}`,
      params: {
        allowed:
          given.length === 0
            ? `${ENERGY_RANGE_TEXT}, or range_mm or spots instead`
            : 'exactly one of energy_MeV, range_mm and spots',
      },
    });
  });

export const transportSchema = z
  .strictObject({
    ...editorShape,
    kind: z.literal('transport').meta({ title: 'Kind', description: 'The workload: transport of a proton beam.' }),
    version: z.literal(2).meta({ title: 'Version', description: 'Version of this file format.' }),
    ...namingShape,
    beam: beamSchema.meta({ title: 'Beam' }),
    geometry: geometrySchema.prefault({}).meta({ title: 'Geometry' }),
    grid: gridSchema.prefault({}).meta({ title: 'Grid' }),
    initial: initialSchema
      .prefault({ kind: 'beam' })
      .meta({ title: 'Initial state', description: 'Content of the phase space before the first step.' }),
    physics: physicsSchema.prefault({}).meta({ title: 'Physics' }),
    solver: solverSchema.prefault({}).meta({ title: 'Solver' }),
    output: outputSchema.prefault({}).meta({ title: 'Output' }),
  })
  .meta({ title: 'Proton transport' });

/** Document as written in a file. Only `kind`, `version`, and the beam's energy, range or spots are required. */
export type TransportDocument = z.input<typeof transportSchema>;

/** Document with constant defaults filled in, but without defaults that depend on the beam's range. */
export type TransportWithStaticDefaults = z.output<typeof transportSchema>;

type WithRequired<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]-?: NonNullable<T[P]> };

type RangeGrid = WithRequired<Extract<TransportWithStaticDefaults['grid']['energy'], { kind: 'range' }>, 'step_mm'>;
type UniformGrid = Extract<TransportWithStaticDefaults['grid']['energy'], { kind: 'uniform' }>;

/** Beam whose energy is known, because a range in the document was converted to an energy. */
export interface CompleteBeam extends Omit<TransportWithStaticDefaults['beam'], 'energy_MeV' | 'spots'> {
  /** Energy of the beam, or the highest energy of its spots. */
  readonly energy_MeV: number;
  readonly spots?: Spot[];
  /** File that the spots were read from, as named in the document. */
  readonly spots_file?: string;
}

export type TransportWithBeam = Omit<TransportWithStaticDefaults, 'beam'> & { readonly beam: CompleteBeam };

/** Beams that enter the box: the spots, or the single beam as a spot of weight 1. */
export const spotsOf = (beam: CompleteBeam): readonly Spot[] => beam.spots ?? [{ ...beam, weight: 1 }];

type Region = WithRequired<TransportWithStaticDefaults['geometry']['regions'][number], 'x_mm'>;

/** Scenario with all values filled in. */
export interface TransportScenario extends Omit<TransportWithBeam, 'geometry' | 'grid' | 'solver'> {
  readonly geometry: Omit<WithRequired<TransportWithStaticDefaults['geometry'], 'width_mm' | 'depth_mm'>, 'regions'> & {
    readonly regions: Region[];
  };
  readonly grid: Omit<
    WithRequired<
      TransportWithStaticDefaults['grid'],
      'dx_mm' | 'dz_mm' | 'dtheta_mrad' | 'theta_max_mrad' | 'cutoff_MeV'
    >,
    'energy'
  > & {
    readonly energy: RangeGrid | UniformGrid;
  };
  readonly solver: WithRequired<TransportWithStaticDefaults['solver'], 'step_mm'>;
}
