import { expect, it } from 'vitest';
import { claimsReport } from '../../../../electron/cli/reports/bench-parts.ts';
import type { TaskClaimResult } from '../../../../electron/contract/bench/claims.ts';

const claim = (id: string, values: TaskClaimResult['values']): TaskClaimResult => ({
  ...{ id, claim: `Claim ${id}`, from: 2, to: 10, source: 'A note, §1', reason: null },
  ...{ pairs: [{ slower: 'naive', faster: 'tiled', what: '', gain: null, verdict: 'not measured' }], values },
});

const value = (measured: number | null): TaskClaimResult['values'][number] => ({
  ...{ variant: 'tiled', what: 'time', value: measured, unit: 'µs' },
  verdict: measured === null ? 'not measured' : 'not judged',
});

const plain = (text: string): string => text;

it('shows the claims that a session measured, and counts the others', () => {
  const lines = claimsReport([claim('a', [value(3), value(null)]), claim('b', [value(null)]), claim('c', [])], plain);
  expect(lines).toHaveLength(4);
  expect(lines[2]).toMatch(/^Claim a +2–10 µs +3 µs/);
  expect(lines[3]).toBe('2 further claims about this workload were not measured here: braggbench claims');
});

it('says nothing of claims where a session measured none', () => {
  expect(claimsReport([claim('b', [value(null)])], plain)).toEqual([]);
});
