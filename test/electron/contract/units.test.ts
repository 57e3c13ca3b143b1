import { expect, test } from 'vitest';
import { shareInDecimals, shareText } from '../../../electron/contract/units.ts';

test('a part never reads as all, nor what is there as nothing', () => {
  expect([1, 0.9996, 0.999_96, 0.5, 0.0123, 0].map((share) => shareText(share, 3))).toEqual([
    '100 %',
    '99.96 %',
    '99.996 %',
    '50 %',
    '1.23 %',
    '0 %',
  ]);
  expect([1, 0.9996, 0.999_96, 0.5, 2e-6, 0].map((share) => shareInDecimals(share, 1))).toEqual([
    '100.0 %',
    '99.96 %',
    '99.996 %',
    '50.0 %',
    '0.0002 %',
    '0.0 %',
  ]);
  expect([shareText(1 - 1e-12, 3), shareInDecimals(1.25, 0)]).toEqual(['100 %', '125 %']);
});
