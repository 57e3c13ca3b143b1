/**
 * Root component of the page. It sends the title, unsaved changes and menus to the shell. From the shell it receives
 * menu commands, files to open, and requests to close the window.
 */
import type { MenuCommand } from '../../electron/contract/shell.ts';
import { documentTitle, isEdited } from '../state/scenario.ts';
import { type Command, listenForShortcuts } from '../workbench/commands/command.ts';
import { commandTable } from '../workbench/commands/table.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { onCommandsChange, useCommands } from './use-commands.ts';
import '../shells/styles/fonts.css';
import '../shells/styles/tokens.css';
import '../shells/styles/base.css';
import './app.css';
import { type ReactElement, useEffect, useLayoutEffect, useState } from 'react';
import { isMac } from '../base/platform.ts';
import { isTemporary, type Notice } from '../state/notices.ts';
import { Button, IconButton } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import { Icon, type IconName } from '../widgets/words/icon.tsx';
import { IssueList } from '../widgets/words/issue-list.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { DialogHost } from './dialogs/dialog-host.tsx';
import { hasFiles } from './dropped-files.ts';
import { LayoutView } from './layout-view.tsx';
import { StatusBar } from './status-bar.tsx';
import { TopBar } from './top-bar.tsx';

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
function sendDocumentState(workbench: Workbench): () => void {
  const { client, stores } = workbench;
  const { shell } = client.capabilities;
  let document = '';
  let menu = '';
  const failed = (error: unknown): void => stores.notices.fail('The window could not be updated', error);
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
          // Not awaited, so that a question about unsaved changes does not delay the next event.
          void (/\.(h5|hdf5)$/i.test(event.name) ? runs : documents).openFile(event.file, event.name);
        } else {
          const { request } = event;
          void documents.confirmLeave().then((close) => client.call('shell.close', { request, close }));
        }
      },
    },
  );
  return () => handle.close();
}

/** In a browser tab: asks before unsaved changes are lost, and shows the title. */
function warnBeforeUnload({ stores }: Workbench): () => void {
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

function followDocumentState(workbench: Workbench): () => void {
  const { shell } = workbench.client.capabilities;
  const stops = [
    ...(shell.window || shell.menus ? [sendDocumentState(workbench), listenToShell(workbench)] : []),
    ...(shell.window ? [] : [warnBeforeUnload(workbench)]),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

// Covers the page with messages while the host is unreachable.

/**
 * Attempt from which on the page says that the host may have ended, after about eight seconds. By then a network
 * interruption would be over, and a host that has ended never returns at this address.
 */
const LATE_ATTEMPT = 6;

function ConnectionCover(): ReactElement | null {
  const { stores, documents } = useWorkbench();
  const state = useSelected(stores.connection, (each) => each.state);
  if (state.kind === 'connected') return null;
  if (state.kind === 'reconnecting') {
    return state.attempt >= LATE_ATTEMPT ? (
      <div className="connection-note warning" role="status">
        The host does not respond and may have ended. After a restart it has another address, and offers unsaved work
        there.{' '}
        <Button icon="copy" tone="quiet" onPress={() => void navigator.clipboard.writeText(documents.currentText())}>
          Copy the scenario
        </Button>
      </div>
    ) : (
      <div className="connection-note warning" role="status">
        The connection to the host is interrupted; reconnecting. Runs continue meanwhile.
      </div>
    );
  }
  return (
    <div className="connection-cover">
      <EmptyState
        icon="error"
        tone="error"
        title="The host has closed"
        action={
          <span className="flex gap-l">
            <Button icon="copy" onPress={() => void navigator.clipboard.writeText(documents.currentText())}>
              Copy the scenario
            </Button>
            <Button icon="reset" tone="primary" onPress={() => location.reload()}>
              Connect again
            </Button>
          </span>
        }
      >
        {state.reason} If reconnecting does not help, start the program again. The scenario in the form is not lost yet:
        if it is unsaved, copy it before you reload.
      </EmptyState>
    </div>
  );
}

/** Icons of the notices by tone. */
const icons: Readonly<Record<Notice['tone'], IconName>> = {
  info: 'info',
  success: 'done',
  warning: 'warning',
  error: 'error',
};

function NoticeView({ notice }: { readonly notice: Notice }): ReactElement {
  const { stores } = useWorkbench();
  return (
    <div
      className="notice flex gap-l floating"
      data-tone={notice.tone}
      role={notice.tone === 'error' ? 'alert' : undefined}
    >
      <Icon name={icons[notice.tone]} />
      <div className="notice__body grow scroll break-anywhere selectable">
        <p>
          <b>{notice.title}</b>
        </p>
        {notice.text === '' ? null : <p>{notice.text}</p>}
        {notice.action === null ? null : (
          <Button
            onPress={() => {
              stores.notices.dismiss(notice.id);
              notice.action?.run();
            }}
          >
            {notice.action.label}
          </Button>
        )}
        {notice.issues.length === 0 ? null : <IssueList issues={notice.issues.slice(0, 6)} />}
      </div>
      <IconButton icon="close" size={12} label="Dismiss" onPress={() => stores.notices.dismiss(notice.id)} />
    </div>
  );
}

function NoticesView(): ReactElement {
  const { stores } = useWorkbench();
  const notices = useSelected(stores.notices, (state) => state.notices);
  const all = (of: readonly Notice[]): readonly ReactElement[] =>
    of.map((notice) => <NoticeView key={notice.id} notice={notice} />);
  return (
    <section className="notices rigid relative" aria-label="Notices" aria-live="polite">
      <div className="notices__passing grid gap-l">{all(notices.filter(isTemporary))}</div>
      <div className="notices__staying grid gap-m scroll">{all(notices.filter((notice) => !isTemporary(notice)))}</div>
    </section>
  );
}

/** Describes what may be dropped while files are dragged over the window. */
function DropTarget(): ReactElement | null {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    window.addEventListener('dragenter', (event) => hasFiles(event) && setOver(true), { signal });
    // No related target means that the pointer has left the window.
    window.addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal });
    window.addEventListener('drop', () => setOver(false), { signal });
    return () => stop.abort();
  }, []);
  if (!over) return null;
  return (
    <div className="drop-target grid">
      <div className="grid gap-l">
        <Icon name="download" size={28} />
        <p>
          Drop a scenario (.json, .yaml), a run (.h5), a depth dose (.csv), an image (.img, .cbf, .tif) or a timeline
          (.json, .sqlite, both also .gz, .nsys-rep)
        </p>
      </div>
    </div>
  );
}

/** Applies the selected theme to the page, and follows the system if so configured. */
function useTheme(): void {
  const { stores } = useWorkbench();
  const theme = useSelected(stores.appearance, (state) => state.theme);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const apply = (): void => {
      document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    };
    apply();
    dark.addEventListener('change', apply);
    return () => dark.removeEventListener('change', apply);
  }, [theme]);
}

export function App(): ReactElement {
  const workbench = useWorkbench();
  useTheme();
  // Listen for keys before the first paint; an effect would start only afterwards.
  useLayoutEffect(() => {
    const { kind } = workbench.client.capabilities.shell;
    return listenForShortcuts(() => commandTable(workbench), kind === 'desktop', isMac());
  }, [workbench]);
  useEffect(() => followDocumentState(workbench), [workbench]);
  const commands = useCommands();
  return (
    <div className="app stack">
      <TopBar commands={commands} />
      <LayoutView />
      <NoticesView />
      <StatusBar />
      <DropTarget />
      <ConnectionCover />
      <DialogHost />
    </div>
  );
}
