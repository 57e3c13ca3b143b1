/** Starting, stopping, opening and saving runs. */
import type { FileRef } from '../../electron/contract/files.ts';
import type { RunId, RunInfo } from '../../electron/contract/run.ts';
import { scenarioKinds } from '../../electron/contract/scenario/index.ts';
import type { Params } from '../../electron/contract/wire/methods.ts';
import { lastAsked } from '../base/last-asked.ts';
import { stoppableRun } from '../state/runs.ts';
import { documentTitle, isEdited } from '../state/scenario.ts';
import type { ActionContext } from './context.ts';
import { handOut } from './hand-out.ts';
import { askRemoveRun } from './removal.ts';
import { askAndSave } from './save-file.ts';
import type { UserKernelActions } from './user-kernels.ts';

type RunExport = Params<'run.export'>['what'];

export interface RunActions {
  start(): Promise<void>;
  /** Stops the run that computes, or the one given. */
  stop(run?: RunId): Promise<void>;
  /** Shows the run that the user chose. A late answer to an earlier request does not replace it. */
  show(run: RunId): void;
  /** Shows it if no other run was requested. */
  offer(run: RunId): void;
  /** Takes it off the list, and asks where a long result would be lost. */
  forget(run: RunInfo): Promise<void>;
  save(run: RunInfo): Promise<void>;
  /** Asks which file. */
  open(): Promise<void>;
  openFile(file: FileRef, name: string): Promise<void>;
  openBytes(name: string, bytes: Uint8Array): Promise<void>;
  exportAs(run: RunId, what: RunExport): Promise<void>;
}

export function createRunActions(context: ActionContext, userKernels: UserKernelActions): RunActions {
  const { client, stores } = context;
  const { notices, runs, selection, scenario, dialogs } = stores;

  let untouched = true;
  const lastOne = lastAsked();
  const ask = (): (() => boolean) => {
    untouched = false;
    return lastOne();
  };

  function put(run: RunId): void {
    selection.setState({ run, pinned: null });
    stores.window.reset();
    stores.image.reset();
  }

  function show(run: RunId): void {
    ask();
    put(run);
  }

  async function openSource(name: string, source: Params<'run.open'>['source']): Promise<void> {
    const isLast = ask();
    try {
      const run = await client.call('run.open', { source });
      if (isLast()) put(run.id);
    } catch (error) {
      notices.fail(`${name} was not opened`, error);
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
      if (named !== null) notices.tell({ tone: 'success', title: `Saved ${named.name}` });
    } catch (error) {
      notices.fail('The run was not saved', error);
    }
  }

  return {
    show,
    offer: (run) => {
      if (untouched) put(run);
    },
    openBytes,
    openFile: (file, name) => openSource(name, { kind: 'file', file }),
    async start() {
      const isLast = ask();
      scenario.settle();
      const state = scenario.getState();
      try {
        const file = state.file?.file ?? null;
        const name = documentTitle(state);
        const trace = stores.tracing.getState().on;
        const run = await userKernels.trusting(() =>
          client.call('run.start', {
            scenario: state.draft,
            name,
            file,
            saved: isEdited(state) ? state.saved : null,
            trace,
          }),
        );
        if (run !== null && isLast()) put(run.id);
      } catch (error) {
        notices.fail('The run did not start', error);
      }
    },
    async stop(run) {
      const id = run ?? stoppableRun(runs.getState())?.id;
      if (id === undefined) return;
      try {
        await client.call('run.cancel', { run: id });
      } catch (error) {
        notices.fail('The run was not stopped', error);
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
        notices.fail('The run was not removed from the list', error);
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
        await handOut(context, await client.call('run.export', { run, what }));
      } catch (error) {
        notices.fail('Nothing was exported', error);
      }
    },
  };
}
