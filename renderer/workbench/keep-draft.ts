/** Has the host keep unsaved edits as they are made, so that no crash loses more than the last half second. */
import type { Client } from '../client/index.ts';
import type { NoticesStore } from '../state/notices.ts';
import { documentTitle, isEdited, type ScenarioState, type ScenarioStore } from '../state/scenario.ts';

const SETTLE_MS = 400;

export function keepDraft(client: Client, scenario: ScenarioStore, notices: NoticesStore, page: string): void {
  let waiting = false;
  let kept = false;
  let failed = false;

  const keep = async (): Promise<void> => {
    waiting = false;
    const state = scenario.getState();
    const edited = isEdited(state);
    if (!edited && !kept) return;
    kept = edited;
    try {
      if (edited) {
        const file = state.file?.file ?? null;
        await client.call('recovery.keep', { page, title: documentTitle(state), file, draft: state.draft });
      } else await client.call('recovery.drop', { page });
      failed = false;
    } catch (error) {
      // Once per row of failures; a lost connection tells about itself.
      if (!failed && client.connection !== '') notices.fail('Unsaved edits are not protected against a crash', error);
      failed = true;
      kept = true;
    }
  };
  const changed = (state: ScenarioState, before: ScenarioState): void => {
    if (state.draft === before.draft && state.saved === before.saved && state.file === before.file) return;
    if (!waiting) setTimeout(() => void keep(), SETTLE_MS);
    waiting = true;
  };
  scenario.subscribe(changed);
}
