/** Startup shared by both shells, once they can open a Port. */
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/utilities.css';
import { type ReactElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { config } from 'zod';
import { messageOf } from '../../electron/contract/errors.ts';
import type { Port } from '../../electron/contract/wire/protocol.ts';
import { type ConnectionState, connect } from '../data/client/client.ts';
import { browserFrames, FrameScheduler } from '../drawing/scheduler.ts';
import { App } from '../frame/app.tsx';
import { collectDroppedFiles } from '../frame/dropped-files.ts';
import { pageIds } from '../state/connection.ts';
import { memoryStorage, type SettingsStorage } from '../state/persisted.ts';
import { Button } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import { openDropped } from '../workbench/actions/dropped.ts';
import { WorkbenchContext } from '../workbench/context.ts';
import { begin, createWorkbench } from '../workbench/workbench.ts';
import { pageWorkloads } from '../workloads/index.ts';

/** Message shown if the page cannot connect to its host. */
function StartFailure({ error }: { readonly error: unknown }): ReactElement {
  return (
    <div className="start-failure grid">
      <EmptyState
        icon="error"
        tone="error"
        title="The workbench could not be opened"
        action={
          <Button icon="reset" tone="primary" onPress={() => location.reload()}>
            Try again
          </Button>
        }
      >
        {messageOf(error)} If you started it from a terminal, open the address that it printed last: each start has a
        new one.
      </EmptyState>
    </div>
  );
}

// zod compiles schemas with `new Function`, which the page's content security policy forbids.
config({ jitless: true });

/** The browser may forbid storage. Settings are then lost when the page closes. */
function settingsStorage(): SettingsStorage {
  try {
    localStorage.getItem('braggbench');
    return localStorage;
  } catch {
    return memoryStorage();
  }
}

function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/** Whether the page was reloaded, as by F5. */
function wasReloaded(): boolean {
  const [visit] = performance.getEntriesByType('navigation');
  return visit instanceof PerformanceNavigationTiming && visit.type === 'reload';
}

interface StartOptions {
  readonly openPort: () => Promise<Port>;
  /** False if the transport cannot be reopened. */
  readonly reconnect: boolean;
  /** Called after the workbench has been drawn, before it opens a document. */
  readonly drawn?: () => void;
}

export async function start({ openPort, reconnect, drawn }: StartOptions): Promise<void> {
  const element = document.getElementById('root');
  if (element === null) throw new Error('the page has no element for the workbench');
  const root = createRoot(element);
  const openDrops = collectDroppedFiles(window);
  try {
    let setState: (state: ConnectionState) => void = () => undefined;
    const client = await connect(openPort, { reconnect, onState: (state) => setState(state) });
    const workbench = createWorkbench({
      client,
      scheduler: new FrameScheduler(browserFrames()),
      storage: settingsStorage(),
      pages: pageIds(tabStorage(), wasReloaded()),
      workloads: pageWorkloads,
    });
    setState = (state) => workbench.stores.connection.setState({ state, capabilities: client.capabilities });
    root.render(
      <StrictMode>
        <WorkbenchContext value={workbench}>
          <App />
        </WorkbenchContext>
      </StrictMode>,
    );
    await workbench.scheduler.painted();
    drawn?.();
    const begun = begin(workbench, wasReloaded());
    // Accept dropped files only after the page has requested its initial document, so that a dropped file replaces that
    // document.
    openDrops((files) => void openDropped(files, workbench));
    await begun;
  } catch (error) {
    root.render(<StartFailure error={error} />);
  }
}
