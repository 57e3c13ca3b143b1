import { describe, expect, it } from 'vitest';
import { straysFromItself } from '../../../electron/contract/bench/bench-session.ts';
import { type Advised, advice, paysFrom, rightnessText } from '../../../renderer/base/advice.ts';
import { noiseText, noisyText } from '../../../renderer/base/measured.ts';

const variant = (name: string, setup_s: number, time_s: number, more: Partial<Advised> = {}): Advised => ({
  ...{ name, device: 'a GPU', setup_s, time_s, wall_s: setup_s + time_s, whole: null },
  ...{ right: true, error: '', isReference: false },
  ...more,
});

describe('the advice above a comparison', () => {
  // Steps 2.4 times as fast, and the whole run three times as long: what a user waits for decides.
  const window = variant('cuda-window', 0.02, 0.00384, { isReference: true });
  const depth = variant('cuda-depth', 0.0784, 0.0016);

  it('is by the whole run, and says from how many runs of one set-up on another takes less', () => {
    // (78.4 − 20) / (3.84 − 1.6) = 26.07.
    expect(paysFrom(window, depth)).toBe(27);
    expect(advice([window, depth], 'a beam')).toBe(
      'Use cuda-window on a GPU for a beam: none of the others takes less in the whole run ' +
        '(23.8 ms, of which steps are 16.1 %); cuda-depth is faster from 27 runs of one set-up on.',
    );
  });

  it('counts what each run takes to its answer in memory, and names the processor where that is used', () => {
    // In a session of an H200 the kernel takes 13 µs, and its image 1.7 ms until it is in memory.
    const cpu = variant('mixed', 0.001, 0.00108, { device: 'a CPU, 16 threads', wall_s: 0.00214, isReference: true });
    const quick = variant('cuda-constant', 0.00177, 0.0000135, { wall_s: 0.0035 });
    expect(paysFrom(cpu, quick)).toBeNull();
    expect(advice([cpu, quick], 'a crystal')).toBe(
      'Use mixed on a CPU, 16 threads for a crystal: none of the others takes less in the whole run ' +
        '(2.14 ms, of which steps are 50.5 %).',
    );
    // (1.83 − 1) / (1.14 − 0.68) = 1.8.
    expect(paysFrom(cpu, variant('cuda-fp64', 0.00183, 0.00002, { wall_s: 0.00251 }))).toBe(2);
  });

  it('never names a wrong variant, however fast', () => {
    const wrong = variant('fast', 0, 1e-6, { right: false });
    expect(advice([window, depth, wrong], 'a beam')).not.toContain('fast:');
    expect(advice([window, depth, wrong], 'a beam')).not.toContain('; fast');
    expect(advice([wrong, { ...wrong, name: 'faster' }], 'a beam')).toBeNull();
  });

  it('says how sure it is beside the reference', () => {
    const slow = variant('scatter', 0.01, 1, { isReference: true });
    const ratio = { value: 0.5, interval: { low: 0.4, high: 0.625 } };
    const told = (verdict: 'faster' | 'same' | 'undecided') =>
      advice([slow, variant('window', 0.01, 0.1, { error: 'relL2 1e-7', whole: { ratio, verdict } })], 'a beam');
    expect(told('faster')).toBe(
      'Use window on a GPU for a beam: 2.00× (1.60–2.50) as fast as scatter in the whole run ' +
        '(110 ms, of which steps are 90.9 %), relL2 1e-7.',
    );
    expect(told('undecided')).toContain(
      'Perhaps window on a GPU for a beam: it takes least, but beside scatter the whole run is undecided (',
    );
    expect(told('same')).toContain(': its whole run takes as long as that of scatter (');
  });

  it('says that it goes by medians alone where nothing more was recorded', () => {
    const slow = variant('scatter', 0, 0.22, { isReference: true });
    expect(advice([slow, variant('window', 0.01, 0.1)], 'a beam')).toContain(
      '2.00× as fast as scatter in the whole run, by medians',
    );
  });

  it('says nothing of a variant alone', () => {
    expect(advice([window], 'a beam')).toBeNull();
  });
});

describe('how right the one is that is advised', () => {
  const measure = { tip: '', unit: '', bound: null };
  const error = { ...measure, id: 'relL2', title: 'relL2', value: 1.2e-7, holds: true };

  it('is told by its first measure, and by a ledger that closes', () => {
    const ledger = { ...measure, id: 'ledger', title: 'Ledger', value: 1e-9, holds: true };
    expect(rightnessText([error, ledger])).toBe('relL2 1.2×10⁻⁷, ledger closed');
    expect(rightnessText([error, { ...ledger, holds: false }])).toBe('relL2 1.2×10⁻⁷');
    expect(rightnessText([{ ...error, value: null }])).toBe('');
  });
});

describe('the noise of a session', () => {
  const quiet = { ratio: { value: 1.004, interval: { low: 0.99, high: 1.018 } }, floor: 0.003 };
  // A loaded machine: the floor ends at its cap, 2 % on the logarithm.
  const noisy = { ratio: { value: 0.9, interval: { low: 0.696, high: 1.165 } }, floor: Math.expm1(0.02) };

  it('is what was measured, not the cap of the floor', () => {
    expect(noiseText(quiet)).toBe('A/A 1.00× (0.990–1.02); differences below 0.30 % count as noise');
    expect(noiseText(noisy)).toBe(
      'A/A 0.900× (0.696–1.17): too noisy for small differences; differences below 2.02 % count as noise, which is the highest floor',
    );
    expect(noiseText({ ratio: null, floor: null })).toBe('unknown: too few rounds');
    expect(noiseText({ ratio: { value: 0.98, interval: null }, floor: null })).toBe(
      'A/A 0.980×: too few rounds for verdicts',
    );
  });

  it('is told first where the reference differs from itself', () => {
    expect(noisyText(quiet)).toBe('');
    expect(noisyText(noisy)).toBe(
      'This machine was noisy: the reference against itself (A/A) gave 0.900× (0.696–1.17), so repeat this on an idle one. ',
    );
  });

  it.each([
    ['more than 2 % to either side', { value: 1.021, interval: { low: 0.9, high: 1.2 } }, 0.001, true],
    ['at most 2 %', { value: 1.0199, interval: { low: 0.9, high: 1.2 } }, 0.001, false],
    ['a little, and surely', { value: 1.01, interval: { low: 1.002, high: 1.018 } }, 0.001, true],
    ['so far that the floor is at its cap', { value: 1, interval: { low: 0.9, high: 1.1 } }, Math.expm1(0.02), true],
    ['by an unknown amount', { value: 1.5, interval: null }, null, false],
  ])('strays where the A/A is off by %s: %j', (_, ratio, floor, strays) => {
    expect(straysFromItself({ ratio, floor })).toBe(strays);
  });
});
