/** Row 7 of the claim ledger: weighted sums over neighbours; and those of transport over angles. */
import { quantity } from '../quantity.ts';
import { elements, number, row } from './words.ts';

const radius = (usual: number) =>
  number('Radius', 'Neighbours on each side; zeros lie beyond the edges.', [0, usual, 32]);

export const stencil1dSchema = row('stencil-1d', 'Stencil along a line', {
  n: elements('Of the line.', 16_000_000),
  radius: radius(4),
});

export const stencil2dSchema = row('stencil-2d', 'Square stencil', {
  nx: number('Width', 'Points along x, which lie next to each other.', [1, 4096, 32_768]),
  ny: number('Height', 'Points along y.', [1, 4096, 32_768]),
  radius: radius(2),
});

export const scatteringSchema = row('scattering', 'Scattering of angles', {
  angles: number('Angles', 'Of every column.', [2, 128, 4096]),
  cells: number('Cells', 'Columns, which lie next to each other.', [1, 65_536, 10_000_000]),
  reach: quantity({
    title: 'Reach',
    description: 'Of the kernel to each side, a share of the angles; at least one bin.',
    unit: '1',
    min: 0,
    max: 1,
  }).default(0.0625),
});
