/** Tells the host which file is open here, and the user when it is open in another window too. */
import { PRESENCE_MS } from '../../electron/contract/recovery.ts';
import type { Client } from '../client/index.ts';
import type { NoticesStore } from '../state/notices.ts';
import type { PageIds } from '../state/page-id.ts';
import type { PresenceStore } from '../state/presence.ts';
import type { ScenarioStore } from '../state/scenario.ts';

export function tellPresence(
  client: Client,
  scenario: ScenarioStore,
  presence: PresenceStore,
  notices: NoticesStore,
  { page, previous }: PageIds,
): void {
  let told = false;
  const tell = async (): Promise<void> => {
    const { file } = scenario.getState();
    if (file === null && !told) return;
    told = file !== null;
    try {
      const { others } = await client.call('document.presence', { page, file: file?.file ?? null });
      if (scenario.getState().file !== file) return;
      if (others > 0 && presence.getState().others === 0 && file !== null) {
        notices.tell({
          tone: 'warning',
          title: `${file.name} is open in another window too`,
          text: 'What is saved there and here replaces one another. Save under another name to keep both.',
        });
      }
      presence.setState({ others });
    } catch {
      // The connection tells about itself; the next time comes soon.
    }
  };
  scenario.subscribe((state, before) => {
    if (state.file === before.file) return;
    presence.setState({ others: 0 });
    void tell();
  });
  // Loaded anew, this window is not another one.
  for (const id of previous) client.call('document.presence', { page: id, file: null }).catch(() => undefined);
  setInterval(() => void tell(), PRESENCE_MS);
}
