/**
 * Costs of reactions and LET compared with the beam's own steps: products by round, stepping modes by their fastest
 * runs.
 */
import { expect, it } from 'vitest';
import { physicsTargets } from '../../../electron/build/bench/physics-costs.mjs';

const round = (plain: number, reactions: number, products: number, scoring: number, off = plain, again = plain) => ({
  plain: { solve_s: plain },
  reactions: { solve_s: reactions, products_s: products },
  scoring: { solve_s: scoring },
  off: { solve_s: off },
  again: { solve_s: again },
});

it('compares products with the steps of their own run, and ways of stepping by the fastest run of each', () => {
  // The second round ran while something else did: all of it took twice as long. So did one run of the third.
  const rounds = [round(1, 1.05, 0.25, 1.06), round(2, 2.1, 0.5, 2.12), round(1.2, 1.5, 0.5, 1.3, 1.01, 1.8)];
  const [reactions, scoring, off, again] = physicsTargets([{ name: 'water, depth', rounds }]);
  expect(reactions).toMatchObject({ wanted: '≤ 40 %', measured: '23.8 %', met: true });
  expect(scoring).toMatchObject({ wanted: '≤ 10 %', measured: '6.0 %', met: true });
  expect(off).toMatchObject({ wanted: '±2 %', measured: '0.0 %', met: true });
  expect(again).toMatchObject({ wanted: '±2 %', measured: '0.0 %', met: true });
  const [, , slower, noisy] = physicsTargets([
    { name: 'water, depth', rounds: [round(1, 1.05, 0.25, 1.06, 1.03, 0.97)] },
  ]);
  expect(slower?.met).toBe(false);
  expect(noisy).toMatchObject({ measured: '-3.0 %', met: false });
  const [slow] = physicsTargets([{ name: 'water, window', rounds: [round(1, 1.1, 0.5, 1.2)] }]);
  expect(slow).toMatchObject({ what: 'water, window, products of reactions, of its steps', met: false });
  expect(physicsTargets([])).toEqual([]);
});
