/** Images of many crystals, and a crystal fitted to its image. */
import { number, row } from './words.ts';

const pixels = number('Pixels', 'Of a side of the detector, which is 51.2 mm wide.', [1, 256, 4096]);
const cells = number('Cells', 'Of the crystal, along each edge.', [1, 5, 1000]);

export const imageSeriesSchema = row('image-series', 'Images of many crystals', {
  images: number('Images', 'Each of a crystal with its own orientation and cell.', [1, 10, 10_000]),
  pixels,
  cells,
});

export const refinementSchema = row('refinement', 'A crystal fitted to its image', {
  pixels,
  cells: number('Cells', 'Of the crystal, along each edge: the more, the sharper the spots.', [2, 5, 20]),
});
