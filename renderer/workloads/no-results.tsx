/** Placeholder for readouts that are not available yet. */
import type { ReactElement } from 'react';
import type { RunFollower } from '../data/run-data.ts';
import { useSelected } from '../workbench/context.ts';

export function NoResultsYet({ feed }: { readonly feed: Pick<RunFollower, 'status'> }): ReactElement {
  const status = useSelected(feed.status, (state) => state.status);
  return <p className="muted">{status.kind === 'failed' ? status.reason : 'Reading the results…'}</p>;
}
