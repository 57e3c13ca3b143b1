import { describe, expect, it } from 'vitest';
import { type Advised, advice, paysFrom } from '../../../renderer/base/advice.ts';

const variant = (name: string, setup_s: number, time_s: number, more: Partial<Advised> = {}): Advised => ({
  ...{ name, setup_s, time_s, wall_s: setup_s + time_s, right: true, error: '', isReference: false, whole: null },
  ...more,
});

describe('the advice above a comparison', () => {
  // Steps 2.4 times as fast, and the whole run three times as long: what a user waits for decides.
  const window = variant('cuda-window', 0.02, 0.00384, { isReference: true });
  const depth = variant('cuda-depth', 0.0784, 0.0016);

  it('is by the whole run, and says from how many runs of one set-up on another takes less', () => {
    // (78.4 − 20) / (3.84 − 1.6) = 26.07.
    expect(paysFrom(window, depth)).toBe(27);
    expect(advice([window, depth])).toBe(
      'Use cuda-window here: a whole run takes 23.8 ms (steps are 16.1 % of it). ' +
        'cuda-depth takes less from 27 runs of one set-up on.',
    );
  });

  it('never names a wrong variant, however fast', () => {
    const wrong = variant('fast', 0, 1e-6, { right: false });
    expect(advice([window, depth, wrong])).not.toContain('fast');
    expect(advice([wrong, { ...wrong, name: 'faster' }])).toBeNull();
  });

  it('says how sure it is beside the reference', () => {
    const slow = variant('scatter', 0.01, 1, { isReference: true });
    const ratio = { value: 0.5, interval: { low: 0.4, high: 0.625 } };
    const told = (verdict: 'faster' | 'same' | 'undecided') =>
      advice([slow, variant('window', 0.01, 0.1, { error: 'relL2 1e-7', whole: { ratio, verdict } })]);
    expect(told('faster')).toContain(', relL2 1e-7; 2.00× (1.60–2.50) as fast as scatter in the whole run.');
    expect(told('undecided')).toContain('; beside scatter the whole run is undecided.');
    expect(told('same')).toContain('; its whole run takes as long as that of scatter.');
  });

  it('says nothing of a variant alone', () => {
    expect(advice([window])).toBeNull();
  });
});
