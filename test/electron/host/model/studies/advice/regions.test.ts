import { expect, test } from 'vitest';
import { regionsOf, regionsText } from '../../../../../../electron/host/model/studies/advice/regions.ts';

const told = (places: Parameters<typeof regionsOf>[0]): string => regionsText(regionsOf(places));

test('one label everywhere needs no condition', () => {
  expect(
    told([
      { at: { n: 1 }, label: 'a' },
      { at: { n: 2 }, label: 'a' },
    ]),
  ).toBe('a');
});

test('along a number, with the values that were looked at on both sides of each change', () => {
  const label = (n: number): string => (n < 30 ? 'small' : n < 300 ? 'middle' : 'large');
  const places = [10, 20, 40, 80, 160, 320].flatMap((n) =>
    ['fp32', 'fp64'].map((precision) => ({ at: { precision, n }, label: label(n) })),
  );
  expect(told(places)).toBe('small with n up to 20; middle with n from 40 to 160; large with n from 320');
});

test('along words, and by two values together', () => {
  const places = [1, 2, 3].flatMap((n) =>
    ['fp32', 'fp64'].map((precision) => ({ at: { n, precision }, label: precision === 'fp64' && n > 1 ? 'b' : 'a' })),
  );
  expect(told(places)).toBe(
    'a with precision is fp32; a with precision is not fp32, n up to 1; b with precision is not fp32, n from 2',
  );
});

test('what no condition tells apart is counted', () => {
  const places = ['a', 'a', 'b'].map((label) => ({ at: { n: 1 }, label }));
  expect(told(places)).toBe('a (2 of 3 points)');
});
