/** Messages between page and shell: title, unsaved changes, menus; chosen entries, files to open, a window to close. */
import type { MenuCommand } from '../../electron/contract/shell.ts';
import type { Command } from '../commands/command.ts';
import { commandTable } from '../commands/table.ts';
import { documentTitle, isEdited } from '../state/scenario.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { onCommandsChange } from './use-commands.ts';

function asMenuCommand({ id, title, menu, submenu, group, shortcut, enabled, checked }: Command): MenuCommand {
  return {
    id,
    title,
    menu,
    submenu: submenu ?? null,
    group,
    shortcut: shortcut ?? null,
    enabled,
    checked: checked ?? null,
  };
}

/** Updates the native window and menus; only changes are sent. */
function informShell(workbench: Workbench): () => void {
  const { client, stores } = workbench;
  const { shell } = client.capabilities;
  let document = '';
  let menu = '';
  const failed = (error: unknown): void => stores.notices.fail('The window was not brought up to date', error);
  const inform = (): void => {
    if (shell.window) {
      const state = stores.scenario.getState();
      const now = { title: documentTitle(state), edited: isEdited(state) };
      const text = JSON.stringify(now);
      if (text !== document) client.call('shell.document', now).catch(failed);
      document = text;
    }
    if (shell.menus) {
      const commands = commandTable(workbench).map(asMenuCommand);
      const text = JSON.stringify(commands);
      if (text !== menu) client.call('shell.menu', { commands }).catch(failed);
      menu = text;
    }
  };
  inform();
  return onCommandsChange(workbench, inform);
}

function listenToShell(workbench: Workbench): () => void {
  const { client, documents, runs } = workbench;
  const handle = client.stream(
    'shell.events',
    {},
    {
      frame: (event) => {
        if (event.kind === 'command') {
          const command = commandTable(workbench).find((each) => each.id === event.id);
          if (command?.enabled) command.run();
        } else if (event.kind === 'open') {
          // Not awaited: a question about unsaved changes must not hold up the next event.
          void (/\.(h5|hdf5)$/i.test(event.name) ? runs : documents).openFile(event.file, event.name);
        } else {
          const { request } = event;
          void documents.mayLeave().then((close) => client.call('shell.close', { request, close }));
        }
      },
    },
  );
  return () => handle.close();
}

/** In a browser, leaving asks by itself; the tab shows the title. */
function guardTab({ stores }: Workbench): () => void {
  const { remote } = stores.connection.getState().capabilities.shell;
  const program = remote === null ? 'Braggbench' : `Braggbench on ${remote}`;
  const leaving = (event: BeforeUnloadEvent): void => {
    if (isEdited(stores.scenario.getState())) event.preventDefault();
  };
  const title = (): void => {
    const state = stores.scenario.getState();
    document.title = `${isEdited(state) ? '• ' : ''}${documentTitle(state)} – ${program}`;
  };
  title();
  window.addEventListener('beforeunload', leaving);
  const stop = stores.scenario.subscribe(title);
  return () => {
    stop();
    window.removeEventListener('beforeunload', leaving);
  };
}

export function keepShellInformed(workbench: Workbench): () => void {
  const { shell } = workbench.client.capabilities;
  const stops = [
    ...(shell.window || shell.menus ? [informShell(workbench), listenToShell(workbench)] : []),
    ...(shell.window ? [] : [guardTab(workbench)]),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
