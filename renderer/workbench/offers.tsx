/**
 * Actions in empty panels: each performs the next step instead of describing it. `useNewKernel` creates a user kernel:
 * it asks for the template, writes the file, and opens it with the scenario that runs it.
 */
import type { ReactElement } from 'react';
import { Button } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import type { IconName } from '../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from './context.ts';

/** Button that runs the scenario being edited, or shows its form if it has errors. */
export function RunOffer(): ReactElement {
  const { stores, runs } = useWorkbench();
  const canStart = useSelected(
    stores.scenario,
    ({ check }) => check?.issues.every((issue) => issue.severity !== 'error') ?? true,
  );
  if (!canStart) return <PanelOffer panel="scenario" icon="sliders" label="Show the errors in the form" />;
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

/** Button that shows another panel. */
export function PanelOffer({ panel, icon, label }: PanelOfferProps): ReactElement {
  const { stores } = useWorkbench();
  return (
    <Button icon={icon} onPress={() => stores.layout.reveal(panel)}>
      {label}
    </Button>
  );
}

interface ReadFailureProps {
  readonly title: string;
  readonly reason: string;
  readonly onRetry: () => void;
}

/** Message in place of content that could not be read. */
export function ReadFailure({ title, reason, onRetry }: ReadFailureProps): ReactElement {
  return (
    <EmptyState icon="error" tone="error" title={title} action={<RetryOffer onPress={onRetry} />}>
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

/** `first`: preselected template. */
export function useNewKernel(): (first?: string) => Promise<void> {
  const { client, stores, documents, userKernels: actions } = useWorkbench();
  const { variants, unusable, scenarioFile } = useSelected(stores.userKernels, (state) => state);
  return async (first) => {
    try {
      const { beginnings } = await client.call('userKernels.beginnings', {});
      const taken = [...variants, ...unusable].map(({ id }) => id);
      const { devices } = stores.connection.getState().capabilities;
      const device = devices.cuda.devices.some(({ usable }) => usable) ? 'cuda' : 'cpu';
      const wanted = await stores.dialogs.ask('begin', { beginnings, taken, device, first: first ?? null });
      if (wanted === null) return;
      const { scenario, info } = await client.call('userKernels.begin', { beside: scenarioFile, ...wanted });
      await actions.refresh();
      if (!(await documents.openFile(scenario, `${wanted.id} problem`))) return;
      // A kernel created from the library opens in the layout for writing and comparing variants.
      if (first !== undefined) stores.layout.choose('compare');
      // In the layouts of another scenario kind, panels of that kind may be in front of the editor.
      stores.layout.reveal('kernel-editor');
      stores.userKernels.setState({ requestedVariant: info.id });
    } catch (error) {
      stores.notices.fail('The kernel could not be created', error);
    }
  };
}
