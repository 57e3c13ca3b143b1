/** Opens and saves the scenario. Asks the user before a scenario with unsaved edits is left or replaced. */
import { BraggError, type Issue } from '../../../electron/contract/errors.ts';
import type { FileRef, NamedFile } from '../../../electron/contract/files.ts';
import type { RunInfo } from '../../../electron/contract/run.ts';
import {
  formatScenario,
  kindOfDocument,
  newDocument,
  type ScenarioKindName,
} from '../../../electron/contract/scenario/index.ts';
import type { ParsedScenario } from '../../../electron/contract/scenarios.ts';
import { latestRequest } from '../../base/latest-request.ts';
import { documentTitle, isEdited, type OpenedDocument } from '../../state/scenario.ts';
import type { ActionContext } from './context.ts';
import { askAndSave, download } from './save-file.ts';

type Dialogs = ActionContext['stores']['dialogs'];

async function notifyUnreadable(dialogs: Dialogs, name: string, issues: readonly Issue[]): Promise<void> {
  await dialogs.ask('confirm', {
    title: `${name} cannot be opened`,
    text: 'It is not a scenario that this program can read.',
    issues,
    choices: [{ id: 'close', label: 'Close', tone: 'primary' }],
  });
}

/** Returns true to open the file in spite of its issues. */
async function askOpenWithIssues(
  dialogs: Dialogs,
  name: string,
  faults: number,
  issues: readonly Issue[],
): Promise<boolean> {
  const answer = await dialogs.ask('confirm', {
    title: `${name} has ${faults === 1 ? 'one issue' : `${faults} issues`}`,
    text: 'You can open it and correct it in the form. The file is not changed until you save.',
    issues,
    choices: [
      { id: 'cancel', label: 'Cancel' },
      { id: 'open', label: 'Open and correct', tone: 'primary' },
    ],
  });
  return answer === 'open';
}

function askSaveChanges(dialogs: Dialogs, title: string) {
  return dialogs.ask('confirm', {
    title: `Save changes to ${title}?`,
    text: 'Unsaved changes will be lost.',
    choices: [
      { id: 'discard', label: 'Don’t save', tone: 'danger' },
      { id: 'cancel', label: 'Cancel' },
      { id: 'save', label: 'Save', tone: 'primary' },
    ],
  });
}

/** Asks whether to overwrite a file that has changed since it was opened; `reason` explains. */
function askReplace(dialogs: Dialogs, reason: string) {
  return dialogs.ask('confirm', {
    title: 'Overwrite the file?',
    text: `${reason} Saving overwrites those changes.`,
    choices: [
      { id: 'replace', label: 'Replace', tone: 'danger' },
      { id: 'cancel', label: 'Cancel' },
      { id: 'saveAs', label: 'Save as…', tone: 'primary' },
    ],
  });
}

/** Whether a file is YAML, whose comments would be lost if it was overwritten. */
const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);

/** `refreshRecent` is called after each save. */
function createSaving(context: ActionContext, refreshRecent: () => Promise<void>) {
  const { client, stores } = context;
  const { scenario, dialogs, notices } = stores;

  /**
   * Saves the current draft: edits made meanwhile stay unsaved. A document that is opened meanwhile is not marked as
   * saved.
   */
  async function write(
    file: FileRef,
    ifExists: 'replace' | 'refuse',
    expected: string | null = null,
  ): Promise<NamedFile> {
    const { draft, openedCount } = scenario.getState();
    const { stamp, ...named } = await client.call('scenario.save', {
      scenario: draft,
      file,
      ifExists,
      stamp: expected,
    });
    if (scenario.getState().openedCount === openedCount) scenario.markSaved(draft, named, stamp);
    return named;
  }

  /** Saves over the opened file. Asks first if another window or program has changed it since. */
  async function writeBack(file: FileRef): Promise<NamedFile | null> {
    try {
      return await write(file, 'replace', scenario.getState().stamp);
    } catch (error) {
      if (!(error instanceof BraggError) || error.code !== 'exists') throw error;
      const answer = await askReplace(dialogs, error.message);
      if (answer === 'replace') return write(file, 'replace');
      if (answer === 'saveAs') await saveAs();
      return null;
    }
  }

  async function trySave(saving: () => Promise<NamedFile | null>): Promise<boolean> {
    try {
      const named = await saving();
      if (named === null) return false;
      notices.show({ tone: 'success', title: `Saved ${named.name}` });
      await refreshRecent();
      return true;
    } catch (error) {
      notices.fail('The scenario could not be saved', error);
      return false;
    }
  }

  function saveAs(): Promise<boolean> {
    const state = scenario.getState();
    const suggested = documentTitle(state).replace(/\.(json|ya?ml)$/i, '');
    return trySave(() =>
      askAndSave(context, {
        purpose: 'save-scenario',
        title: 'Save scenario as',
        suggested: state.readOnly ? `${suggested} copy` : suggested,
        extension: '.json',
        save: (file, ifExists) => write(file, ifExists),
      }),
    );
  }

  /** Saves as JSON. For a YAML file, asks for another name, so that the original retains its comments. */
  function save(): Promise<boolean> {
    const { file, readOnly } = scenario.getState();
    return file === null || readOnly || isYaml(file.name) ? saveAs() : trySave(() => writeBack(file.file));
  }

  return { save, saveAs };
}

