/** The program's log. */
import type { ActionContext } from './context.ts';

export interface DesktopActions {
  showLog(): Promise<void>;
}

export function createDesktopActions({ client, stores }: ActionContext): DesktopActions {
  const { notices, dialogs } = stores;
  return {
    async showLog() {
      try {
        const { shown, file, text } = await client.call('log.show', {});
        if (!shown) await dialogs.ask('log', { file, text });
      } catch (error) {
        notices.fail('The log could not be shown', error);
      }
    },
  };
}
