/** The whole page. */
import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';
import './app.css';
import { type ReactElement, useEffect, useLayoutEffect, useState } from 'react';
import { isMac } from '../base/platform.ts';
import { listenForShortcuts } from '../commands/keyboard.ts';
import { commandTable } from '../commands/table.ts';
import { type Notice, passes } from '../state/notices.ts';
import { Button, IconButton } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import { Icon, type IconName } from '../widgets/words/icon.tsx';
import { IssueList } from '../widgets/words/issue-list.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { DialogHost } from './dialogs/dialog-host.tsx';
import { hasFiles } from './dropped-files.ts';
import { LayoutView } from './layout-view.tsx';
import { keepShellInformed } from './shell-link.ts';
import { StatusBar } from './status-bar.tsx';
import { TopBar } from './top-bar.tsx';
import { useCommands } from './use-commands.ts';

// Messages while the host is unreachable.

/** By then a network that hiccups is back, some eight seconds on: a host that ended never is, at this address. */
const LATE_ATTEMPT = 6;

function ConnectionCover(): ReactElement | null {
  const { stores, documents } = useWorkbench();
  const state = useSelected(stores.connection, (each) => each.state);
  if (state.kind === 'connected') return null;
  if (state.kind === 'reconnecting') {
    return state.attempt >= LATE_ATTEMPT ? (
      <div className="connection-note" role="status">
        The host does not answer: it may have ended. Started anew it has another address, and offers there what was not
        saved.{' '}
        <Button icon="copy" tone="quiet" onPress={() => void navigator.clipboard.writeText(documents.textHere())}>
          Copy the scenario
        </Button>
      </div>
    ) : (
      <div className="connection-note" role="status">
        The connection to the host is interrupted: trying again. Runs go on meanwhile.
      </div>
    );
  }
  return (
    <div className="connection-cover">
      <EmptyState
        icon="error"
        tone="error"
        title="The host has gone away"
        action={
          <span className="connection-cover__actions">
            <Button icon="copy" onPress={() => void navigator.clipboard.writeText(documents.textHere())}>
              Copy the scenario
            </Button>
            <Button icon="reset" tone="primary" onPress={() => location.reload()}>
              Connect again
            </Button>
          </span>
        }
      >
        {state.reason} Start the program again if connecting does not help. The scenario in the form has not been lost
        yet: copy it before you reload if it is not saved.
      </EmptyState>
    </div>
  );
}

/** Notices, newest last: temporary ones overlay the corner, permanent ones occupy room of their own. */
const icons: Readonly<Record<Notice['tone'], IconName>> = {
  info: 'info',
  success: 'done',
  warning: 'warning',
  error: 'error',
};

function NoticeView({ notice }: { readonly notice: Notice }): ReactElement {
  const { stores } = useWorkbench();
  return (
    <div className="notice" data-tone={notice.tone} role={notice.tone === 'error' ? 'alert' : undefined}>
      <Icon name={icons[notice.tone]} />
      <div className="notice__body selectable">
        <p className="notice__title">{notice.title}</p>
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
    <section className="notices" aria-label="Notices" aria-live="polite">
      <div className="notices__passing">{all(notices.filter(passes))}</div>
      <div className="notices__staying">{all(notices.filter((notice) => !passes(notice)))}</div>
    </section>
  );
}

/** Says what may be dropped while files are held over the window. */
function DropTarget(): ReactElement | null {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    window.addEventListener('dragenter', (event) => hasFiles(event) && setOver(true), { signal });
    // Only when the pointer leaves the window is there nothing it goes to.
    window.addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal });
    window.addEventListener('drop', () => setOver(false), { signal });
    return () => stop.abort();
  }, []);
  if (!over) return null;
  return (
    <div className="drop-target">
      <div>
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
  // Listen for keys before the first paint; an effect would begin only after it.
  useLayoutEffect(() => {
    const { kind } = workbench.client.capabilities.shell;
    return listenForShortcuts(() => commandTable(workbench), kind === 'desktop', isMac());
  }, [workbench]);
  useEffect(() => keepShellInformed(workbench), [workbench]);
  const commands = useCommands();
  return (
    <div className="app">
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
