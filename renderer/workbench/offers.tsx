/** Actions offered by empty panels: each performs the step instead of describing it. */
import type { ReactElement } from 'react';
import { Button } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import type { IconName } from '../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from './context.ts';

/** Runs the scenario in the form, or leads to the form if it has errors. */
export function RunOffer(): ReactElement {
  const { stores, runs } = useWorkbench();
  const canStart = useSelected(
    stores.scenario,
    ({ check }) => check?.issues.every((issue) => issue.severity !== 'error') ?? true,
  );
  if (!canStart) return <PanelOffer panel="scenario" icon="sliders" label="Show what is wrong in the form" />;
  return (
    <Button icon="run" onPress={() => void runs.start()}>
      Run the scenario
    </Button>
  );
}

interface PanelOfferProps {
  readonly panel: string;
  readonly icon: IconName;
  readonly label: string;
}

/** Leads to another panel. */
export function PanelOffer({ panel, icon, label }: PanelOfferProps): ReactElement {
  const { stores } = useWorkbench();
  return (
    <Button icon={icon} onPress={() => stores.layout.reveal(panel)}>
      {label}
    </Button>
  );
}

interface UnreadProps {
  readonly title: string;
  readonly reason: string;
  readonly again: () => void;
}

/** In place of what could not be read. */
export function Unread({ title, reason, again }: UnreadProps): ReactElement {
  return (
    <EmptyState icon="error" tone="error" title={title} action={<RetryOffer onPress={again} />}>
      {reason}
    </EmptyState>
  );
}

export function RetryOffer({ onPress }: { readonly onPress: () => void }): ReactElement {
  return (
    <Button icon="reset" onPress={onPress}>
      Try again
    </Button>
  );
}
