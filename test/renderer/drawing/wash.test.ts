import { expect, it } from 'vitest';
import { colorMap } from '../../../renderer/drawing/colormap.ts';
import { washed } from '../../../renderer/drawing/wash.ts';

const alphas = (wash: 'rising' | 'centred' | 'even'): readonly number[] =>
  [...washed(colorMap('viridis'), wash).colors].map((color) => color >>> 24);

it('dose lets all through at its lower end, a difference in its middle, gamma the same everywhere', () => {
  const rising = alphas('rising');
  expect([rising[0], rising.at(-1)]).toEqual([0, 179]);
  expect(rising.every((alpha, i) => alpha >= (rising[i - 1] ?? 0))).toBe(true);
  const centred = alphas('centred');
  expect(centred[0]).toBe(179);
  expect(Math.min(...centred)).toBeLessThan(5);
  expect(centred.indexOf(Math.min(...centred))).toBeGreaterThan(120);
  expect(new Set(alphas('even'))).toEqual(new Set([179]));
});

it('changes no hue, and is the same object for the same colours', () => {
  const map = colorMap('magma');
  const made = washed(map, 'rising');
  expect([...made.colors].map((color) => color & 0xffffff)).toEqual([...map.colors].map((color) => color & 0xffffff));
  expect(washed(map, 'rising')).toBe(made);
  expect(washed(map, 'even')).not.toBe(made);
});
