/** Keeps the list of runs and the progress of the one that computes in their store, and the feeds at the selected run. */
import type { Client } from '../client/index.ts';
import type { RunFollower } from '../data/feed.ts';
import type { ReferenceFeed } from '../data/reference-feed.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import { activeRun, hasResult, type RunsStore, runOf } from '../state/runs.ts';
import type { SelectionStore } from '../state/selection.ts';
import type { TimelinesStore } from '../state/timelines.ts';
import { followActive } from './follow-active.ts';

/** Keeps the list of timelines as the host has it. */
export function followTimelines(client: Client, timelines: TimelinesStore): void {
  client.stream('timelines', {}, { frame: (frame) => timelines.listed(frame.timelines) });
}

export function followRuns(
  client: Client,
  runs: RunsStore,
  selection: SelectionStore,
  followers: readonly { readonly workload: string; readonly feed: RunFollower }[],
  reference: ReferenceFeed,
  scheduler: FrameScheduler,
): void {
  const follow = followActive(
    () => activeRun(runs.getState())?.id ?? null,
    (run) =>
      client.stream(
        'run.progress',
        { run },
        {
          frame: (frame) => {
            runs.setState((state) => ({ progress: { ...state.progress, [run]: frame } }));
            return scheduler.painted();
          },
        },
        { credits: 1 },
      ),
  );
  const followSelected = (): void => {
    const run = runOf(runs.getState(), selection.getState().run);
    for (const { workload, feed } of followers) {
      const target = run && { run: run.id, state: run.state, kept: hasResult(run), live: run.live === true };
      feed.follow(run?.workload === workload ? target : null);
    }
    // Answers of Live include their scenario.
    reference.follow(run === null || run.live === true ? null : run.id);
  };

  client.stream(
    'runs',
    {},
    {
      frame: (frame) => {
        const newestFirst = [...frame.runs].sort((a, b) => b.created.localeCompare(a.created));
        const live = newestFirst.filter((run) => run.live === true);
        runs.setState({ runs: newestFirst.filter((run) => run.live !== true), live, listed: true });
      },
    },
  );
  runs.subscribe((state, before) => {
    if (state.runs === before.runs) return;
    follow();
    followSelected();
  });
  selection.subscribe((state, before) => {
    if (state.run !== before.run) followSelected();
  });
}
