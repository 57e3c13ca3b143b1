import { describe, expect, it } from 'vitest';
import { noiseModels } from '../../../../bench/verdicts/noise.ts';
import { missed, ratesOf } from '../../../../bench/verdicts/simulate.ts';

/** `npm run bench -- verdicts` takes ten times as many; rates.long.test.ts simulates the other models of noise. */
const trials = 200;

/** One model of each kind: independent samples, states that both series share, serial correlation, and placement. */
const kinds = [
  'log-normal 1 %',
  'two clock states ±8 %, shared',
  'AR(1) 0.6 of 1 %, own series',
  'placement 1 % per instance',
];
const models = noiseModels.filter(({ name }) => kinds.includes(name));

it('simulates one model of each kind', () => expect(models.map(({ name }) => name)).toEqual(kinds));

describe.each(['decided', 'precise'] as const)('verdicts under noise of sessions that end when %s', (rule) => {
  it.each(models.map((model) => [model.name, model] as const))('hold their rates: %s', (_, model) => {
    expect(missed(ratesOf(model, { contestants: 1, rule }, trials, 7), trials, 3)).toEqual([]);
  });
});

it('verdicts on ten candidates hold their rates', () => {
  const [model] = models;
  if (model === undefined) throw new Error('no model of noise');
  expect(missed(ratesOf(model, { contestants: 10, rule: 'decided' }, trials, 7), trials, 3)).toEqual([]);
});
