/** Small measured workloads in the page: one shape for every kind of them. */
import type { TaskKind } from '../../../electron/contract/scenario/kinds.ts';
import type { TaskProgress, TaskResolved } from '../../../electron/contract/task.ts';
import { count } from '../../base/numbers.ts';
import { TaskFeed } from '../../data/task-feed.ts';
import type { PageWorkload } from '../../workbench/workload.ts';
import { TaskResults } from './results.tsx';

export function taskWorkload(kind: TaskKind) {
  return {
    panels: ['results'],
    mainPanel: 'results',
    feed: (feeds) => feeds.of(TaskFeed).of(kind),
    words: ({ phase, what, round }: TaskProgress) =>
      phase === 'rounds' ? [`round ${round + 1}`, what] : [phase, what],
    progress: ({ phase, what, round, rounds }: TaskProgress) => [
      { name: 'Now', value: phase },
      { name: 'Variant', value: what },
      { name: 'Round', value: count(round), title: `At most ${rounds}: it ends when the ratios are known` },
    ],
    facts: ({ title, available, variants }: TaskResolved) => [
      { name: 'Measures', value: title },
      { name: 'Variants', value: `${available} of ${variants.length}`, title: 'That this machine can run' },
    ],
    Results: TaskResults,
    plane: null,
    Extra: null,
  } satisfies PageWorkload<TaskKind>;
}
