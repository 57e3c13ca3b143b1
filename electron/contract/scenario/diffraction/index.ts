/** Scenario of the diffraction workload: the X-ray image of a crystal. */
import { z } from 'zod';
import { companionFile, count, editorShape, namingShape, quantity, variantName } from '../common-fields.ts';
import { type ContractWorkload, resolvedShape } from '../workload.ts';
import { backgroundSchema, detectorSchema, rotationSchema } from './detector.ts';

/** Schema of one edge length of the crystal's unit cell, Å. */
const cellEdge = (name: string) =>
  quantity({ title: `Edge ${name}`, description: 'Edge of the unit cell.', unit: 'A', min: 1, max: 100_000 });
const angle = (name: string, between: string) =>
  quantity({
    title: name,
    description: `Angle of the unit cell between ${between}.`,
    unit: 'deg',
    min: 1,
    max: 179,
  }).default(90);
const rotationAngle = (axis: string) =>
  quantity({ title: `About ${axis}`, description: 'Right-handed.', unit: 'deg', min: -360, max: 360 }).default(0);
const component = (axis: string) =>
  quantity({ title: axis, description: `${axis} component, in 1/Å.`, unit: '1', min: -10, max: 10 });
const reciprocal = (name: string) =>
  z.strictObject({ x: component('x'), y: component('y'), z: component('z') }).meta({ title: name });
const cells = (name: string) =>
  count({ title: `Along ${name}`, description: 'Number of unit cells along this edge.', min: 1, max: 100_000 }).default(
    1,
  );

const cellLattice = z
  .strictObject({
    kind: z.literal('cell'),
    a_A: cellEdge('a'),
    b_A: cellEdge('b'),
    c_A: cellEdge('c'),
    alpha_deg: angle('alpha', 'b and c'),
    beta_deg: angle('beta', 'a and c'),
    gamma_deg: angle('gamma', 'a and b'),
  })
  .meta({ title: 'Unit cell' });

const matrixLattice = z
  .strictObject({
    kind: z.literal('matrix'),
    a_star: reciprocal('a*'),
    b_star: reciprocal('b*'),
    c_star: reciprocal('c*'),
  })
  .meta({ title: 'Orientation matrix' });

const crystalSchema = z.strictObject({
  lattice: z.discriminatedUnion('kind', [cellLattice, matrixLattice]).meta({
    title: 'Lattice',
    description:
      'A unit cell, with a* along the beam (x) and b* in the x–y plane; or its reciprocal cell vectors as mounted.',
  }),
  misset: z
    .strictObject({ x_deg: rotationAngle('x'), y_deg: rotationAngle('y'), z_deg: rotationAngle('z') })
    .prefault({})
    .meta({
      title: 'Misset',
      description: 'Rotates the mounted lattice about x (the beam), then y, then z (the spindle).',
    }),
  cells: z
    .strictObject({ a: cells('a'), b: cells('b'), c: cells('c') })
    .prefault({})
    .meta({ title: 'Size', description: 'Number of unit cells in the crystal, or in each block of a mosaic crystal.' }),
  shape: z
    .enum(['square', 'round', 'gauss', 'tophat'])
    .meta({
      title: 'Shape',
      description:
        'Shape of the crystal: a parallelepiped gives fringes, an ellipsoid rings; Gaussian and top hat give neither.',
    })
    .default('square'),
  mosaic_spread_deg: quantity({
    title: 'Mosaic spread',
    description: 'Largest rotation angle of mosaic blocks.',
    unit: 'deg',
    min: 0,
    max: 90,
  }).default(0),
  mosaic_domains: count({
    title: 'Mosaic blocks',
    description: 'Number of orientations that are averaged. The first is not rotated.',
    min: 1,
    max: 10_000,
  }).default(1),
  mosaic_seed: count({
    title: 'Mosaic seed',
    description: 'Seed of the random orientations; equal seeds give equal crystals.',
    min: 1,
    max: 2_147_483_646,
  }).default(12_345_678),
});

const structureFactorsSchema = z.strictObject({
  default_electrons: quantity({
    title: 'Default F',
    description: 'Structure factor, in electrons, of all reflections missing from the list.',
    unit: '1',
    min: 0,
    max: 1e9,
  }).default(0),
  file: companionFile({
    title: 'Reflections',
    description: 'A text file with h k l F on every line, in P1: no symmetry is applied.',
    example: 'data/mine.hkl',
  }).optional(),
  lookup: z
    .enum(['auto', 'nearest', 'tricubic'])
    .meta({
      title: 'Between reflections',
      description:
        'nearest: value of the nearest reflection; tricubic: interpolated; auto: tricubic for 1 or 2 cells per edge.',
    })
    .default('auto'),
});

