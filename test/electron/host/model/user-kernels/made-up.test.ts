import { expect, test } from 'vitest';
import { uniformValues } from '../../../../../electron/host/model/user-kernels/made-up.ts';

test('made-up values are the engine’s: SplitMix64 of a stream, 24 bits over [-1, 1)', () => {
  // As assets/external/made_up.py gives them, which sessions of other programs hold to the engine.
  expect([...uniformValues({ count: 4, seed: 1 })]).toEqual([
    -0.2636209726333618, 0.05343592166900635, 0.4753984212875366, 0.384891152381897,
  ]);
  expect([...uniformValues({ count: 2, seed: 2 })]).toEqual([-0.21556711196899414, 0.7533512115478516]);
  const many = uniformValues({ count: 5000, seed: 7 });
  expect(Math.max(...many)).toBeLessThan(1);
  expect(Math.min(...many)).toBeGreaterThanOrEqual(-1);
  expect([...many]).toEqual([...Float32Array.from(many)]);
});
