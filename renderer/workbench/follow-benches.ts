/** Keeps the list of benchmarks and the progress of the one that measures in their store. */
import type { BenchId } from '../../electron/contract/bench/benches.ts';
import type { Client, StreamHandle } from '../client/index.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import { activeBench, type ComparisonStore } from '../state/comparison.ts';

export function followBenches(client: Client, store: ComparisonStore, scheduler: FrameScheduler): void {
  let progressOf: BenchId | null = null;
  let progress: StreamHandle | null = null;

  const followActive = (): void => {
    const id = activeBench(store.getState())?.id ?? null;
    if (id === progressOf) return;
    progress?.close();
    progressOf = id;
    if (id === null) return;
    progress = client.stream(
      'bench.progress',
      { bench: id },
      {
        frame: (frame) => {
          store.setState((state) => ({ progress: { ...state.progress, [id]: frame } }));
          return scheduler.painted();
        },
      },
      { credits: 1 },
    );
  };

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
        followActive();
      },
    },
  );
}
