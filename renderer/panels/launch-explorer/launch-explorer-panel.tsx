/** What a block size means for a kernel: grid, occupancy and its limit, waves, which thread does what. */
import { type ReactElement, type ReactNode, useCallback, useMemo } from 'react';
import { elementsOfThread, placeOfThread, threadsAlongX } from '../../../electron/contract/launch/mapping.ts';
import { reductionKinds, reductionOf, reductionTitles } from '../../../electron/contract/launch/reduction.ts';
import { count } from '../../base/numbers.ts';
import type { Chart } from '../../drawing/charts/chart.ts';
import { occupancyChart } from '../../drawing/charts/occupancy-curve.ts';
import { plottedFigure } from '../../drawing/charts/plotted-figure.ts';
import { exported } from '../../drawing/figures/exported.ts';
import type { Figure, FigureSize } from '../../drawing/figures/figure.ts';
import { reductionFigure } from '../../drawing/figures/reduction-tree.ts';
import { threadMapFigure } from '../../drawing/figures/thread-map.ts';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { FigureView } from '../../widgets/plots/figure-view.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Controls } from './controls.tsx';
import { type Explained, explain, loadedBy, useDriver, useGpus, useKernels } from './model.ts';
import { Notes, Numbers } from './results.tsx';
import { createLaunchStore, type LaunchStore } from './store.ts';
import '../../widgets/plots/plot-panel.css';
import './launch-explorer-panel.css';

const EXPORT_SIZE = { width: 860, label: 11 } as const;

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly explained: Explained;
  /** A chart, or what draws itself. */
  readonly drawn: Chart | ((size: FigureSize) => Figure);
  readonly children?: ReactNode;
}

function Section({ id, title, explained, drawn, children }: SectionProps): ReactElement {
  const { figures, scheduler } = useWorkbench();
  const subject = explained.choice?.kernel.name ?? 'kernel';
  const about = { name: `${subject} ${title}`, title: `${subject}: ${title}`, notes: {} };
  const isChart = typeof drawn !== 'function';
  return (
    <section className="launch-section" aria-label={title} data-testid={`launch-${id}`}>
      <div className="launch-section__head">
        <h2>{title}</h2>
        {children}
        <ExportMenu
          what={title}
          onChoose={(format) => {
            const figure = isChart
              ? plottedFigure(drawn, about, { ...EXPORT_SIZE, height: null })
              : exported(drawn(EXPORT_SIZE), about.name, about.title);
            void figures.save(figure, format);
          }}
        />
      </div>
      {isChart ? <ShownChart chart={drawn} scheduler={scheduler} /> : <FigureView make={drawn} />}
    </section>
  );
}

function ThreadChoice({
  store,
  explained,
}: {
  readonly store: LaunchStore;
  readonly explained: Explained;
}): ReactElement {
  const { launch, thread } = explained;
  const last = threadsAlongX(launch) - 1;
  const { block, lane, warp } = placeOfThread(launch, thread);
  const { count: elements } = elementsOfThread(launch, thread, 0);
  const what = elements === 0 ? 'no element' : elements === 1 ? 'one element' : `${count(elements)} elements`;
  return (
    <div className="launch-thread">
      <span aria-hidden="true">Thread</span>
      <NumberField
        label="Thread whose elements are framed"
        value={thread}
        unit="1"
        placeholder={null}
        min={0}
        max={last}
        whole
        onChange={(next) => {
          if (typeof next === 'number' && Number.isInteger(next) && next >= 0)
            store.setState({ thread: Math.min(next, last) });
        }}
      />
      <span>
        block {count(block)}, thread {count(lane)} of it, warp {warp}: {what}
      </span>
    </div>
  );
}

function Figures({ store, explained }: { readonly store: LaunchStore; readonly explained: Explained }): ReactElement {
  const kind = useSelected(store, (state) => state.reduction);
  const { kernel, gpu, launch, thread } = explained;
  const threads = Math.min(1024, launch.threadsPerBlock);
  const reduction = useMemo(() => reductionOf(kind, threads), [kind, threads]);
  const curve = useMemo(() => occupancyChart(kernel, gpu.limits, launch), [kernel, gpu, launch]);
  const map = useCallback((size: FigureSize) => threadMapFigure(launch, thread, size), [launch, thread]);
  const tree = useCallback((size: FigureSize) => reductionFigure(reduction, threads, size), [reduction, threads]);
  const { barriers, divergent, warps, worstWays } = reduction;
  return (
    <>
      <Section id="occupancy" title="Occupancy by block size" explained={explained} drawn={curve} />
      <Section id="map" title="Threads and elements" explained={explained} drawn={map}>
        <ThreadChoice store={store} explained={explained} />
      </Section>
      <Section id="reduction" title="A sum over the threads of a block" explained={explained} drawn={tree}>
        <Select
          label="How a block adds"
          value={kind}
          options={reductionKinds.map((value) => ({ value, label: reductionTitles[value] }))}
          onChange={(value) => store.setState({ reduction: reductionKinds.find((one) => one === value) ?? kind })}
        />
      </Section>
      <p className="launch-source">
        {count(threads)} threads: {barriers} barriers, {warps} warp steps, {divergent} of them divergent (in the colour
        of warnings){worstWays > 1 ? `, up to ${worstWays} accesses to one bank of shared memory at once` : ''}.
      </p>
    </>
  );
}

export default function LaunchExplorerPanel(): ReactElement {
  const { storage, settingsReset } = useWorkbench();
  const store = useMemo(() => createLaunchStore(storage, settingsReset), [storage, settingsReset]);
  const config = useSelected(store, (state) => state);
  const kernels = useKernels();
  const gpus = useGpus();
  const reported = useMemo(
    () => (kernels === null ? null : explain(config, kernels.sets, gpus)),
    [config, kernels, gpus],
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
