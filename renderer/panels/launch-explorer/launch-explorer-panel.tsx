/** Effects of a block size on a kernel: grid, occupancy and its limit, waves, mapping of threads to elements. */
import '../../widgets/plots/plots.css';
import './launch-explorer-panel.css';
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import { elementsOfThread, threadPosition, threadsAlongX } from '../../../electron/domain/launch/launch.ts';
import { limiters } from '../../../electron/domain/launch/occupancy.ts';
import {
  explainReduction,
  type ReductionKind,
  reductionKinds,
  reductionTitles,
  valuesAfterSteps,
} from '../../../electron/domain/launch/reduction.ts';
import { compactCount, count, NO_VALUE, percent, significant } from '../../../electron/domain/numbers.ts';
import { occupancyChart } from '../../drawing/charts/occupancy-curve.ts';
import type { FigureSize } from '../../drawing/figures/figure.ts';
import { reductionFigure, reductionValuesFigure } from '../../drawing/figures/reduction.ts';
import { iterationsOf, strideFigure, threadMapFigure } from '../../drawing/figures/thread-map.ts';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Scrubber } from '../../widgets/controls/scrubber.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { type ReadoutItem, Readouts } from '../../widgets/plots/readout.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Controls } from './controls.tsx';
import {
  createLaunchStore,
  type ExplainedLaunch,
  explainSelection,
  type LaunchStore,
  useDriverOccupancy,
  useGpus,
  useKernels,
  withLoadedKernel,
} from './model.ts';
import { Section } from './section.tsx';

// Two animations run in steps: the iterations of a grid-stride loop, and the values of a reduction. Each can be played
// or set to a step.

/** Approximate duration of a complete animation in ms, limited so that steps can be followed. */
const ANIMATION_MS = 8000;
const SHORTEST_MS = 120;
const LONGEST_MS = 1000;

interface OperationPlayback {
  readonly index: number;
  readonly playing: boolean;
  readonly go: (index: number) => void;
  readonly toggle: () => void;
}

function useStepPlayback(steps: number): OperationPlayback {
  const [{ index, playing }, set] = useState({ index: 0, playing: false });
  const shown = Math.min(index, steps - 1);
  useEffect(() => {
    if (!playing) return;
    const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ANIMATION_MS / steps));
    const timer = setInterval(() => {
      set((now) => {
        const next = Math.min(steps - 1, now.index + 1);
        return { index: next, playing: next < steps - 1 };
      });
    }, pause);
    return () => clearInterval(timer);
  }, [playing, steps]);
  return {
    index: shown,
    playing: playing && steps > 1,
    go: (next) => set({ index: Math.min(steps - 1, Math.max(0, next)), playing: false }),
    toggle: () => set({ index: !playing && shown === steps - 1 ? 0 : shown, playing: !playing }),
  };
}

function StrideLoop({ explained }: { readonly explained: ExplainedLaunch }): ReactElement {
  const { launch, thread } = explained;
  const turns = iterationsOf(launch);
  const { index, playing, go, toggle } = useStepPlayback(turns);
  const figure = useCallback((size: FigureSize) => strideFigure(launch, thread, index, size), [launch, thread, index]);
  const words = `iteration ${count(index + 1)} of ${count(turns)}`;
  return (
    <Section id="loop" title="The loop over the data" explained={explained} drawn={figure}>
      <Scrubber
        plays="Play the loop"
        label="Iteration of the loop"
        words={words}
        index={index}
        count={turns}
        playing={playing}
        onToggle={toggle}
        onGo={go}
      >
        {words}
      </Scrubber>
    </Section>
  );
}

const starts = [
  { value: 'ones', label: '1 each', title: 'The sum then gives the number of values' },
  { value: 'numbers', label: 'Numbers', title: 'Thread t starts with the value t' },
] as const;

interface SumProps {
  readonly kind: ReductionKind;
  readonly threads: number;
  readonly explained: ExplainedLaunch;
}

