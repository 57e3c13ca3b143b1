/** The box that is simulated: a background material and rectangular regions in it. */
import { z } from 'zod';
import { materialNames } from '../materials.ts';
import { interval, quantity } from '../quantity.ts';

/** Materials are indexed by one byte in the solver, water included. */
export const maxRegions = 200;

const materialSchema = z.enum(materialNames);

const regionSchema = z.strictObject({
  name: z.string().max(200).meta({ title: 'Name', description: 'What lists call this region.' }).default(''),
  material: materialSchema.meta({ title: 'Material', description: 'What fills the region.' }),
  x_mm: interval({
    title: 'Across',
    description: 'Lateral extent [from, to]; 0 is the middle of the geometry.',
    unit: 'mm',
    min: -5000,
    max: 5000,
  }),
  z_mm: interval({
    title: 'Depth',
    description: 'Extent in depth [from, to]; 0 is the surface.',
    unit: 'mm',
    min: 0,
    max: 5000,
  }),
  density_scale: quantity({
    title: 'Density factor',
    description: "The material's density is multiplied by this.",
    unit: '1',
    min: 0.001,
    max: 20,
  }).default(1),
});

export const geometrySchema = z.strictObject({
  width_mm: quantity({
    title: 'Width',
    description: 'Lateral size, centred on x = 0. Left out: about the range of the beam.',
    unit: 'mm',
    min: 0.001,
    max: 10_000,
  }).optional(),
  depth_mm: quantity({
    title: 'Depth',
    description: 'Size in depth, from z = 0. Left out: about 1.2 ranges of the beam.',
    unit: 'mm',
    min: 0.001,
    max: 5000,
  }).optional(),
  background: materialSchema
    .meta({ title: 'Background', description: 'The material wherever no region lies.' })
    .default('water'),
  regions: z
    .array(regionSchema)
    .max(maxRegions)
    .meta({
      title: 'Regions',
      description:
        'Rectangles of other materials, later ones over earlier ones. A cell that borders cut holds each by its share.',
    })
    .default([]),
});
