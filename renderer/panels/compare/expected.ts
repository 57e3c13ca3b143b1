/** What a benchmark is likely to take, and which variants fit into the time that it may. */
import { useEffect, useState } from 'react';
import type { ExpectedTime, FactorialChoice } from '../../../electron/contract/bench/benches.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { tickTime } from '../../base/measured.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** Typing is over when it has paused this long. */
const PAUSE_MS = 300;

export interface Expected {
  /** By variant; empty until the host has answered, and for a scenario with errors. */
  readonly times: ReadonlyMap<string, ExpectedTime>;
  readonly factorials: readonly FactorialChoice[];
}

const nothing: Expected = { times: new Map(), factorials: [] };

export function useExpected(): Expected {
  const { client, stores } = useWorkbench();
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const file = useSelected(stores.scenario, (state) => state.file?.file ?? null);
  // A session that has ended says more than was known before.
  const ended = useSelected(stores.comparison, ({ live }) => live.filter(({ state }) => state === 'done').length);
  const [expected, setExpected] = useState<Expected>(nothing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when a session has ended
  useEffect(() => {
    let current = true;
    const ask = (): void => {
      client.call('bench.expected', { scenario: draft, file }).then(
        ({ times, factorials }) =>
          current && setExpected({ times: new Map(times.map((one) => [one.variant, one])), factorials }),
        () => current && setExpected(nothing),
      );
    };
    const later = setTimeout(ask, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(later);
    };
  }, [client, draft, file, ended]);
  return expected;
}

/** Beside a variant's box. */
export function expectedText(time: ExpectedTime | undefined): string {
  if (time === undefined) return '';
  const { run_s, like, right } = time;
  const about = run_s === null ? 'time not known' : `about ${tickTime(Number(run_s.toPrecision(2)))} a run`;
  return [
    about,
    ...(run_s !== null && like !== null ? [`as on ${like}`] : []),
    ...(right ? [] : ['its answer is wrong']),
  ].join(', ');
}

/** Each variant's first run, as few rounds as say anything, and as many processes. */
const RUNS_OF_EACH = 1 + 5 + 5;
/** The reference once more in each: the control. */
const FURTHER_OF_REFERENCE = 5 + 5;

/** Seconds that a session of these variants takes at least, the reference first. */
export function leastSession_s(runs_s: readonly number[]): number {
  const [reference = 0] = runs_s;
  return RUNS_OF_EACH * runs_s.reduce((sum, one) => sum + one, 0) + FURTHER_OF_REFERENCE * reference;
}

/**
 * Every right variant whose time is known, the quick ones first while all of them fit into `budget_s`; in the order of
 * the ladder.
 */
export function suggestedVariants(
  variants: readonly Pick<Variant, 'id' | 'available'>[],
  times: ReadonlyMap<string, ExpectedTime>,
  budget_s: number,
): readonly string[] {
  const known = variants.flatMap(({ id, available }) => {
    const time = times.get(id);
    return available && time?.right === true && time.run_s !== null ? [{ id, run_s: time.run_s }] : [];
  });
  const inOrder = (ids: ReadonlySet<string>) => known.filter(({ id }) => ids.has(id));
  const chosen = new Set<string>();
  for (const { id } of [...known].sort((a, b) => a.run_s - b.run_s)) {
    const further = inOrder(new Set([...chosen, id])).map(({ run_s }) => run_s);
    if (leastSession_s(further) <= budget_s) chosen.add(id);
  }
  return inOrder(chosen).map(({ id }) => id);
}
