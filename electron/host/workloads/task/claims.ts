/** Published claims beside what a bench of tasks gave. */
import type { TaskClaimResult } from '../../../contract/claims.ts';
import type { TaskEntry } from '../../../contract/task-bench.ts';
import { claimResults, judgeClaim, type TaskClaim, type TimesOf } from '../../bench/claims.ts';

function measured(entries: readonly TaskEntry[], variant: string) {
  const entry = entries.find(({ label }) => label === variant);
  return entry?.status !== 'measured' || entry.verdict === 'wrong' ? null : entry;
}

function timesIn(entries: readonly TaskEntry[]): TimesOf {
  return ({ variant, mode }) => {
    const entry = measured(entries, variant);
    if (entry === null) return [];
    const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
    return samples.map(({ time_s }) => time_s);
  };
}

export function taskClaims(
  claims: readonly TaskClaim[],
  entries: readonly TaskEntry[],
  seed: number,
): TaskClaimResult[] {
  return claims.flatMap(({ where: _, values, ...claim }) =>
    claimResults([claim], timesIn(entries), seed).map((result) => ({
      ...result,
      values: values.map(({ variant, quantity, what }) => {
        const found = measured(entries, variant)?.quantities.find(({ id }) => id === quantity);
        const value = found?.value ?? null;
        const range = value === null ? null : { low: value, high: value };
        return { variant, what, value, unit: found?.unit ?? '', verdict: judgeClaim(range, claim) };
      }),
    })),
  );
}
