/** Which sessions a page shows: those that end while it watches, and after a reload the newest of each workload. */
import { expect, it } from 'vitest';
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { Client } from '../../../renderer/client/index.ts';
import { createComparisonStore } from '../../../renderer/state/comparison.ts';
import { followBenches } from '../../../renderer/workbench/follow-benches.ts';

type Benches = { readonly benches: readonly BenchInfo[] };

const bench = (id: string, state: BenchInfo['state'], workload: BenchInfo['workload'] = 'transport'): BenchInfo =>
  ({
    id,
    state,
    workload,
    subjects: [{ subject: { kind: 'entry', bench: id, report: 0, label: 'window' }, title: 'window' }],
  }) as unknown as BenchInfo;

function page() {
  let send: (frame: Benches) => void = () => undefined;
  const stream = (name: string, _params: object, { frame }: { readonly frame: (frame: Benches) => void }) => {
    if (name === 'benches') send = frame;
    return { close: () => undefined };
  };
  const store = createComparisonStore();
  followBenches({ stream } as unknown as Client, store, { painted: async () => undefined } as never);
  const rows = () =>
    store.getState().chosen.map(({ subject }) => (subject.kind === 'run' ? subject.run : subject.bench));
  return { send: (benches: readonly BenchInfo[]) => send({ benches }), rows, store };
}

it('shows a reloaded page the newest session of each workload, and its comparison stays with the scenario', () => {
  const { send, rows, store } = page();
  // Newest first, as the host lists them.
  send([bench('c', 'cancelled', 'diffraction'), bench('b', 'done'), bench('a', 'done'), bench('failed', 'failed')]);
  expect(rows()).toEqual(['b', 'c']);
  expect(store.getState().workload).toBe('transport');
});

it('shows a session when it ends, in place of the one that a reloaded page shows', () => {
  const { send, rows } = page();
  send([bench('new', 'running'), bench('old', 'done')]);
  expect(rows()).toEqual(['old']);
  send([bench('new', 'done'), bench('old', 'done')]);
  expect(rows()).toEqual(['new']);
  send([bench('recovered', 'done'), bench('new', 'done'), bench('old', 'done')]);
  expect(rows()).toEqual(['new']);
});
