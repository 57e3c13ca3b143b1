/** Programs of assets/external on images and small workloads; one of each kind: `rivals.test.ts`. */
import { describe, test } from 'vitest';
import { crystal, expectImage, expectLayer, expectRow, type Row } from './rival-session.ts';

describe('the linear layer', () => {
  test.for([{ direction: 'backward' }, { bias: false, values: 'with-nan' }, { direction: 'backward', bias: false }])(
    '%o',
    expectLayer,
  );
});

const rows: readonly Row[] = [
  ['launch', { n: 1001, steps: 3 }, 'cpu-passes', ['numpy']],
  ['reduction', { n: 100_001 }, 'cpu-chains', ['numpy']],
  ['host-loop', { rows: 7, length: 65, radius: 3 }, 'cpu-rows', ['numpy', 'numpy-rows']],
  ['gemm', { m: 70, n: 65, k: 33 }, 'cpu-rows', ['numpy']],
];
describe('rows of the table of claims', () => {
  for (const row of rows) test(row[0], (ctx) => expectRow(row, ctx));
});

const images = {
  round: { crystal: { ...crystal, shape: 'round' } },
  gauss: { crystal: { ...crystal, shape: 'gauss' } },
  tophat: { crystal: { ...crystal, shape: 'tophat' } },
  'turning blocks': {
    crystal: { ...crystal, mosaic_spread_deg: 1, mosaic_domains: 3 },
    rotation: { oscillation_deg: 1, steps: 2 },
  },
  'sub-pixels and polarised light': {
    crystal,
    detector: { oversample: 2, corrections: 'subpixel' },
    beam: { wavelength_A: 1, polarisation: 0.5 },
  },
};
describe('images', () => {
  for (const [name, more] of Object.entries(images)) test(name, (ctx) => expectImage(more, ctx));
});