/** Schema of the divergence of the X-ray beam in one direction, mrad. */
const divergence = (across: string) =>
  quantity({
    title: `Divergence, ${across}`,
    description: `Full range of the ${across} directions of the beam. The grid of directions is cut to an ellipse.`,
    unit: 'mrad',
    min: 0,
    max: 200,
  }).default(0);
const stepCount = (title: string) =>
  count({ title, description: 'Number of steps, evenly over the full range.', min: 1, max: 1000 }).default(1);

const beamSchema = z.strictObject({
  wavelength_A: quantity({
    title: 'Wavelength',
    description: 'Wavelength of the photons; 12398.42 divided by their energy in eV.',
    unit: 'A',
    min: 0.01,
    max: 100,
  }).default(1),
  dispersion_percent: quantity({
    title: 'Dispersion',
    description: 'Full range of wavelengths, in percent of the wavelength.',
    unit: 'percent',
    min: 0,
    max: 50,
  }).default(0),
  dispersion_steps: stepCount('Wavelengths'),
  divergence_h_mrad: divergence('horizontal'),
  divergence_h_steps: stepCount('Horizontal directions'),
  divergence_v_mrad: divergence('vertical'),
  divergence_v_steps: stepCount('Vertical directions'),
  fluence: quantity({
    title: 'Fluence',
    description: 'Photons per m². With the default, one electron scatters one photon per steradian.',
    unit: '1',
    min: 0,
    max: 1e40,
  }).default(1.25932015286227e29),
  polarisation: quantity({
    title: 'Polarisation',
    description: 'Kahn factor: 0 is unpolarised, 1 polarised in the horizontal plane, -1 in the vertical one.',
    unit: '1',
    min: -1,
    max: 1,
  }).default(0),
});

const solverSchema = z.strictObject({
  variant: variantName('auto chooses the fastest in FP64'),
  threads: count({ title: 'Threads', description: 'CPU threads. 0 uses every core.', min: 0, max: 1024 }).default(0),
});

const diffractionSchema = z
  .strictObject({
    ...editorShape,
    kind: z
      .literal('diffraction')
      .meta({ title: 'Kind', description: 'The workload: the X-ray diffraction image of a crystal.' }),
    version: z.literal(1).meta({ title: 'Version', description: 'Version of this file format.' }),
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

/** Document as written in a file. Only `kind`, `version` and the lattice are required. */
export type DiffractionDocument = z.input<typeof diffractionSchema>;

/** Document with constant defaults filled in, but without defaults that depend on other fields. */
export type DiffractionWithStaticDefaults = z.output<typeof diffractionSchema>;

type Detector = DiffractionWithStaticDefaults['detector'];

/**
 * Scenario with all defaults filled in. An absent number of sub-pixels stays absent, because the engine derives it from
 * the width of the crystal's fringes.
 */
export interface DiffractionScenario extends Omit<DiffractionWithStaticDefaults, 'detector'> {
  readonly detector: Omit<Detector, 'beam_x_mm' | 'beam_y_mm'> & {
    readonly beam_x_mm: number;
    readonly beam_y_mm: number;
  };
}

const progressSchema = z.strictObject({
  workload: z.literal('diffraction'),
  /** Fraction of the image that is computed, 0 to 1. */
  done: z.number(),
  terms_per_s: z.number(),
});
export type ImageProgress = Readonly<z.infer<typeof progressSchema>>;

const resolvedSchema = z.strictObject({
  kind: z.literal('diffraction'),
  ...resolvedShape,
  width: z.number().int(),
  height: z.number().int(),
  /** Number of sub-pixels along each side of a pixel. */
  oversample: z.number().int(),
  sources: z.number().int(),
  orientations: z.number().int(),
  layers: z.number().int(),
  /** Number of lattice factors to compute for the image. */
  terms: z.number(),
  /** Number of reflections in the list of structure factors; 0 if the scenario names none. */
  reflections: z.number().int(),
});
export type ResolvedDiffraction = Readonly<z.infer<typeof resolvedSchema>>;

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
