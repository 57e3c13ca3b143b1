/** Which of the measurements is shown. */
import { useState } from 'react';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import type { StoredTask } from '../../../electron/contract/task.ts';
import { SHOWN } from '../../data/run-data.ts';
import { TaskFeed } from '../../data/task-feed.ts';
import { runOf } from '../../state/runs.ts';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { useOpened, useStored } from './sources.ts';

/** The choice of the selected run, rather than a kept session. */
const RUN = 'run';

const storedText = ({ name, machine, recorded }: StoredTask): string =>
  `${name} (${machine}, ${recorded ? 'recorded' : 'saved'})`;

/** Until a person chooses: the selected run, or what was measured with the scenario's benchmark. */
export function useMeasurements() {
  const { stores, feeds } = useWorkbench();
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const kind = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  const name = useSelected(stores.scenario, (state) => state.draft['name']);
  const resolved = useSelected(stores.scenario, (state) => state.lastResolved);
  const measured = useCached(feeds.of(TaskFeed).session, SHOWN);
  const all = useStored(run?.workload ?? kind);
  const bench = resolved !== null && 'bench' in resolved ? resolved.bench : '';
  // What is about the scenario's own benchmark comes first.
  const near = (one: StoredTask): number => Number(one.bench === bench) + Number(one.scenario === name);
  const stored = [...all].sort((a, b) => near(b) - near(a));
  const [wanted, setWanted] = useState<string | null>(null);
  const known = wanted !== null && (wanted === RUN ? run !== null : all.some(({ id }) => id === wanted));
  const usual = run === null ? (stored.find((one) => one.bench === bench)?.id ?? null) : RUN;
  const chosen = known ? wanted : usual;
  const opened = useOpened(chosen === RUN ? null : chosen);
  const kept = opened.kind === 'session' ? opened.session : null;
  const session = chosen === RUN ? (measured?.session ?? null) : kept;
  const options = [
    ...(run === null ? [] : [{ value: RUN, label: `${run.name} (this run)` }]),
    ...stored.map((one) => ({ value: one.id, label: storedText(one) })),
  ];
  // A run that is a measurement is a session of its own.
  const benchId = chosen === RUN ? (run === null ? null : `run~${run.id}`) : chosen;
  return { run, options, chosen, choose: setWanted, opened, session, benchId, isRun: chosen === RUN };
}
