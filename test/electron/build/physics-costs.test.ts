/** Costs of reactions and LET beside the beam's own steps: ratios of one round each, and their median. */
import { expect, it } from 'vitest';
import { physicsTargets } from '../../../electron/build/bench/physics-costs.mjs';

const round = (plain: number, reactions: number, products: number, scoring: number, off = plain) => ({
  plain: { solve_s: plain },
  reactions: { solve_s: reactions, products_s: products },
  scoring: { solve_s: scoring },
  off: { solve_s: off },
});

it('is the median over rounds: products beside the steps of their own run, scoring beside those of the round', () => {
  // The second round ran while something else did: all of it took twice as long.
  const rounds = [round(1, 1.05, 0.25, 1.06), round(2, 2.1, 0.5, 2.12), round(1, 1.5, 0.5, 1.3, 1.01)];
  const [reactions, scoring, off] = physicsTargets([{ name: 'water, depth', rounds }]);
  expect(reactions).toMatchObject({ wanted: '≤ 40 %', measured: '23.8 %', met: true });
  expect(scoring).toMatchObject({ wanted: '≤ 10 %', measured: '6.0 %', met: true });
  expect(off).toMatchObject({ wanted: '±2 %', measured: '0.0 %', met: true });
  const [, , slower] = physicsTargets([{ name: 'water, depth', rounds: [round(1, 1.05, 0.25, 1.06, 1.03)] }]);
  expect(slower?.met).toBe(false);
  const [slow] = physicsTargets([{ name: 'water, window', rounds: [round(1, 1.1, 0.5, 1.2)] }]);
  expect(slow).toMatchObject({ what: 'water, window, products of reactions, of its steps', met: false });
  expect(physicsTargets([])).toEqual([]);
});
