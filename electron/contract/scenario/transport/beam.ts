/**
 * Fields of a beam with their bounds, shared by beams and spots. Spots are beams that enter simultaneously, each with
 * its own energy, position, direction, widths and weight.
 */
import { z } from 'zod';
import { companionFile, quantity } from '../common-fields.ts';

/** Material tables end at 300 MeV. Only a user's stopping-power table for water may extend further. */
export const ENERGY_RANGE_TEXT = '0.5 to 300 MeV; in water with your own table up to 1000 MeV';

const rangeKinds = ['csda', 'r80', 'r90'] as const;

export const beamShape = {
  energy_MeV: quantity({
    title: 'Energy',
    description: 'Mean kinetic energy of the protons at entry.',
    unit: 'MeV',
    min: 0.5,
    max: 1000,
  }).meta({ $comment: ENERGY_RANGE_TEXT }),
  range_mm: quantity({
    title: 'Range in water',
    description: 'Replaces the energy: the program finds the energy with this range in water.',
    unit: 'mm',
    min: 0.05,
    max: 4000,
  }),
  range_is: z.enum(rangeKinds).meta({
    title: 'Kind of range',
    description:
      'csda: path length of a proton that slows down without straggling. r80, r90: the depth beyond the peak where the dose has fallen to 80 or 90 %.',
  }),
  energy_sigma_MeV: quantity({
    title: 'Energy spread',
    description: 'Standard deviation of the energy at entry. 0 is a single energy.',
    unit: 'MeV',
    min: 0,
    max: 100,
  }),
  angle_deg: quantity({
    title: 'Angle',
    description: 'Direction of the beam, from +z towards +x. The angle grid is centred on it.',
    unit: 'deg',
    min: -85,
    max: 85,
  }),
  angle_sigma_mrad: quantity({
    title: 'Angular spread',
    description: 'Standard deviation of the angle in the plane at entry. 0 is a parallel beam.',
    unit: 'mrad',
    min: 0,
    max: 500,
  }),
  x_mm: quantity({
    title: 'Position across',
    description: 'Lateral position where the beam axis enters. 0 is the middle of the geometry.',
    unit: 'mm',
    min: -5000,
    max: 5000,
  }),
  x_sigma_mm: quantity({
    title: 'Beam width',
    description:
      'Standard deviation of the lateral profile at entry, measured along the entry plane. Perpendicular to the axis of a tilted beam it is smaller by cos(angle). 0 means as narrow as one cell.',
    unit: 'mm',
    min: 0,
    max: 1000,
  }),
  x_sigma_is: z.enum(['plane', 'axis']).meta({
    title: 'Width measured',
    description:
      'plane: measured along the entry plane. axis: measured perpendicular to the beam axis; along the plane it is larger by 1/cos(angle).',
  }),
  y_sigma_mm: quantity({
    title: 'Width across y',
    description: 'Standard deviation along y at entry, for dose in Gy. Default: the beam width.',
    unit: 'mm',
    min: 0,
    max: 1000,
  }),
  focus_mm: quantity({
    title: 'Focus',
    description:
      'Distance from the entrance to the narrowest point of the beam. Negative: the beam diverges from a source at that distance in front of the entrance. 0 leaves position and angle uncorrelated.',
    unit: 'mm',
    min: -10_000,
    max: 10_000,
  }),
  z_mm: quantity({
    title: 'Depth of entry',
    description: 'Depth at which the protons start.',
    unit: 'mm',
    min: 0,
    max: 5000,
  }),
  weight: quantity({
    title: 'Protons',
    description: 'Number of protons. Dose and ledger are proportional to it.',
    unit: '1',
    min: 1e-12,
    max: 1e18,
  }),
} as const;

/** Limit on the number of spots, because loading and starting more needs seconds. */
export const maxSpots = 10_000;

/** Schema of a spot; absent fields have the beam's values. */
export const spotSchema = z
  .strictObject({
    energy_MeV: beamShape.energy_MeV.optional(),
    range_mm: beamShape.range_mm.optional(),
    energy_sigma_MeV: beamShape.energy_sigma_MeV.optional(),
    x_mm: beamShape.x_mm.optional(),
    y_mm: quantity({
      title: 'Position along y',
      description:
        'Position along y, the axis that the two-dimensional model integrates over, for dose in three dimensions.',
      unit: 'mm',
      min: -5000,
      max: 5000,
    }).optional(),
    x_sigma_mm: beamShape.x_sigma_mm.optional(),
    angle_deg: quantity({
      title: 'Angle',
      description: 'Direction of the spot, from +z towards +x; it must be within the angle grid of the beam.',
      unit: 'deg',
      min: -85,
      max: 85,
    }).optional(),
    angle_sigma_mrad: beamShape.angle_sigma_mrad.optional(),
    weight: quantity({
      title: 'Weight',
      description:
        'Number of protons of the spot; it is multiplied by the number of protons of the beam. A spot of weight 0 affects only the grid.',
      unit: '1',
      min: 0,
      max: 1e18,
    }).default(1),
  })
  .superRefine((spot, context) => {
    const given = [spot.energy_MeV, spot.range_mm].filter((value) => value !== undefined).length;
    if (given === 1) return;
    context.addIssue({
      code: 'custom',
      path: [given === 0 ? 'energy_MeV' : 'range_mm'],
      message: 'cannot be combined with energy_MeV',
      params: { allowed: given === 0 ? `${ENERGY_RANGE_TEXT}, or range_mm instead` : 'either energy_MeV or range_mm' },
    });
  });
export type SpotDocument = z.input<typeof spotSchema>;
export type SpotWithStaticDefaults = z.output<typeof spotSchema>;

const areAllWeightless = (spots: readonly { readonly weight: number }[]): boolean =>
  spots.every(({ weight }) => weight === 0);

export const spotListSchema = z
  .array(spotSchema)
  .min(1)
  .max(maxSpots)
  .refine((spots) => !areAllWeightless(spots), {
    error: 'contain no protons: every weight is 0',
    params: { allowed: 'at least one weight above 0' },
  });

export const spotsSchema = z
  .union([
    spotListSchema,
    z.strictObject({
      file: companionFile({
        title: 'Spots',
        description: 'A CSV file whose first line names the columns, such as energy_MeV,x_mm,weight, or a JSON list.',
        example: 'fields/mine.csv',
      }),
    }),
  ])
  .meta({
    title: 'Spots',
    description:
      'Beams that enter together instead of a single one: a list, or a file with a list. Values that a spot leaves out are taken from the beam.',
  });

/** Spot in which every field has a value. */
export interface Spot {
  readonly energy_MeV: number;
  readonly energy_sigma_MeV: number;
  readonly angle_deg: number;
  readonly angle_sigma_mrad: number;
  readonly x_mm: number;
  readonly y_mm?: number;
  readonly x_sigma_mm: number;
  /** Factor by which the beam's number of protons is multiplied. */
  readonly weight: number;
}
