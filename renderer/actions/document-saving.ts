/** Saving the scenario: into its file, or under another name. */
import { BraggError } from '../../electron/contract/errors.ts';
import type { FileRef, NamedFile } from '../../electron/contract/files.ts';
import { documentTitle } from '../state/scenario.ts';
import type { ActionContext } from './context.ts';
import { askReplace } from './document-questions.ts';
import { askAndSave } from './save-file.ts';

const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);

/** `refreshRecent` follows every file that was saved. */
export function createSaving(context: ActionContext, refreshRecent: () => Promise<void>) {
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

  /** What is written is JSON: a YAML file keeps its comments, and the edit gets a file of its own. */
  function save(): Promise<boolean> {
    const { file, readOnly } = scenario.getState();
    return file === null || readOnly || isYaml(file.name) ? saveAs() : saved(() => writeBack(file.file));
  }

  return { save, saveAs };
}
