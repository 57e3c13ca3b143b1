/** Why there is no phase space to see, and what to do about it. */
import type { ReactElement } from 'react';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { SHOWN } from '../../data/run-data.ts';
import { RunFeed } from '../../data/run-feed.ts';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';
import { useAnyTrouble } from './shown-maps.ts';

interface NothingShownProps {
  readonly run: RunInfo | null;
  readonly hasMap: boolean;
}

export function NothingShown({ run, hasMap }: NothingShownProps): ReactElement | null {
  const { data, feeds } = useWorkbench();
  const status = useSelected(feeds.of(RunFeed).status, (state) => state.status);
  const kept = useCached(data.keyframes, SHOWN);
  const isTold = useAnyTrouble();
  if (status.kind === 'failed') {
    return (
      <Cover>
        <EmptyState icon="error" tone="error" title="There is no phase space to show" action={<RunOffer />}>
          {run?.error?.message ?? status.reason}
        </EmptyState>
      </Cover>
    );
  }
  if (hasMap) return null;
  if (status.kind === 'waiting') {
    return (
      <p className="plot-panel__note" role="status">
        {run?.state === 'queued' ? 'Waiting for the run before it.' : 'Waiting for the first step…'}
      </p>
    );
  }
  if (isTold) return null;
  if (status.kind === 'nothing') {
    return (
      <Cover>
        <EmptyState icon="quad" title="No phase space yet" action={<RunOffer />}>
          Run the scenario to see where its protons go.
        </EmptyState>
      </Cover>
    );
  }
  if (status.kind !== 'loaded' || kept?.frames.length !== 0) return null;
  return (
    <Cover>
      <EmptyState
        icon="quad"
        title="This run kept no phase space"
        action={<PanelOffer panel="scenario" icon="sliders" label="Show the scenario" />}
      >
        Its scenario asks for no keyframes: give it some under Output, and run it again.
      </EmptyState>
    </Cover>
  );
}

const Cover = ({ children }: { readonly children: ReactElement }): ReactElement => (
  <div className="plot-panel__cover">{children}</div>
);
