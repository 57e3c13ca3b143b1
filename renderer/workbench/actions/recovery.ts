/** Unsaved work of programs and pages that ended: offered, recovered or discarded. */
import { type RecoverableItem, SHORT_RUNS_NOTE } from '../../../electron/contract/recovery.ts';
import { documentTitle, emptyDraft } from '../../state/scenario.ts';
import type { ActionContext } from './context.ts';
import type { DocumentActions } from './document.ts';
import type { RunActions } from './runs.ts';

export interface RecoveryActions {
  /** Notifies the user of unsaved work, if any. */
  offer(): Promise<void>;
  /** Asks what to do with each item. Notifies the user if there is none. */
  show(): Promise<void>;
  list(): Promise<readonly RecoverableItem[]>;
  /** Returns true if the item was opened. */
  recoverItem(item: RecoverableItem): Promise<boolean>;
  discard(item: RecoverableItem): Promise<void>;
}

export function createRecoveryActions(
  context: ActionContext,
  { documents, runs }: { readonly documents: DocumentActions; readonly runs: RunActions },
): RecoveryActions {
  const { client, stores, pages } = context;
  const { notices, dialogs, scenario } = stores;

  async function list(): Promise<readonly RecoverableItem[]> {
    const { items } = await client.call('recovery.list', { pages: [...pages.previous] });
    return items;
  }

  async function show(): Promise<void> {
    try {
      const items = await list();
      if (items.length > 0) await dialogs.ask('recover', { items });
      else notices.show({ tone: 'info', title: 'There is no unsaved work to recover', text: SHORT_RUNS_NOTE });
    } catch (error) {
      notices.fail('The search for unsaved work failed', error);
    }
  }

  /** Applies the edits on top of the current file, so that Undo leads back to it. */
  async function recoverDraft(id: string): Promise<void> {
    const { title, file, draft } = await client.call('recovery.draft', { id });
    const read = file === null ? null : await client.call('scenario.open', { file: file.file });
    const saved = read?.draft ?? emptyDraft;
    scenario.open({
      draft: saved,
      file: read?.file ?? null,
      readOnly: read?.readOnly ?? false,
      stamp: read?.stamp ?? null,
    });
    scenario.replace(draft, `recovered edits of ${title}`);
  }

  return {
    list,
    show,
    async offer() {
      const items = await list().catch(() => []);
      if (items.length === 0) return;
      const names = [...new Set(items.map(({ title }) => title))];
      const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
      notices.show({
        tone: 'warning',
        title: items.length === 1 ? 'Unsaved work was found' : `${items.length} pieces of unsaved work were found`,
        text: `It was saved when the program or its page closed: ${names.slice(0, 3).join(', ')}${more}.`,
        action: { label: 'Recover…', run: () => void show() },
      });
    },
    async recoverItem(item) {
      try {
        if (item.kind === 'draft') {
          if (!(await documents.confirmLeave())) return false;
          await recoverDraft(item.id);
          // Save the draft under this page's id before discarding the original entry.
          const { draft, file } = scenario.getState();
          const title = documentTitle(scenario.getState());
          await client.call('recovery.keep', { page: pages.page, title, file: file?.file ?? null, draft });
          await client.call('recovery.discard', { id: item.id });
        } else if (item.kind === 'session') {
          const { workload, subjects } = await client.call('recovery.session', { id: item.id });
          stores.comparison.add(
            workload,
            subjects.map(({ subject }) => subject),
          );
          stores.comparison.setState({ tableWanted: true });
          stores.layout.reveal('compare');
        } else {
          const run = await client.call('recovery.run', { id: item.id });
          runs.show(run.id);
        }
        return true;
      } catch (error) {
        notices.fail(`${item.title} could not be recovered`, error);
        return false;
      }
    },
    async discard(item) {
      try {
        await client.call('recovery.discard', { id: item.id });
      } catch (error) {
        notices.fail(`${item.title} could not be discarded`, error);
      }
    },
  };
}
