/** The ladder of variants: which builds on which, and the gain of each step. No drawing. */
import { isUnproven, type Ratio } from '../../../electron/contract/bench/bench-session.ts';
import type { MeasuredSessionEntry, SessionReport } from '../../../electron/contract/bench/session.ts';

export function measuredEntries({ entries }: SessionReport): readonly MeasuredSessionEntry[] {
  return entries.filter((entry) => entry.status === 'measured');
}

/** Entries that are wrong or not checked are excluded: their speed is no gain. */
function rightEntries(report: SessionReport): readonly MeasuredSessionEntry[] {
  return measuredEntries(report).filter(({ verdict }) => !isUnproven(verdict));
}

/** The entry's chain of measured bases, the lowest first, itself last. */
export function chainOf(
  entry: MeasuredSessionEntry,
  entries: readonly MeasuredSessionEntry[],
): readonly MeasuredSessionEntry[] {
  const chain = [entry];
  for (;;) {
    const base = entries.find(({ label }) => label === chain[0]?.builds_on);
    if (base === undefined || chain.includes(base)) return chain;
    chain.unshift(base);
  }
}

/** From the lowest rung to the fastest correct variant that builds on another; empty where none does. */
export function fastestChain(report: SessionReport): readonly MeasuredSessionEntry[] {
  const right = rightEntries(report);
  const fastest = [...right].sort((a, b) => a.time_s - b.time_s);
  for (const entry of fastest) {
    const chain = chainOf(entry, right);
    if (chain.length > 1) return chain;
  }
  return fastest.slice(0, 1);
}

export interface Gain {
  readonly label: string;
  /** Variant that it builds on. */
  readonly base: string;
  /** Speed-up over the base. */
  readonly alone: Ratio;
  /** Speed-up over the lowest rung of its chain. */
  readonly together: Ratio;
  readonly root: string;
}

const inverted = ({ value, interval }: Ratio): Ratio => ({
  value: 1 / value,
  interval: interval && { low: 1 / interval.high, high: 1 / interval.low },
});

/** Every variant whose base was measured too, slowest first. */
export function gains(report: SessionReport): readonly Gain[] {
  const right = rightEntries(report);
  return right
    .flatMap((entry): Gain[] => {
      const chain = chainOf(entry, right);
      const [root, base] = [chain[0], chain.at(-2)];
      if (base === undefined || root === undefined || entry.rung === null) return [];
      const together = entry.cumulative ?? entry.rung;
      return [
        {
          label: entry.label,
          base: base.label,
          alone: inverted(entry.rung),
          together: inverted(together),
          root: root.label,
        },
      ];
    })
    .sort((a, b) => a.together.value - b.together.value);
}
