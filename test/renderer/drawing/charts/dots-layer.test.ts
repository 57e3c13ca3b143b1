/** Dots in pixels: each where its numbers are, as strong as it covers, none left out. */
import { expect, test } from 'vitest';
import { nearestPlace, placesOf, stampDots } from '../../../../renderer/drawing/charts/dots-layer.ts';

const axis = (from: number, to: number, kind: 'linear' | 'log' = 'linear') => ({ title: '', unit: '', kind, from, to });
const box = { width: 100, height: 50 };

test('places go by the axes, logarithmic ones too; what lies outside or is no number has none', () => {
  const numbers = { x: [0, 5, 10, 11, Number.NaN], y: [1, 10, 100, 10, 10] };
  const { x, y } = placesOf(numbers, { x: axis(0, 10), y: axis(1, 100, 'log') }, box);
  expect([...x]).toEqual([0, 50, 100, Number.NaN, Number.NaN]);
  expect([...y].slice(0, 3)).toEqual([50, 25, 0]);
  const none = placesOf({ x: [1, 2], y: [0, -1] }, { x: axis(0, 10), y: axis(1, 100, 'log') }, box);
  expect([...none.x, ...none.y].every(Number.isNaN)).toBe(true);
});

function pictureOf(places: readonly (readonly [number, number])[], more: object = {}) {
  const picture = { data: new Uint8ClampedArray(4 * 40 * 20), width: 40, height: 20 };
  const at = { x: Float32Array.from(places, ([x]) => x), y: Float32Array.from(places, ([, y]) => y) };
  const stamp = { form: 'round', radius: 2, opacity: 1, color: [200, 100, 0], scale: 1, pad: 0 } as const;
  stampDots(picture, at, { ...stamp, ...more });
  const pixel = (x: number, y: number): readonly number[] => [
    ...picture.data.slice(4 * (y * 40 + x), 4 * (y * 40 + x) + 4),
  ];
  let area = 0;
  for (let i = 3; i < picture.data.length; i += 4) area += (picture.data[i] ?? 0) / 255;
  return { pixel, area };
}

test.each([
  ['round', Math.PI * 9],
  ['square', 36],
  ['ring', 2 * Math.PI * 3],
] as const)('a %s dot covers what its form does', (form, area) => {
  const found = pictureOf([[10.3, 9.8]], { form, radius: 3 });
  expect(found.area / area).toBeGreaterThan(0.95);
  expect(found.area / area).toBeLessThan(1.05);
});

test('dots over each other let as little through as their opacities together, in any order and in their colour', () => {
  const { pixel } = pictureOf(
    [
      [10.5, 10.5],
      [30, 10],
      [10.5, 10.5],
      [10.5, 10.5],
    ],
    { opacity: 0.5 },
  );
  expect(pixel(10, 10)).toEqual([200, 100, 0, Math.round(255 * 0.875)]);
  expect(pixel(20, 10)).toEqual([0, 0, 0, 0]);
});

test('a later colour lies above an earlier one', () => {
  const picture = { data: new Uint8ClampedArray(4 * 9), width: 3, height: 3 };
  const one = { x: Float32Array.of(1.5), y: Float32Array.of(1.5) };
  const stamp = { form: 'square', radius: 3, scale: 1, pad: 0 } as const;
  stampDots(picture, one, { ...stamp, opacity: 1, color: [0, 0, 255] });
  stampDots(picture, one, { ...stamp, opacity: 0.5, color: [255, 0, 0] });
  expect([...picture.data.slice(16, 20)]).toEqual([128, 0, 128, 255]);
});

test('a dot at an edge is cut, and one that has no place leaves nothing', () => {
  expect(pictureOf([[0, 10]]).area).toBeCloseTo(pictureOf([[20, 10]]).area / 2, 0);
  expect(pictureOf([[Number.NaN, Number.NaN]]).area).toBe(0);
});

test('on a finer picture it has its own place and pad', () => {
  const { pixel } = pictureOf([[10, 4]], { scale: 2, pad: 8, radius: 1 });
  expect(pixel(28, 16)[3]).toBeGreaterThan(0);
  expect(pixel(10, 4)[3]).toBe(0);
});

test('of places as near as each other the last is nearest, which lies above', () => {
  const places = { x: Float32Array.of(10, 30, 10, Number.NaN), y: Float32Array.of(10, 30, 10, Number.NaN) };
  expect(nearestPlace(places, [12, 10], 20)).toEqual({ i: 2, far: 2 });
  expect(nearestPlace(places, [60, 30], 20)).toBeNull();
});
