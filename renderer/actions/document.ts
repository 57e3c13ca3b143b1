/** Opening, saving and guarding the scenario. */

import { BraggError } from '../../electron/contract/errors.ts';
import type { FileRef, NamedFile } from '../../electron/contract/files.ts';
import type { RunInfo } from '../../electron/contract/run.ts';
import {
  kindOfDocument,
  newDocument,
  type ScenarioKindName,
  writeScenarioText,
} from '../../electron/contract/scenario/index.ts';
import type { ReadScenario } from '../../electron/contract/scenarios.ts';
import { lastAsked } from '../base/last-asked.ts';
import { documentTitle, isEdited, type OpenedDocument } from '../state/scenario.ts';
import type { ActionContext } from './context.ts';
import { askOpenWithFaults, askReplace, askSaveChanges, sayUnreadable } from './document-questions.ts';
import { download } from './download.ts';
import { askAndSave } from './save-file.ts';

/** Saving the scenario: into its file, or under another name. */
const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);

/** `refreshRecent` follows every file that was saved. */
function createSaving(context: ActionContext, refreshRecent: () => Promise<void>) {
  const { client, stores } = context;
  const { scenario, dialogs, notices } = stores;

  /** Saves the draft of this moment: edits made meanwhile stay unsaved. */
  async function write(
    file: FileRef,
    ifExists: 'replace' | 'refuse',
    expected: string | null = null,
  ): Promise<NamedFile> {
    const { draft } = scenario.getState();
    const { stamp, ...named } = await client.call('scenario.save', {
      scenario: draft,
      file,
      ifExists,
      stamp: expected,
    });
    scenario.markSaved(draft, named, stamp);
    return named;
  }

  /** Over the file that was opened, unless another window or program has changed it since and the user minds. */
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

  async function saved(saving: () => Promise<NamedFile | null>): Promise<boolean> {
    try {
      const named = await saving();
      if (named === null) return false;
      notices.tell({ tone: 'success', title: `Saved ${named.name}` });
      await refreshRecent();
      return true;
    } catch (error) {
      notices.fail('The scenario was not saved', error);
      return false;
    }
  }

  function saveAs(): Promise<boolean> {
    const state = scenario.getState();
    const suggested = documentTitle(state).replace(/\.(json|ya?ml)$/i, '');
    return saved(() =>
      askAndSave(context, {
        purpose: 'save-scenario',
        title: 'Save scenario as',
        suggested: state.readOnly ? `${suggested} copy` : suggested,
        extension: '.json',
        save: (file, ifExists) => write(file, ifExists),
      }),
    );
  }

  /** Scenarios are written as JSON: a YAML file retains its comments, and the edit is saved to a separate file. */
  function save(): Promise<boolean> {
    const { file, readOnly } = scenario.getState();
    return file === null || readOnly || isYaml(file.name) ? saveAs() : saved(() => writeBack(file.file));
  }

  return { save, saveAs };
}

export interface DocumentActions {
  /** A new scenario of the kind, or of that of the form. */
  create(kind?: ScenarioKindName): Promise<void>;
  /** Asks which. */
  open(): Promise<void>;
  /** True: it is in the form now. */
  openFile(file: FileRef, name: string): Promise<boolean>;
  /** A file that the page read: dropped, or chosen in a browser. */
  openText(name: string, text: string): Promise<boolean>;
  /** The scenario that a run was made from. */
  openRun(run: RunInfo): Promise<boolean>;
  /** False: not saved, because the user changed their mind or it failed. */
  save(): Promise<boolean>;
  saveAs(): Promise<boolean>;
  downloadCopy(): Promise<void>;
  /** The document as text without asking the host, for when it is gone. */
  textHere(): string;
  refreshRecent(): Promise<void>;
  clearRecent(): Promise<void>;
  /** True: go on, what was edited is saved or given up. */
  mayLeave(): Promise<boolean>;
}

/** Result of opening: a document, with or without a file. */
type Found = ReadScenario & Partial<Pick<OpenedDocument, 'file' | 'readOnly' | 'stamp' | 'ofRun'>>;

export function createDocumentActions(context: ActionContext): DocumentActions {
  const { client, stores } = context;
  const { scenario, dialogs, notices, library } = stores;

  async function refreshRecent(): Promise<void> {
    try {
      const { files } = await client.call('scenario.recent', {});
      library.setState({ recent: files });
    } catch {
      // The list is a convenience: a host that cannot keep it has said so in its log.
    }
  }

  const { save, saveAs } = createSaving(context, refreshRecent);

  /** Loads a document after showing its issues. False if the form was left unchanged. */
  async function takeUp(name: string, read: Found): Promise<boolean> {
    const { file = null, readOnly = false, stamp = null, ofRun = null } = read;
    if (read.draft === null) {
      await sayUnreadable(dialogs, name, read.issues);
      return false;
    }
    const { length: faults } = read.issues.filter((issue) => issue.severity === 'error');
    if (faults > 0 && !(await askOpenWithFaults(dialogs, name, faults, read.issues))) return false;
    scenario.open({ draft: read.draft, file, readOnly, stamp, ofRun });
    return true;
  }

  async function mayLeave(): Promise<boolean> {
    const state = scenario.getState();
    if (!isEdited(state)) return true;
    const answer = await askSaveChanges(dialogs, documentTitle(state));
    if (answer === 'discard') {
      // Given up: it is not to be offered again.
      await client.call('recovery.drop', { page: context.pages.page }).catch(() => undefined);
      return true;
    }
    return answer === 'save' && (await save());
  }

  const ask = lastAsked();

  /** The last request wins, whichever document is read first. */
  async function opening(name: string, read: () => Promise<Found>): Promise<boolean> {
    const isLast = ask();
    if (!(await mayLeave())) return false;
    const { draft } = scenario.getState();
    try {
      const found = await read();
      if (!isLast()) return false;
      // Edited while it was read.
      if (scenario.getState().draft !== draft && !(await mayLeave())) return false;
      return await takeUp(found.file?.name ?? name, found);
    } catch (error) {
      notices.fail(`${name} was not opened`, error);
      return false;
    }
  }

  async function openFile(file: FileRef, name: string): Promise<boolean> {
    const opened = await opening(name, () => client.call('scenario.open', { file }));
    await refreshRecent();
    return opened;
  }

  const openText = (name: string, text: string): Promise<boolean> =>
    opening(name, () => client.call('scenario.parse', { text, name }));

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
    mayLeave,
    openFile,
    openText,
    openRun: (run) =>
      opening(`The scenario of ${run.name}`, async () => ({
        draft: (await client.call('run.scenario', { run: run.id })).scenario,
        issues: [],
        ofRun: run.id,
      })),
    open,
    save,
    saveAs,
    refreshRecent,
    async create(kind = kindOfDocument(scenario.getState().draft)) {
      await opening('A new scenario', async () => ({ draft: newDocument(kind), issues: [] }));
    },
    async downloadCopy() {
      try {
        const state = scenario.getState();
        const { text } = await client.call('scenario.text', { scenario: state.draft });
        download(`${documentTitle(state).replace(/\.(json|ya?ml)$/i, '')}.json`, 'application/json', text);
      } catch (error) {
        notices.fail('The scenario was not downloaded', error);
      }
    },
    textHere: () => writeScenarioText(scenario.getState().draft),
    async clearRecent() {
      await client.call('scenario.clearRecent', {});
      await refreshRecent();
    },
  };
}
