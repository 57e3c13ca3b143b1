/** The coarseness of the Live grid, from the times of earlier answers. */
import { expect, it } from 'vitest';
import { Pace } from '../../../../../../electron/host/workloads/transport/what-if/pace.ts';

const CELLS = 1e8;

it('keeps the grid of the scenario where it answers in time', () => {
  const pace = new Pace();
  pace.took('cpu', CELLS, 0.01, 0.05);
  pace.took('cpu', CELLS, 0.01, 0.05);
  expect(pace.factors('cpu', CELLS, false)).toEqual({ x: 1, z: 1, theta: 1 });
});

it('coarsens until an answer comes in a tenth of a second, and is no finer before the hand rests', () => {
  const pace = new Pace();
  for (let i = 0; i < 12; i += 1) pace.took('cpu', CELLS, 0.02, 2);
  const { x } = pace.factors('cpu', CELLS, false);
  // 2 s in an eighth are 0.25, in a twenty-seventh 0.07.
  expect(x).toBe(3);
  for (let i = 0; i < 12; i += 1) pace.took('cpu', CELLS, 0.02, 0.001);
  expect(pace.factors('cpu', CELLS, false).x).toBe(3);
  pace.rested();
  expect(pace.factors('cpu', CELLS, false).x).toBe(1);
});

it('coarsens the angle alone where the cells of the dose must stay, and never beyond four', () => {
  const pace = new Pace();
  for (let i = 0; i < 12; i += 1) pace.took('cpu', CELLS, 0.02, 100);
  expect(pace.factors('cpu', CELLS, true)).toEqual({ x: 1, z: 1, theta: 4 });
});

it('does not coarsen for set-up, which fewer cells do not shorten', () => {
  const pace = new Pace();
  for (let i = 0; i < 12; i += 1) pace.took('cpu', CELLS, 0.5, 0.04);
  expect(pace.factors('cpu', CELLS, false).x).toBe(1);
});

it('takes a GPU by its own times', () => {
  const pace = new Pace();
  for (let i = 0; i < 12; i += 1) pace.took('cpu', CELLS, 0.02, 100);
  expect(pace.factors('gpu', CELLS, false).x).toBe(1);
});
