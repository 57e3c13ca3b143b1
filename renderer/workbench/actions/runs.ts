/**
 * Starts, stops, opens and saves runs. Asks before removing a result that is not in a file; short runs are removed
 * without a question.
 */
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { FileRef } from '../../../electron/contract/files.ts';
import { MIN_RECOVERED_RUN_MS } from '../../../electron/contract/recovery.ts';
import type { RunId, RunInfo } from '../../../electron/contract/run.ts';
import { scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import type { Params } from '../../../electron/contract/wire/methods.ts';
import { duration } from '../../../electron/domain/numbers.ts';
import { latestRequest } from '../../base/latest-request.ts';
import { hasResult, stoppableRun } from '../../state/runs.ts';
import { documentTitle, isEdited } from '../../state/scenario.ts';
import type { ActionContext } from './context.ts';
import { askAndSave, offerFile } from './save-file.ts';
import type { UserKernelActions } from './user-kernels.ts';

type Dialogs = ActionContext['stores']['dialogs'];

/** Asks about a result that is not in a file; null if the user cancels. */
async function ask(dialogs: Dialogs, title: string, text: string): Promise<'remove' | 'save' | null> {
  const answer = await dialogs.ask('confirm', {
    title,
    text,
    choices: [
      { id: 'remove', label: 'Remove', tone: 'danger' },
      { id: 'cancel', label: 'Cancel' },
      { id: 'save', label: 'Save…', tone: 'primary' },
    ],
  });
  return answer === 'remove' || answer === 'save' ? answer : null;
}

async function askRemoveRun(dialogs: Dialogs, run: RunInfo): Promise<'remove' | 'save' | null> {
  const { name, file, wall_s } = run;
  if (file !== null || !hasResult(run) || (wall_s ?? 0) * 1000 < MIN_RECOVERED_RUN_MS) return 'remove';
  return ask(
    dialogs,
    `Remove ${name} without saving?`,
    `It took ${duration(wall_s)}. Its result will be lost in all windows.`,
  );
}

export async function askRemoveBench(dialogs: Dialogs, bench: BenchInfo): Promise<'remove' | 'save' | null> {
  const { name, file, subjects } = bench;
  if (file !== null || subjects.length === 0) return 'remove';
  return ask(dialogs, `Remove ${name} without saving?`, 'Its times and samples will be lost in all windows.');
}

type RunExport = Params<'run.export'>['what'];

export interface RunActions {
  start(): Promise<void>;
  /** Stops the computing run, or the given one. */
  stop(run?: RunId): Promise<void>;
  /** Shows the run that the user chose. Late responses to earlier requests do not replace it. */
  show(run: RunId): void;
  /** Shows a run unless another one was requested. */
  offer(run: RunId): void;
  /** Removes a run from the list; asks first if a long result would be lost. */
  forget(run: RunInfo): Promise<void>;
  save(run: RunInfo): Promise<void>;
  /** Asks for the file to open. */
  open(): Promise<void>;
  openFile(file: FileRef, name: string): Promise<void>;
  openBytes(name: string, bytes: Uint8Array): Promise<void>;
  exportAs(run: RunId, what: RunExport): Promise<void>;
}

export function createRunActions(context: ActionContext, userKernels: UserKernelActions): RunActions {
  const { client, stores } = context;
  const { notices, runs, selection, scenario, dialogs } = stores;

  let untouched = true;
  const lastOne = latestRequest();
  const ask = (): (() => boolean) => {
    untouched = false;
    return lastOne();
  };

  function select(run: RunId): void {
    selection.setState({ run, pinned: null });
    stores.window.reset();
    stores.image.reset();
  }

  function show(run: RunId): void {
    ask();
    select(run);
  }

  async function openSource(name: string, source: Params<'run.open'>['source']): Promise<void> {
    const isLast = ask();
    try {
      const run = await client.call('run.open', { source });
      if (isLast()) select(run.id);
    } catch (error) {
      notices.fail(`${name} could not be opened`, error);
    }
  }

  const openBytes = (name: string, bytes: Uint8Array): Promise<void> =>
    openSource(name, { kind: 'bytes', name, bytes });

  async function save(run: RunInfo): Promise<void> {
    try {
      const named = await askAndSave(context, {
        purpose: 'save-run',
        title: 'Save run as',
        suggested: run.name.replace(/(\.task)?\.(json|ya?ml|h5)$/i, ''),
        extension: scenarioKinds[run.workload].runEnding,
        save: (file, ifExists) => client.call('run.save', { run: run.id, file, ifExists }),
      });
      if (named !== null) notices.show({ tone: 'success', title: `Saved ${named.name}` });
    } catch (error) {
      notices.fail('The run could not be saved', error);
    }
  }

  return {
    show,
    offer: (run) => {
      if (untouched) select(run);
    },
    openBytes,
    openFile: (file, name) => openSource(name, { kind: 'file', file }),
    async start() {
      const isLast = ask();
      scenario.endEdit();
      const state = scenario.getState();
      try {
        const file = state.file?.file ?? null;
        const name = documentTitle(state);
        const trace = stores.tracing.getState().on;
        const run = await userKernels.withTrust(() =>
          client.call('run.start', {
            scenario: state.draft,
            name,
            file,
            saved: isEdited(state) ? state.saved : null,
            trace,
          }),
        );
        if (run !== null && isLast()) select(run.id);
      } catch (error) {
        notices.fail('The run could not be started', error);
      }
    },
    async stop(run) {
      const id = run ?? stoppableRun(runs.getState())?.id;
      if (id === undefined) return;
      try {
        await client.call('run.cancel', { run: id });
      } catch (error) {
        notices.fail('The run could not be stopped', error);
      }
    },
    async forget(run) {
      const wanted = await askRemoveRun(dialogs, run);
      if (wanted === 'save') await save(run);
      if (wanted !== 'remove') return;
      try {
        await client.call('run.forget', { run: run.id });
        if (selection.getState().run === run.id) selection.setState({ run: null });
      } catch (error) {
        notices.fail('The run could not be removed from the list', error);
      }
    },
    save,
    async open() {
      if (stores.connection.getState().capabilities.shell.dialogs) {
        const { file } = await client.call('file.choose', { purpose: 'open-run', suggestedName: '' });
        if (file !== null) await openSource(file.name, { kind: 'file', file: file.file });
        return;
      }
      const picked = await stores.dialogs.ask('pick', { what: 'run' });
      if (picked?.kind === 'file') await openSource(picked.file.key, { kind: 'file', file: picked.file });
      else if (picked?.kind === 'local') {
        await openBytes(picked.file.name, new Uint8Array(await picked.file.arrayBuffer()));
      }
    },
    async exportAs(run, what) {
      try {
        await offerFile(context, await client.call('run.export', { run, what }));
      } catch (error) {
        notices.fail('Nothing was exported', error);
      }
    },
  };
}
