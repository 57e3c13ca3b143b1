import { describe, expect, it } from 'vitest';
import { missedTargets, noiseModels, ratesOf } from '../../../../bench/verdicts/simulate.ts';

/** Number of simulated sessions. `npm run bench -- verdicts` simulates ten times as many. */
const trials = 200;

describe.each(['decided', 'precise'] as const)('verdicts under noise, for sessions that end when %s', (rule) => {
  it.each(noiseModels.map((model) => [model.name, model] as const))('keep their error rates: %s', (_, model) => {
    expect(missedTargets(ratesOf(model, { candidates: 1, rule }, trials, 7), trials, 3)).toEqual([]);
  });

  it('keep their error rates for ten candidates', () => {
    const [model] = noiseModels;
    if (model === undefined) throw new Error('no model of noise');
    expect(missedTargets(ratesOf(model, { candidates: 10, rule }, trials, 7), trials, 3)).toEqual([]);
  });
});
