/** Expected run time of each variant of the scenario, and the factorial sets of variants. */
import { useEffect, useState } from 'react';
import type { ExpectedTime, FactorialChoice } from '../../../electron/contract/bench/benches.ts';
import { formatTickTime } from '../../../electron/domain/measured.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** Pause in ms after which typing counts as finished. */
const PAUSE_MS = 300;

export interface ExpectedTimes {
  /** Expected times by variant. Empty until the host has responded, and for a scenario with errors. */
  readonly times: ReadonlyMap<string, ExpectedTime>;
  readonly factorials: readonly FactorialChoice[];
  /** False before the host's first response: until then it is unknown which variants fit into the time. */
  readonly known: boolean;
}

const unknownTimes: ExpectedTimes = { times: new Map(), factorials: [], known: false };
const noTimes: ExpectedTimes = { ...unknownTimes, known: true };

export function useExpectedTimes(): ExpectedTimes {
  const { client, stores } = useWorkbench();
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const file = useSelected(stores.scenario, (state) => state.file?.file ?? null);
  // A finished session improves the estimates.
  const ended = useSelected(stores.comparison, ({ live }) => live.filter(({ state }) => state === 'done').length);
  const [expected, setExpected] = useState<ExpectedTimes>(unknownTimes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: requested again when a session has ended
  useEffect(() => {
    let current = true;
    const ask = (): void => {
      client.call('bench.expected', { scenario: draft, file }).then(
        ({ times, factorials }) =>
          current && setExpected({ times: new Map(times.map((one) => [one.variant, one])), factorials, known: true }),
        () => current && setExpected(noTimes),
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

/** Label next to a variant's checkbox. */
export function expectedText(time: ExpectedTime | undefined): string {
  if (time === undefined) return '';
  const { run_s, like, right, reason } = time;
  if (reason !== undefined) return reason;
  const about = run_s === null ? 'time not known' : `about ${formatTickTime(Number(run_s.toPrecision(2)))} per run`;
  return [
    about,
    ...(run_s !== null && like !== null ? [`as on ${like}`] : []),
    ...(right ? [] : ['its result is wrong']),
  ].join(', ');
}
