/** Rows 1 to 3 of the claim ledger: launches, graphs, loops on the host. */
import { elements, number, row } from './words.ts';

const steps = number('Steps', 'Dependent y += a x, one launch each unless they are fused.', [1, 100, 10_000]);

export const launchSchema = row('launch', 'Launches and fusion', { n: elements('Of x and y.', 1_000_000), steps });

export const graphsSchema = row('graphs', 'CUDA graphs', { n: elements('Of x and y.', 1000), steps });

export const hostLoopSchema = row('host-loop', 'A loop on the host', {
  rows: number('Rows', 'Each is convolved by itself.', [1, 1000, 1_000_000]),
  length: number('Length', 'Values of a row.', [1, 1024, 1_000_000]),
  radius: number('Radius', 'Of the convolution: 2 radius + 1 taps.', [0, 4, 1024]),
});
