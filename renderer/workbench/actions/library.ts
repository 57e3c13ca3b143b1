/** Operations on library files: open, label, compare with the form, move to the trash and restore. */
import type { FileRef, LibraryItem } from '../../../electron/contract/files.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/workload.ts';
import { documentTitle } from '../../state/scenario.ts';
import type { BenchActions } from './benches.ts';
import type { ActionContext } from './context.ts';
import type { DocumentActions } from './document.ts';
import type { RunActions } from './runs.ts';
import type { UserKernelActions } from './user-kernels.ts';

/** Maximum length of a listing. */
const MAX_EXAMPLES = 500;

export interface LibraryActions {
  open(item: LibraryItem): Promise<void>;
  /** `known`: tags in use, as suggestions. */
  label(item: LibraryItem, known: readonly string[]): Promise<void>;
  /** Shows the differences between the form and a library file. */
  compareWithDraft(item: LibraryItem): Promise<void>;
  /** Shows the differences between the form and the file it was opened from. */
  compareWithSaved(): Promise<void>;
  trash(item: LibraryItem): Promise<void>;
  restore(item: LibraryItem): Promise<void>;
  rebuild(): Promise<void>;
  chooseFolder(): Promise<void>;
  /** Lists the shipped examples for the palette; cached. */
  listExamples(): Promise<void>;
}

interface FileOpeners {
  readonly documents: DocumentActions;
  readonly runs: RunActions;
  readonly benches: BenchActions;
  readonly userKernels: Pick<UserKernelActions, 'refresh'>;
}

export function createLibraryActions(context: ActionContext, openers: FileOpeners): LibraryActions {
  const { client, stores } = context;
  const { notices, dialogs, scenario } = stores;

  async function attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      notices.fail(failure, error);
    }
  }

  /** Scenario document in a file: of a scenario, or of the scenario in a run. */
  async function documentIn(file: FileRef, item: Pick<LibraryItem, 'kind' | 'fileName'>): Promise<ScenarioDraft> {
    if (item.kind === 'scenario') {
      const { draft } = await client.call('scenario.open', { file });
      if (draft === null) throw new Error(`${item.fileName} is not a readable scenario.`);
      return draft;
    }
    const run = await client.call('run.open', { source: { kind: 'file', file } });
    const { scenario: draft } = await client.call('run.scenario', { run: run.id });
    await client.call('run.forget', { run: run.id });
    return draft;
  }

  /**
   * Opens a kernel from the library's folder in the editor. A kernel in another folder belongs to the scenario next to
   * it.
   */
  async function openKernel({ fileName }: LibraryItem): Promise<void> {
    await openers.userKernels.refresh();
    const stem = fileName.replace(/\.json$/, '');
    const found = stores.userKernels.getState().variants.find(({ id }) => id.replace(/\.(cu|cpp)$/, '') === stem);
    if (found === undefined) {
      const text = 'Open the scenario in its folder first: the editor shows the kernels next to the open scenario.';
      notices.show({ tone: 'warning', title: `${fileName} could not be opened`, text });
      return;
    }
    stores.userKernels.setState({ requestedKernel: found });
    stores.layout.choose('compare');
    stores.layout.reveal('kernel-editor');
  }

  return {
    async open(item) {
      if (item.file === null) return;
      if (item.kind === 'kernel') await openKernel(item);
      else if (item.kind === 'scenario') await openers.documents.openFile(item.file, item.fileName);
      else if (item.kind === 'run') await openers.runs.openFile(item.file, item.fileName);
      else if ((await openers.benches.openFile(item.file, item.fileName)) !== null) stores.layout.choose('compare');
    },
    label: (item, known) =>
      attempt(`The tags of ${item.fileName} could not be saved`, async () => {
        const { file, fileName, tags, remark } = item;
        const answer = await dialogs.ask('labels', { name: fileName, tags, remark, known });
        if (answer === null || file === null) return;
        await client.call('library.label', { file, tags: [...answer.tags], remark: answer.remark });
      }),
    compareWithDraft: (item) =>
      attempt(`${item.fileName} could not be compared`, async () => {
        if (item.file === null) return;
        const document = await documentIn(item.file, item);
        const state = scenario.getState();
        const after = { name: `${documentTitle(state)} (in the form)`, document: state.draft };
        await dialogs.ask('diff', { before: { name: item.fileName, document }, after });
      }),
    compareWithSaved: () =>
      attempt('The draft could not be compared with its file', async () => {
        const { file, draft } = scenario.getState();
        if (file === null) return;
        // Read the current file, because another window may have changed it.
        const document = await documentIn(file.file, { kind: 'scenario', fileName: file.name });
        await dialogs.ask('diff', {
          before: { name: `${file.name} (saved)`, document },
          after: { name: 'In the form', document: draft },
        });
      }),
    trash: (item) =>
      attempt(`${item.fileName} could not be moved to the trash`, async () => {
        if (item.file === null) return;
        await client.call('library.trash', { file: item.file });
        await openers.documents.refreshRecent();
        notices.show({
          tone: 'success',
          title: `${item.fileName} is in the trash`,
          text: 'Choose “Trash” in the library to restore it.',
        });
      }),
    restore: (item) =>
      attempt(`${item.fileName} could not be restored`, async () => {
        const named = await client.call('library.restore', { id: item.id });
        notices.show({ tone: 'success', title: `${named.name} is back in the library` });
      }),
    rebuild: () =>
      attempt('The library index could not be rebuilt', async () => {
        const { files } = await client.call('library.rebuild', {});
        notices.show({
          tone: 'success',
          title: `The library index was rebuilt from ${files} ${files === 1 ? 'file' : 'files'}`,
        });
      }),
    listExamples: () =>
      attempt('The examples could not be listed', async () => {
        if (stores.library.getState().examples.length > 0) return;
        const query = {
          place: 'examples',
          text: '',
          kind: null,
          tag: null,
          order: 'name',
          limit: MAX_EXAMPLES,
        } as const;
        const { items } = await client.call('library.search', query);
        stores.library.setState({ examples: items });
      }),
    chooseFolder: () =>
      attempt('The folder of the library could not be changed', async () => {
        const { folder } = await client.call('library.chooseFolder', {});
        if (folder === null) return;
        const { capabilities } = stores.connection.getState();
        stores.connection.setState({
          capabilities: { ...capabilities, shell: { ...capabilities.shell, libraryFolder: folder } },
        });
      }),
  };
}
