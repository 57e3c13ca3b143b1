/** The saved rates of verdicts cover the current models and limits, and are in tables. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../electron/build/figures/documents.ts';
import { keptRatesSchema, realRates, simulatedRates } from '../../../electron/build/figures/rates.ts';
import { Budget } from '../../bench/aa/budget.ts';
import { noiseModels } from '../../bench/verdicts/noise.ts';
import { missed } from '../../bench/verdicts/simulate.ts';

describe('simulated rates', () => {
  const kept = keptRatesSchema.parse(JSON.parse(readFileSync(path.join(root, 'assets/rates/simulated.json'), 'utf8')));

  test('are of every model of noise and every rule that ends sessions, and of ten contestants', () => {
    const [, ten] = noiseModels;
    const rows = ['decided', 'precise'].flatMap((rule) => [
      ...noiseModels.map(({ name, precision }) => [rule, name, precision, 1]),
      [rule, ten?.name, ten?.precision, 10],
    ]);
    const found = kept.rows.map(({ rule, model, precision, contestants }) => [rule, model, precision, contestants]);
    expect(found).toEqual(rows);
    expect(kept.trials).toBeGreaterThanOrEqual(2000);
  });

  test('hold what is wanted', () => {
    expect(kept.rows.flatMap((row) => missed(row, kept.trials, 2))).toEqual([]);
  });

  test('have a row each in the table', () => {
    expect(simulatedRates().split('\n')).toHaveLength(kept.rows.length + 2);
  });
});

test('measured rates count everything that is neither the same nor undecided as false, or say how to measure them', () => {
  const session = { verdict: 'same', whole: 'slower', ratio: 1, interval: null, floor: 0.01, otherLoad_cores: 0.2 };
  const kept = {
    ...{ measured: '2026-01-01T00:00:00Z', machine: 'CPU', cores: 2, variant: 'gather', allowed: 2, took_s: 60 },
    halves: [
      {
        name: 'as it is',
        sessions: ['same', 'undecided', 'faster', 'wrong'].map((verdict) => ({ ...session, verdict, rounds: 15 })),
      },
    ],
  };
  expect(realRates(kept).split('\n').at(-1)).toBe('| CPU, as it is | 4 | 0.2 | 2 | 2 | 1 | 1 | 15.0 |');
  expect(realRates(null)).toContain('npm run bench -- aa --keep');
});

test('sessions of an A/A are shorter where the time runs out, and none is longer than asked for', () => {
  const budget = new Budget({ sessions: 4, most: 5, ends: 22 });
  // A quarter of the time, less the overhead of a session.
  expect(budget.next(0)).toBeCloseTo(22 / 4 - 2);
  budget.ended(3.5, 7.5);
  expect(budget.next(7.5)).toBeCloseTo(14.5 / 3 - 4);
  budget.ended(0.8, 0.8);
  expect(budget.next(8.3)).toBeCloseTo(13.7 / 2 - 2);
  budget.ended(4.85, 4.85);
  expect(budget.next(9)).toBe(5);
  expect(budget.next(100)).toBeGreaterThan(0);
});