export interface DocumentActions {
  /** Creates a scenario of the given kind; by default, of the kind in the scenario form. */
  create(kind?: ScenarioKindName): Promise<void>;
  /** Asks for the file to open. */
  open(): Promise<void>;
  /** Returns true if the file is now in the scenario form. */
  openFile(file: FileRef, name: string): Promise<boolean>;
  /** Opens a file that the page has read: dropped, or chosen in a browser. */
  openText(name: string, text: string): Promise<boolean>;
  /** Opens the scenario of a run. */
  openRun(run: RunInfo): Promise<boolean>;
  /** Returns false if not saved, because the user cancelled or saving failed. */
  save(): Promise<boolean>;
  saveAs(): Promise<boolean>;
  downloadCopy(): Promise<void>;
  /** Text of the document, without a request to the host. Used when the host cannot be reached. */
  currentText(): string;
  refreshRecent(): Promise<void>;
  clearRecent(): Promise<void>;
  /** Returns true if edits were saved or discarded, so that the action may continue. */
  confirmLeave(): Promise<boolean>;
}

/** Result of opening: a document, with or without a file. */
type ReadDocument = ParsedScenario & Partial<Pick<OpenedDocument, 'file' | 'readOnly' | 'stamp' | 'ofRun'>>;

export function createDocumentActions(context: ActionContext): DocumentActions {
  const { client, stores } = context;
  const { scenario, dialogs, notices, library } = stores;

  async function refreshRecent(): Promise<void> {
    try {
      const { files } = await client.call('scenario.recent', {});
      library.setState({ recent: files });
    } catch {
      // Ignore errors: the list is only a convenience, and the host logs the error.
    }
  }

  const { save, saveAs } = createSaving(context, refreshRecent);

  /** Loads a document after showing its issues. Returns false if the form was left unchanged. */
  async function loadDocument(name: string, read: ReadDocument): Promise<boolean> {
    const { file = null, readOnly = false, stamp = null, ofRun = null } = read;
    if (read.draft === null) {
      await notifyUnreadable(dialogs, name, read.issues);
      return false;
    }
    const { length: faults } = read.issues.filter((issue) => issue.severity === 'error');
    if (faults > 0 && !(await askOpenWithIssues(dialogs, name, faults, read.issues))) return false;
    scenario.open({ draft: read.draft, file, readOnly, stamp, ofRun });
    return true;
  }

  async function confirmLeave(): Promise<boolean> {
    const state = scenario.getState();
    if (!isEdited(state)) return true;
    const answer = await askSaveChanges(dialogs, documentTitle(state));
    if (answer === 'discard') {
      // Discard the draft, so that recovery does not offer it.
      await client.call('recovery.drop', { page: context.pages.page }).catch(() => undefined);
      return true;
    }
    return answer === 'save' && (await save());
  }

  const ask = latestRequest();

  /** The last request wins, regardless of the order in which documents are read. */
  async function openLatest(name: string, read: () => Promise<ReadDocument>): Promise<boolean> {
    const isLast = ask();
    if (!(await confirmLeave())) return false;
    const { draft } = scenario.getState();
    try {
      const found = await read();
      if (!isLast()) return false;
      // The user edited the form while the file was read.
      if (scenario.getState().draft !== draft && !(await confirmLeave())) return false;
      return await loadDocument(found.file?.name ?? name, found);
    } catch (error) {
      notices.fail(`${name} could not be opened`, error);
      return false;
    }
  }

  async function openFile(file: FileRef, name: string): Promise<boolean> {
    const opened = await openLatest(name, () => client.call('scenario.open', { file }));
    await refreshRecent();
    return opened;
  }

  const openText = (name: string, text: string): Promise<boolean> =>
    openLatest(name, () => client.call('scenario.parse', { text, name }));

  async function open(): Promise<void> {
    if (stores.connection.getState().capabilities.shell.dialogs) {
      const { file } = await client.call('file.choose', { purpose: 'open-scenario', suggestedName: '' });
      if (file !== null) await openFile(file.file, file.name);
      return;
    }
    const picked = await dialogs.ask('pick', { what: 'scenario' });
    if (picked?.kind === 'file') await openFile(picked.file, picked.file.key);
    else if (picked?.kind === 'local') await openText(picked.file.name, await picked.file.text());
  }

  return {
    confirmLeave,
    openFile,
    openText,
    openRun: (run) =>
      openLatest(`The scenario of ${run.name}`, async () => ({
        draft: (await client.call('run.scenario', { run: run.id })).scenario,
        issues: [],
        ofRun: run.id,
      })),
    open,
    save,
    saveAs,
    refreshRecent,
    async create(kind = kindOfDocument(scenario.getState().draft)) {
      await openLatest('A new scenario', async () => ({ draft: newDocument(kind), issues: [] }));
    },
    async downloadCopy() {
      try {
        const state = scenario.getState();
        const { text } = await client.call('scenario.text', { scenario: state.draft });
        download(`${documentTitle(state).replace(/\.(json|ya?ml)$/i, '')}.json`, 'application/json', text);
      } catch (error) {
        notices.fail('The scenario could not be downloaded', error);
      }
    },
    currentText: () => formatScenario(scenario.getState().draft),
    async clearRecent() {
      await client.call('scenario.clearRecent', {});
      await refreshRecent();
    },
  };
}
