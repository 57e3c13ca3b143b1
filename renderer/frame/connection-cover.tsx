/** What the page says while its host is away. */
import type { ReactElement } from 'react';
import { Button } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';

/** By then a network that hiccups is back, some eight seconds on: a host that ended never is, at this address. */
const LATE_ATTEMPT = 6;

export function ConnectionCover(): ReactElement | null {
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
