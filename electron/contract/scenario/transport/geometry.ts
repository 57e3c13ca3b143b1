/** The box that is simulated: a background material and rectangular regions in it. */
import { z } from 'zod';
import { materialNames } from '../materials.ts';
import { valueAt } from '../path.ts';
import { interval, quantity } from '../quantity.ts';
import { suggest } from '../suggest.ts';
import { ctSchema } from './ct.ts';
import { maxOwnMaterials, ownMaterialSchema } from './own-material.ts';

/** Materials are indexed by one byte in the solver, water included. */
export const maxRegions = 200;

/** A built-in material or one of the scenario's own; which there are is the geometry's to check. */
const materialSchema = z
  .string()
  .min(1)
  .max(64)
  .meta({ examples: [...materialNames] });

const regionSchema = z.strictObject({
  name: z.string().max(200).meta({ title: 'Name', description: 'What lists call this region.' }).default(''),
  material: materialSchema.meta({
    title: 'Material',
    description: 'What fills the region: a built-in material, or one of your own.',
  }),
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

const shape = {
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
  materials: z
    .array(ownMaterialSchema)
    .max(maxOwnMaterials)
    .meta({
      title: 'Own materials',
      description:
        "By formula or mass fractions, density and I. Stopping follows from Bethe's formula, scattering from the composition.",
    })
    .default([]),
  ct: ctSchema
    .meta({
      title: 'CT',
      description: 'Matter from a slice of a CT in place of the background. Regions lie over it.',
    })
    .optional(),
};

/** Names in a list, of as much of a document as could be read. */
const namesIn = (list: unknown): readonly unknown[] =>
  Array.isArray(list) ? list.map((each: unknown) => valueAt(each, ['name'])) : [];

export const geometrySchema = z.strictObject(shape).superRefine(
  ({ background, regions, materials, ct }, context) => {
    const own = namesIn(materials).map(String);
    const known: readonly string[] = [...materialNames, ...own];
    const refuse = (path: readonly (string | number)[], message: string, allowed: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message, params: { allowed } });
    const check = (path: readonly (string | number)[], name: unknown): void => {
      if (typeof name !== 'string' || known.includes(name)) return;
      const near = suggest(name, known);
      refuse(path, near === null ? 'is not known' : `is not known (did you mean ${near}?)`, known.join(', '));
    };
    check(['background'], background);
    for (const [i, region] of (Array.isArray(regions) ? regions : []).entries()) {
      check(['regions', i, 'material'], valueAt(region, ['material']));
    }
    check(['ct', 'outside'], valueAt(ct, ['outside']));
    const table = valueAt(ct, ['hu_table', 'materials']);
    for (const [i, point] of (Array.isArray(table) ? table : []).entries()) {
      check(['ct', 'hu_table', 'materials', i, 1], valueAt(point, [1]));
    }
    own.forEach((name, i) => {
      if (own.indexOf(name) < i) refuse(['materials', i, 'name'], 'is the name of two materials', 'a name of its own');
    });
  },
  // Check names despite other errors, so that all are reported at once.
  { when: ({ value }) => typeof value === 'object' && value !== null },
);
