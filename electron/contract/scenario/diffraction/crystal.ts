/** The crystal: its lattice, how it is mounted, its size and shape, its mosaic blocks, and what a cell scatters. */
import { z } from 'zod';
import { fileBeside } from '../file-beside.ts';
import { count, quantity } from '../quantity.ts';

const edge = (name: string) =>
  quantity({ title: `Edge ${name}`, description: 'Of the unit cell.', unit: 'A', min: 1, max: 100_000 });
const angle = (name: string, between: string) =>
  quantity({
    title: name,
    description: `Angle of the unit cell between ${between}.`,
    unit: 'deg',
    min: 1,
    max: 179,
  }).default(90);
const turn = (axis: string) =>
  quantity({ title: `About ${axis}`, description: 'Right-handed.', unit: 'deg', min: -360, max: 360 }).default(0);
const component = (axis: string) =>
  quantity({ title: axis, description: `${axis} component, in 1/Å.`, unit: '1', min: -10, max: 10 });
const reciprocal = (name: string) =>
  z.strictObject({ x: component('x'), y: component('y'), z: component('z') }).meta({ title: name });
const cells = (name: string) =>
  count({ title: `Along ${name}`, description: 'Cells along this edge.', min: 1, max: 100_000 }).default(1);

const cellLattice = z
  .strictObject({
    kind: z.literal('cell'),
    a_A: edge('a'),
    b_A: edge('b'),
    c_A: edge('c'),
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

export const crystalSchema = z.strictObject({
  lattice: z.discriminatedUnion('kind', [cellLattice, matrixLattice]).meta({
    title: 'Lattice',
    description:
      'A unit cell, with a* along the beam (x) and b* in the x–y plane; or the vectors of its reciprocal cell, mounted.',
  }),
  misset: z
    .strictObject({ x_deg: turn('x'), y_deg: turn('y'), z_deg: turn('z') })
    .prefault({})
    .meta({
      title: 'Misset',
      description: 'Turns the mounted lattice about x (the beam), then y, then z (the spindle).',
    }),
  cells: z
    .strictObject({ a: cells('a'), b: cells('b'), c: cells('c') })
    .prefault({})
    .meta({ title: 'Size', description: 'How many unit cells the crystal (of a mosaic one, each block) has.' }),
  shape: z
    .enum(['square', 'round', 'gauss', 'tophat'])
    .meta({
      title: 'Shape',
      description:
        'What a spot looks like: a parallelepiped has fringes, an ellipsoid rings; Gaussian and top hat have neither.',
    })
    .default('square'),
  mosaic_spread_deg: quantity({
    title: 'Mosaic spread',
    description: 'Largest angle by which mosaic blocks are turned.',
    unit: 'deg',
    min: 0,
    max: 90,
  }).default(0),
  mosaic_domains: count({
    title: 'Mosaic blocks',
    description: 'How many orientations are averaged. The first is not turned.',
    min: 1,
    max: 10_000,
  }).default(1),
  mosaic_seed: count({
    title: 'Mosaic seed',
    description: 'Of the random orientations; equal seeds give equal crystals.',
    min: 1,
    max: 2_147_483_646,
  }).default(12_345_678),
});

export const structureFactorsSchema = z.strictObject({
  default_electrons: quantity({
    title: 'Default F',
    description: 'Structure factor, in electrons, of every reflection that is not in the list.',
    unit: '1',
    min: 0,
    max: 1e9,
  }).default(0),
  file: fileBeside({
    title: 'Reflections',
    description: 'A text file with h k l F on every line; P1: no symmetry is applied.',
    example: 'data/mine.hkl',
  }).optional(),
  lookup: z
    .enum(['auto', 'nearest', 'tricubic'])
    .meta({
      title: 'Between reflections',
      description: 'nearest: that of the nearest one; tricubic: interpolated; auto: tricubic for 1 or 2 cells an edge.',
    })
    .default('auto'),
});
