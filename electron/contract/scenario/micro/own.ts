/** A kernel of one's own, made from nothing: what goes in, what comes out, and how it is launched. */
import { quantity } from '../quantity.ts';
import { elements, number, row } from './words.ts';

export const ownSchema = row('own', 'Kernel of your own', {
  n: elements('Of the inputs a and b, made up from the seed.', 1_000_000, 64_000_000),
  results: number('Results', 'That the kernel leaves; they begin as zeros.', [1, 1_000_000, 64_000_000]),
  block: number(
    'Threads a block',
    'There are as many blocks as give each element and each result a thread.',
    [1, 256, 1024],
  ),
  tolerance: quantity({
    title: 'Tolerance',
    description: 'Most that the results may be off, over the size of the expected ones; 0: equal.',
    unit: '1',
    min: 0,
    max: 1,
  }).default(1e-6),
});
