/** The proton beam: one energy, one direction, Gaussian in each; or spots of which each is such a beam. */
import { z } from 'zod';
import { beamShape } from './beam-shape.ts';
import { spotsSchema } from './spots.ts';

export const beamSchema = z
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
      message: `stands beside ${first}`,
      params: {
        allowed:
          given.length === 0
            ? '0.5 to 1000 MeV, or range_mm or spots in its place'
            : 'energy_MeV, range_mm or spots, one',
      },
    });
  });
