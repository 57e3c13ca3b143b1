/** What a block size means for a kernel: grid, occupancy and its limit, waves, which thread does what. */
import { type ReactElement, useMemo } from 'react';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Controls } from './controls.tsx';
import { Figures } from './figures.tsx';
import { explain, loadedBy, useDriver, useGpus, useKernels } from './model.ts';
import { Notes, Numbers } from './results.tsx';
import { createLaunchStore } from './store.ts';
import '../../widgets/plots/plot-panel.css';
import './launch-explorer-panel.css';

export default function LaunchExplorerPanel(): ReactElement {
  const { stores, storage, settingsReset } = useWorkbench();
  const kind = useSelected(stores.scenario, ({ draft }) => kindOfDocument(draft));
  const store = useMemo(() => createLaunchStore(storage, settingsReset), [storage, settingsReset]);
  const config = useSelected(store, (state) => state);
  const kernels = useKernels();
  const gpus = useGpus();
  const reported = useMemo(
    () => (kernels === null ? null : explain(config, kernels.sets, gpus, kind)),
    [config, kernels, gpus, kind],
  );
  const said = useDriver(reported);
  const explained = useMemo(() => (reported === null ? null : loadedBy(reported, said)), [reported, said]);
  if (kernels === null || explained === null)
    return <EmptyState icon="gauge" title="Reading the kernels" action={null} />;
  return (
    <div className="plot-panel launch">
      <Controls config={config} store={store} kernels={kernels} gpus={gpus} explained={explained} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <section className="launch-results" tabIndex={0} aria-label="The launch explained">
        <Notes explained={explained} />
        <Numbers explained={explained} driverBlocks={said?.blocks[0] ?? null} />
        <Figures store={store} explained={explained} />
      </section>
    </div>
  );
}
