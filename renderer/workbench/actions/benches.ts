/** Starts, stops, opens and saves benchmarks. */

import type { Mode } from '../../../electron/contract/bench/bench-session.ts';
import type { BenchId, BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { BenchOptions } from '../../../electron/contract/bench/options.ts';
import type { FileRef } from '../../../electron/contract/files.ts';
import type { Params } from '../../../electron/contract/wire/methods.ts';
import { activeBench, benchOf } from '../../state/comparison.ts';
import { documentTitle } from '../../state/scenario.ts';
import type { ActionContext } from './context.ts';
import { askRemoveBench } from './runs.ts';
import { askAndSave } from './save-file.ts';
import type { UserKernelActions } from './user-kernels.ts';

interface BenchOrder extends Partial<BenchOptions> {
  /** Labels of variants, the reference first. */
  readonly variants: readonly string[];
  /** Ids of external programs. */
  readonly external: readonly string[];
  readonly modes: readonly Mode[];
  /** Swept parameter with its values; null for a single size. */
  readonly sweep: { readonly path: string; readonly values: readonly number[] } | null;
}

export interface BenchActions {
  /** Measures the scenario being edited. Returns null if the benchmark did not start. */
  start(order: BenchOrder): Promise<BenchInfo | null>;
  /** Stops the running session; completed rounds are retained. */
  stop(): Promise<void>;
  /** Reloads the list of stored sessions. */
  refresh(): Promise<void>;
  /** Adds the variants of a report in a stored session to the comparison, and shows it. */
  compare(bench: BenchId, report: number): Promise<void>;
  /** Opens a session, chosen in the native dialog if there is one. */
  open(): Promise<void>;
  /** Returns null if the file was not opened. */
  openFile(file: FileRef, name: string): Promise<BenchInfo | null>;
  openText(name: string, text: string): Promise<BenchInfo | null>;
  save(bench: BenchInfo): Promise<void>;
  /** Removes a session from the list; asks first if its samples would be lost. */
  forget(bench: BenchInfo): Promise<void>;
}

export function createBenchActions(context: ActionContext, userKernels: UserKernelActions): BenchActions {
  const { client, stores } = context;
  const { notices, scenario, comparison, dialogs } = stores;

  async function refresh(): Promise<void> {
    try {
      const { benches } = await client.call('bench.list', {});
      comparison.setState({ stored: benches.filter(({ state }) => state === 'stored'), listed: true });
    } catch (error) {
      notices.fail('The list of benchmarks could not be read', error);
    }
  }

  async function openSource(name: string, source: Params<'bench.open'>['source']): Promise<BenchInfo | null> {
    try {
      const bench = await client.call('bench.open', { source });
      await refresh();
      comparison.add(
        bench.workload,
        bench.subjects.map(({ subject }) => subject),
      );
      stores.layout.reveal('compare');
      notices.show({ tone: 'success', title: `Opened ${bench.name}`, text: 'Its variants are in the comparison.' });
      return bench;
    } catch (error) {
      notices.fail(`${name} could not be opened`, error);
      return null;
    }
  }

  async function compare(id: BenchId, report: number): Promise<void> {
    await refresh();
    const bench = benchOf(comparison.getState(), id);
    if (bench === null) {
      notices.show({ tone: 'warning', title: 'This session no longer exists', text: 'It or its file was removed.' });
      return;
    }
    comparison.add(
      bench.workload,
      bench.subjects.flatMap(({ subject }) => (subject.kind !== 'run' && subject.report === report ? [subject] : [])),
    );
    comparison.setState({ tableWanted: true });
    stores.layout.reveal('compare');
  }

  async function save(bench: BenchInfo): Promise<void> {
    try {
      const named = await askAndSave(context, {
        purpose: 'export',
        title: 'Save benchmark as',
        suggested: bench.name.replaceAll(':', ''),
        extension: '.session.json',
        save: (file, ifExists) => client.call('bench.save', { bench: bench.id, file, ifExists }),
      });
      if (named === null) return;
      notices.show({ tone: 'success', title: `Saved ${named.name}` });
      await refresh();
    } catch (error) {
      notices.fail('The benchmark could not be saved', error);
    }
  }

  return {
    refresh,
    async start({ variants, external, modes, sweep, ...limits }) {
      scenario.endEdit();
      const state = scenario.getState();
      try {
        const order: Params<'bench.start'> = {
          scenario: state.draft,
          name: documentTitle(state),
          file: state.file?.file ?? null,
          variants: [...variants],
          external: [...external],
          modes: [...modes],
          sweep: sweep === null ? null : { path: sweep.path, values: [...sweep.values] },
          ...limits,
        };
        return await userKernels.withTrust(() => client.call('bench.start', order));
      } catch (error) {
        notices.fail('The benchmark could not be started', error);
        return null;
      }
    },
    async stop() {
      const bench = activeBench(comparison.getState())?.id;
      if (bench === undefined) return;
      try {
        await client.call('bench.cancel', { bench });
      } catch (error) {
        notices.fail('The benchmark could not be stopped', error);
      }
    },
    compare,
    async open() {
      const { file } = await client.call('file.choose', { purpose: 'open-session', suggestedName: '' });
      if (file !== null) await openSource(file.name, { kind: 'file', file: file.file });
    },
    openFile: (file, name) => openSource(name, { kind: 'file', file }),
    openText: (name, text) => openSource(name, { kind: 'text', name, text }),
    save,
    async forget(bench) {
      const wanted = await askRemoveBench(dialogs, bench);
      if (wanted === 'save') await save(bench);
      if (wanted !== 'remove') return;
      try {
        await client.call('bench.forget', { bench: bench.id });
        const keys = comparison
          .getState()
          .chosen.filter(({ subject }) => subject.kind !== 'run' && subject.bench === bench.id)
          .map(({ key }) => key);
        comparison.remove(keys);
      } catch (error) {
        notices.fail('The benchmark could not be removed', error);
      }
    },
  };
}
