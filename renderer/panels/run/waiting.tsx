/** Where readouts will be. */
import type { ReactElement } from 'react';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

export function Waiting({ workload }: { readonly workload: WorkloadName }): ReactElement {
  const { feeds } = useWorkbench();
  const status = useSelected(feeds[workload].status, (state) => state.status);
  return <p className="run-panel__text">{status.kind === 'failed' ? status.reason : 'Reading the results…'}</p>;
}
