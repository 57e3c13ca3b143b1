/** Keeps the list of benchmarks and the progress of the one that measures in their store. */
import type { Client } from '../client/index.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import { activeBench, type ComparisonStore } from '../state/comparison.ts';
import { followActive } from './follow-active.ts';

export function followBenches(client: Client, store: ComparisonStore, scheduler: FrameScheduler): void {
  const follow = followActive(
    () => activeBench(store.getState())?.id ?? null,
    (bench) =>
      client.stream(
        'bench.progress',
        { bench },
        {
          frame: (frame) => {
            store.setState((state) => ({ progress: { ...state.progress, [bench]: frame } }));
            return scheduler.painted();
          },
        },
        { credits: 1 },
      ),
  );

  let first = true;
  client.stream(
    'benches',
    {},
    {
      frame: ({ benches }) => {
        const before = new Map(store.getState().live.map((bench) => [bench.id, bench]));
        store.setState({ live: benches });
        const ended = benches.filter(({ state }) => state === 'done' || state === 'cancelled');
        // A page that was reloaded shows the newest session of each workload again, instead of recorded rows.
        const newest = first ? new Map([...ended].reverse().map((bench) => [bench.workload, bench])) : null;
        first = false;
        for (const bench of [...ended].reverse()) {
          const was = before.get(bench.id)?.state;
          // A session that has just ended is shown.
          if (was !== 'queued' && was !== 'running' && newest?.get(bench.workload) !== bench) continue;
          store.add(
            bench.workload,
            bench.subjects.map(({ subject }) => subject),
          );
        }
        follow();
      },
    },
  );
}
