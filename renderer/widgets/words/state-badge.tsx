/** State of a run as a word with a colour. */
import type { ReactElement } from 'react';
import type { RunState } from '../../../electron/contract/run.ts';
import './words.css';

const words: Readonly<Record<RunState, string>> = {
  queued: 'Queued',
  running: 'Running',
  done: 'Done',
  cancelled: 'Stopped',
  failed: 'Failed',
};

export function StateBadge({ state }: { readonly state: RunState }): ReactElement {
  return (
    <b className="state-badge muted small" data-state={state}>
      {words[state]}
    </b>
  );
}
