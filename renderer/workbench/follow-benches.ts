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

  client.stream(
    'benches',
    {},
    {
      frame: ({ benches }) => {
        const before = new Map(store.getState().live.map((bench) => [bench.id, bench]));
        store.setState({ live: benches });
        // What has just been measured is what the user wants to see.
        for (const { id, workload, state, subjects } of benches) {
          const ended = state === 'done' || state === 'cancelled';
          const was = before.get(id)?.state;
          if (ended && (was === 'queued' || was === 'running'))
            store.add(
              workload,
              subjects.map(({ subject }) => subject),
            );
        }
        follow();
      },
    },
  );
}
