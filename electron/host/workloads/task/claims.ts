/** Published claims beside what a bench of tasks gave. */
import { judgeClaim, type TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { TaskEntry } from '../../../contract/bench/task-bench.ts';
import { claimResults, keptInstances, notMeasured, type TaskClaim, type TimesOf } from '../../model/bench/claims.ts';

function measured(entries: readonly TaskEntry[], variant: string) {
  const entry = entries.find(({ label }) => label === variant);
  return entry?.status === 'measured' ? entry : null;
}

function timesIn(entries: readonly TaskEntry[]): TimesOf {
  return ({ variant, mode, clock }) => {
    const entry = measured(entries, variant);
    // Prepared once: there is no whole run.
    if (entry === null || clock !== 'counted') return notMeasured;
    const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
    return { times: keptInstances(samples, ({ time_s }) => time_s), wrong: entry.verdict === 'wrong' };
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
        const entry = measured(entries, variant);
        const found = entry?.verdict === 'wrong' ? undefined : entry?.quantities.find(({ id }) => id === quantity);
        const value = found?.value ?? null;
        // A number that a variant states of itself has no interval: it is taken as it is.
        const stated = value === null ? null : { value, interval: { low: value, high: value } };
        return { variant, what, value, unit: found?.unit ?? '', verdict: judgeClaim(stated, claim) };
      }),
    })),
  );
}
