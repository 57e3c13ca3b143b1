/** The whole page. */
import { type ReactElement, useEffect, useLayoutEffect } from 'react';
import { isMac } from '../base/platform.ts';
import { listenForShortcuts } from '../commands/keyboard.ts';
import { commandTable } from '../commands/table.ts';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';
import './app.css';
import { ConnectionCover } from './connection-cover.tsx';
import { DialogHost } from './dialogs/dialog-host.tsx';
import { DropTarget } from './drop-target.tsx';
import { LayoutView } from './layout-view.tsx';
import { NoticesView } from './notices-view.tsx';
import { keepShellInformed } from './shell-link.ts';
import { StatusBar } from './status-bar.tsx';
import { TopBar } from './top-bar.tsx';
import { useCommands } from './use-commands.ts';

/** Puts the theme in force on the page, and follows the system where that is asked for. */
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
  // What is drawn hears keys: an effect would begin to listen only after the first picture.
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
