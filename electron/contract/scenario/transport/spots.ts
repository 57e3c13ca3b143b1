/** Spots: beams that enter together, each with an energy, a place, a direction, widths and a weight of its own. */
import { z } from 'zod';
import { companionFile } from '../companion-file.ts';
import { quantity } from '../quantity.ts';
import { beamShape } from './beam-shape.ts';

/** More are a field that no list is written for by hand; reading and starting them takes seconds. */
export const mostSpots = 10_000;

/** Fields omitted from a spot are inherited from the beam. */
export const spotSchema = z
  .strictObject({
    energy_MeV: beamShape.energy_MeV.optional(),
    range_mm: beamShape.range_mm.optional(),
    energy_sigma_MeV: beamShape.energy_sigma_MeV.optional(),
    x_mm: beamShape.x_mm.optional(),
    y_mm: quantity({
      title: 'Position along y',
      description: 'Place along the axis that the plane model sums over, for dose in three dimensions.',
      unit: 'mm',
      min: -5000,
      max: 5000,
    }).optional(),
    x_sigma_mm: beamShape.x_sigma_mm.optional(),
    angle_deg: quantity({
      title: 'Angle',
      description: 'Direction of the spot, from +z towards +x: one that the angle grid about the beam holds.',
      unit: 'deg',
      min: -85,
      max: 85,
    }).optional(),
    angle_sigma_mrad: beamShape.angle_sigma_mrad.optional(),
    weight: quantity({
      title: 'Weight',
      description: 'Protons of the spot, times those of the beam. A spot of weight 0 counts for the grid only.',
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
      message: 'stands beside energy_MeV',
      params: { allowed: given === 0 ? '0.5 to 1000 MeV, or range_mm in its place' : 'energy_MeV or range_mm, one' },
    });
  });
export type SpotDocument = z.input<typeof spotSchema>;
export type SpotWithConstants = z.output<typeof spotSchema>;

const allWeightless = (spots: readonly { readonly weight: number }[]): boolean =>
  spots.every(({ weight }) => weight === 0);

export const spotListSchema = z
  .array(spotSchema)
  .min(1)
  .max(mostSpots)
  .refine((spots) => !allWeightless(spots), {
    error: 'hold no protons: every weight is 0',
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
      'Beams that enter together in place of the one: a list, or a file of it. What a spot leaves out, it has from the beam.',
  });

/** A spot with every value present. */
export interface Spot {
  readonly energy_MeV: number;
  readonly energy_sigma_MeV: number;
  readonly angle_deg: number;
  readonly angle_sigma_mrad: number;
  readonly x_mm: number;
  readonly y_mm?: number;
  readonly x_sigma_mm: number;
  /** Protons of the spot, times those of the beam. */
  readonly weight: number;
}
