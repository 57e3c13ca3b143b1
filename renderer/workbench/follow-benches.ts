/** Keeps the list of benchmarks and the progress of the one that measures in their store. */
import type { BenchInfo, Subject } from '../../electron/contract/bench/benches.ts';
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
        const justEnded = ended.filter(({ id }) => ['queued', 'running'].includes(before.get(id)?.state ?? ''));
        const subjectsOf = ({ subjects }: BenchInfo): readonly Subject[] => subjects.map(({ subject }) => subject);
        // A reloaded page offers the newest session of each workload again, in place of recorded rows.
        if (first) {
          const newest = new Map([...ended].reverse().map((bench) => [bench.workload, bench]));
          for (const bench of newest.values()) store.offer(bench.workload, subjectsOf(bench));
        }
        first = false;
        for (const bench of justEnded.reverse()) store.add(bench.workload, subjectsOf(bench));
        follow();
      },
    },
  );
}
