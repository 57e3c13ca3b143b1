import { expect, test } from 'vitest';
import { gateRates, type KeptGate } from '../../../electron/build/figures/gate.ts';

const gate = (verdict: string): KeptGate => ({ code: 0, verdict, reason: null, floor: 0.01, ratios: [] });

test('counts the verdicts of unchanged and of slower code', () => {
  expect(gateRates(null)).toMatch(/^Not recorded yet\./);
  const text = gateRates({
    ...{
      measured: '2026-11-28T22:00:00.000Z',
      machine: 'A processor',
      cores: 2,
      load: 3.5,
      seconds: 60,
      n: 1,
      took_s: 9,
    },
    series: [
      { slower: 0, gates: [gate('not slower'), gate('undecided')] },
      { slower: 0.05, gates: [gate('slower'), gate('slower'), gate('undecided')] },
    ],
  });
  const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  expect(rows[2]).toEqual(['', 'unchanged', '2', '0', '1', '1', '']);
  expect(rows[3]).toEqual(['', '5.00 % slower', '3', '2', '1', '0', '']);
  expect(text).toContain('A processor, 2 cores, 3.50 processes running on average, 60.0 s a gate, 2026-11-28');
});
