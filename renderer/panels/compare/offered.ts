/** What stands in the table at first sight: a session that came with the program, until something is measured here. */
import { useEffect, useRef } from 'react';
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import { activeBench, shownRows } from '../../state/comparison.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { CompareStore } from './store.ts';
import { type Benched, useScenarioBench } from './variants.ts';

/**
 * The one with the most rows of those with the scenario's name, else of its benchmark; of the same day's the one that was
 * recorded first. Null where there is none.
 */
export function sessionToOffer(
  stored: readonly BenchInfo[],
  { workload, bench }: Benched,
  scenario: string,
): BenchInfo | null {
  const fitting = stored.filter(
    (one) => one.recorded && one.workload === workload && one.bench === bench && one.sweep === null,
  );
  const named = fitting.filter((one) => one.scenario === scenario);
  const among = named.length === 0 ? fitting : named;
  return among.reduce<BenchInfo | null>(
    (most, one) => (most === null || one.subjects.length >= most.subjects.length ? one : most),
    null,
  );
}

/** Shows the table then, unless `choseView`: a view that the user has chosen stays. */
export function useOffered(store: CompareStore, choseView: Readonly<{ current: boolean }>): void {
  const { stores, benches } = useWorkbench();
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const active = useSelected(stores.comparison, activeBench);
  const rows = useSelected(stores.comparison, shownRows);
  const shown = useSelected(stores.comparison, (state) => state.workload);
  const offered = useSelected(stores.comparison, (state) => state.offered);
  const name = useSelected(stores.scenario, ({ draft }) => (typeof draft['name'] === 'string' ? draft['name'] : ''));
  const place = useScenarioBench();
  const opened = useRef(false);
  useEffect(() => void benches.refresh(), [benches]);
  useEffect(() => {
    if (active !== null || rows.length > 0 || place.workload !== shown || offered.includes(shown)) return;
    const session = sessionToOffer(stored, place, name);
    if (session === null) return;
    stores.comparison.offer(
      shown,
      session.subjects.map(({ subject }) => subject),
    );
    if (!(opened.current || choseView.current) && store.getState().view === 'choose') store.setState({ view: 'table' });
    opened.current = true;
  }, [stores, store, stored, active, rows, shown, offered, place, name, choseView]);
}