function SumByThread({ kind, threads, explained }: SumProps): ReactElement {
  const [start, setStart] = useState<(typeof starts)[number]['value']>('ones');
  const states = useMemo(
    () =>
      valuesAfterSteps(
        kind,
        Array.from({ length: threads }, (_, t) => (start === 'ones' ? 1 : t)),
      ),
    [kind, threads, start],
  );
  const { steps } = useMemo(() => explainReduction(kind, threads), [kind, threads]);
  const { index, playing, go, toggle } = useStepPlayback(states.length);
  const figure = useCallback(
    (size: FigureSize) => reductionValuesFigure(kind, states, index, size),
    [kind, states, index],
  );
  const words = index === 0 ? 'before the first step' : `after ${steps[index - 1]?.text ?? ''}`;
  return (
    <Section id="values" title="The sum, thread by thread" explained={explained} drawn={figure}>
      <Segmented label="Values at the start" value={start} options={starts} onChange={setStart} />
      <Scrubber
        plays="Play the sum"
        label="Step of the sum"
        words={words}
        index={index}
        count={states.length}
        playing={playing}
        testId="sum-step"
        onToggle={toggle}
        onGo={go}
      >
        {words}
      </Scrubber>
    </Section>
  );
}

/** Text of three extents, such as `256 × 1 × 1`. */
const extentText = (values: readonly number[]): string => values.map(count).join(' × ');

function Notes({ explained }: { readonly explained: ExplainedLaunch }): ReactElement | null {
  const { notes } = explained.launch;
  return (
    <ul className="launch-notes grid" aria-label="Notes on this launch" aria-live="polite">
      {notes.map(({ severity, about, text }) => (
        <li className={`flex gap-s ${severity === 'refused' ? 'danger' : 'warning'}`} key={`${about} ${text}`}>
          <Icon name={severity === 'refused' ? 'error' : 'warning'} size={14} />
          <span>
            {severity === 'refused' ? <b>Cannot be launched. </b> : null}
            {text}
          </span>
        </li>
      ))}
      {notes.length === 0 ? (
        <li className="launch-notes__valid flex gap-s">
          <Icon name="check" size={14} />
          <span>This launch is valid.</span>
        </li>
      ) : null}
    </ul>
  );
}

function launchReadouts({ launch, kernel, gpu }: ExplainedLaunch, driverBlocks: number | null): readonly ReadoutItem[] {
  const { occupancy } = launch;
  const allows = limiters
    .filter((limiter) => Number.isFinite(occupancy.allows[limiter]))
    .map((limiter) => `${limiter} ${occupancy.allows[limiter]}`)
    .join(', ');
  return [
    { name: 'Grid', value: extentText(launch.grid), unit: 'blocks' },
    { name: 'Blocks', value: count(launch.blocks) },
    { name: 'Threads', value: launch.threads < 1e9 ? count(launch.threads) : compactCount(launch.threads) },
    { name: 'With an element', value: percent(launch.threadsUsed), title: 'Threads that process at least one element' },
    { name: 'Last block used', value: percent(launch.lastBlockUsed), title: 'Its threads that process an element' },
    { name: 'Elements per thread', value: count(launch.elementsPerThread), title: 'Maximum of all threads' },
    {
      name: 'Occupancy',
      value: percent(occupancy.share),
      strong: true,
      title: `${occupancy.warps} of ${gpu.limits.threads / gpu.limits.warpThreads} warps`,
    },
    {
      name: 'Resident blocks',
      value: count(occupancy.blocks),
      unit: 'per SM',
      strong: true,
      title: `Blocks allowed by each limit: ${allows}`,
    },
    { name: 'Limited by', value: occupancy.limitedBy.join(', '), title: `Blocks allowed by each limit: ${allows}` },
    ...(driverBlocks === null
      ? []
      : [
          {
            name: 'Driver reports',
            value: count(driverBlocks),
            unit: 'blocks',
            title: 'cuOccupancyMaxActiveBlocksPerMultiprocessor',
          },
        ]),
    { name: 'Waves', value: launch.waves === null ? NO_VALUE : significant(launch.waves, 4), strong: true },
    { name: 'Last wave used', value: percent(launch.lastWaveUsed) },
    {
      name: 'Tail',
      value: percent(launch.tail),
      title: "Share of the GPU's block slots × time that is idle in the last wave, if all blocks take the same time",
    },
    { name: 'Registers', value: count(kernel.registers), unit: 'per thread' },
    { name: 'Shared memory', value: count(kernel.shared_bytes + launch.request.dynamic_bytes), unit: 'B per block' },
    { name: 'Multiprocessors', value: count(gpu.limits.multiprocessors) },
  ];
}

