/** What the launch looks like: occupancy, threads and elements, the loop over them, and a sum over a block. */
import { type ReactElement, useCallback, useMemo } from 'react';
import { elementsOfThread, placeOfThread, threadsAlongX } from '../../../electron/contract/launch/mapping.ts';
import { reductionKinds, reductionOf, reductionTitles } from '../../../electron/contract/launch/reduction.ts';
import { count } from '../../base/numbers.ts';
import { occupancyChart } from '../../drawing/charts/occupancy-curve.ts';
import type { FigureSize } from '../../drawing/figures/figure.ts';
import { reductionFigure } from '../../drawing/figures/reduction-tree.ts';
import { threadMapFigure } from '../../drawing/figures/thread-map.ts';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { useSelected } from '../../workbench/context.ts';
import type { Explained } from './model.ts';
import { StrideLoop, SumByThread } from './played.tsx';
import { Section } from './section.tsx';
import type { LaunchStore } from './store.ts';

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

export function Figures({
  store,
  explained,
}: {
  readonly store: LaunchStore;
  readonly explained: Explained;
}): ReactElement {
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
      {launch.request.mapping === 'grid-stride' ? <StrideLoop explained={explained} /> : null}
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
      <SumByThread kind={kind} threads={threads} explained={explained} />
    </>
  );
}
