/** The program's log, and newer versions of it. */
import type { ActionContext } from './context.ts';

export interface DesktopActions {
  showLog(): Promise<void>;
  /** Asks for a newer version now, and whether to take it. `quietly`: says nothing when there is none. */
  lookForUpdate(quietly?: boolean): Promise<void>;
  /** Asks before it is switched on. */
  lookAtStart(wanted: boolean): Promise<void>;
  /** Looks for a newer version if the user wants that at every start. */
  begin(): Promise<void>;
}

export function createDesktopActions({ client, stores }: ActionContext): DesktopActions {
  const { notices, dialogs, updates } = stores;

  async function lookForUpdate(quietly = false): Promise<void> {
    try {
      const { current, newer } = await client.call('updates.check', {});
      if (newer === null) {
        if (!quietly) notices.tell({ tone: 'success', title: `Version ${current} is the newest` });
        return;
      }
      const answer = await dialogs.ask('confirm', {
        title: `Version ${newer} can be had`,
        text: `This is version ${current}. The newer one is downloaded now and takes its place when you end the program.`,
        choices: [
          { id: 'later', label: 'Not now' },
          { id: 'take', label: 'Download', tone: 'primary' },
        ],
      });
      if (answer !== 'take') return;
      await client.call('updates.install', {});
      notices.tell({ tone: 'success', title: `Version ${newer} takes its place when you end the program` });
    } catch (error) {
      notices.fail('Newer versions could not be looked for', error);
    }
  }

  return {
    lookForUpdate,
    async showLog() {
      try {
        const { shown, file, text } = await client.call('log.show', {});
        if (!shown) await dialogs.ask('log', { file, text });
      } catch (error) {
        notices.fail('The log could not be shown', error);
      }
    },
    async lookAtStart(wanted) {
      const answer = wanted
        ? await dialogs.ask('confirm', {
            title: 'Look for newer versions at every start?',
            text: 'The program then asks its publisher’s server which version is the newest. It sends nothing about you or your work, and downloads nothing without asking.',
            choices: [
              { id: 'no', label: 'No' },
              { id: 'yes', label: 'Look at every start', tone: 'primary' },
            ],
          })
        : 'yes';
      if (answer !== 'yes') return;
      try {
        updates.setState(await client.call('updates.atStart', { atStart: wanted }));
      } catch (error) {
        notices.fail('The choice was not kept', error);
      }
    },
    async begin() {
      if (client.capabilities.shell.kind !== 'desktop') return;
      try {
        const { atStart } = await client.call('updates.atStart', { atStart: null });
        updates.setState({ atStart });
        if (atStart) await lookForUpdate(true);
      } catch {
        // Without an answer nothing is looked for.
      }
    },
  };
}