function LaunchReadouts(props: {
  readonly explained: ExplainedLaunch;
  readonly driverBlocks: number | null;
}): ReactElement {
  return (
    <section aria-label="Numbers of the launch" data-testid="launch-numbers">
      <Readouts items={launchReadouts(props.explained, props.driverBlocks)} />
    </section>
  );
}

/** Selects the thread whose elements are framed. */
function ThreadChoice({
  store,
  explained,
}: {
  readonly store: LaunchStore;
  readonly explained: ExplainedLaunch;
}): ReactElement {
  const { launch, thread } = explained;
  const last = threadsAlongX(launch) - 1;
  const { block, lane, warp } = threadPosition(launch, thread);
  const { count: elements } = elementsOfThread(launch, thread, 0);
  const what = elements === 0 ? 'no element' : elements === 1 ? 'one element' : `${count(elements)} elements`;
  return (
    <div className="launch-thread flex center wrap gap-s muted">
      <span aria-hidden="true">Thread</span>
      <NumberField
        label="Thread whose elements are outlined"
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

function Figures({
  store,
  explained,
}: {
  readonly store: LaunchStore;
  readonly explained: ExplainedLaunch;
}): ReactElement {
  const kind = useSelected(store, (state) => state.reduction);
  const { kernel, gpu, launch, thread } = explained;
  const threads = Math.min(1024, launch.threadsPerBlock);
  const reduction = useMemo(() => explainReduction(kind, threads), [kind, threads]);
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
      {launch.request.mapping === 'grid-stride' ? <StrideLoop explained={explained} /> : null}
      <Section id="reduction" title="Sum over the threads of a block" explained={explained} drawn={tree}>
        <Select
          label="How a block computes the sum"
          value={kind}
          options={reductionKinds.map((value) => ({ value, label: reductionTitles[value] }))}
          onChange={(value) => store.setState({ reduction: reductionKinds.find((one) => one === value) ?? kind })}
        />
      </Section>
      <p className="launch-source muted small">
        {count(threads)} threads: {barriers} barriers, {warps} warp steps, {divergent} of them divergent (in the warning
        colour){worstWays > 1 ? `, up to ${worstWays} simultaneous accesses to one bank of shared memory` : ''}.
      </p>
      <SumByThread kind={kind} threads={threads} explained={explained} />
    </>
  );
}

export default function LaunchExplorerPanel(): ReactElement {
  const { stores, storage, settingsReset } = useWorkbench();
  const kind = useSelected(stores.scenario, ({ draft }) => kindOfDocument(draft));
  const store = useMemo(() => createLaunchStore(storage, settingsReset), [storage, settingsReset]);
  const config = useSelected(store, (state) => state);
  const kernels = useKernels();
  const gpus = useGpus();
  const reported = useMemo(
    () => (kernels === null ? null : explainSelection(config, kernels.sets, gpus, kind)),
    [config, kernels, gpus, kind],
  );
  const driver = useDriverOccupancy(reported);
  const explained = useMemo(() => (reported === null ? null : withLoadedKernel(reported, driver)), [reported, driver]);
  if (kernels === null || explained === null)
    return <EmptyState icon="gauge" title="Reading the kernels" action={null} />;
  return (
    <div className="plot-panel launch wide">
      <Controls config={config} store={store} kernels={kernels} gpus={gpus} explained={explained} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="launch-results grow scroll" tabIndex={0} aria-label="The launch explained">
        <Notes explained={explained} />
        <LaunchReadouts explained={explained} driverBlocks={driver?.blocks[0] ?? null} />
        <Figures store={store} explained={explained} />
      </section>
    </div>
  );
}
