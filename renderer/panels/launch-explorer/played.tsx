/** What goes step by step: the turns of a grid-stride loop, and the values of a sum. Each plays, or stands where it is put. */
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import { type ReductionKind, reducedValues, reductionOf } from '../../../electron/contract/launch/reduction.ts';
import { count } from '../../base/numbers.ts';
import type { FigureSize } from '../../drawing/figures/figure.ts';
import { reductionValuesFigure } from '../../drawing/figures/reduction-values.ts';
import { strideFigure, turnsOf } from '../../drawing/figures/stride-loop.ts';
import { Scrubber } from '../../widgets/controls/scrubber.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import type { Explained } from './model.ts';
import { Section } from './section.tsx';

/** A whole loop passes in about this, and no step is shorter or longer than can be followed. */
const WHOLE_MS = 8000;
const SHORTEST_MS = 120;
const LONGEST_MS = 1000;

interface Played {
  readonly index: number;
  readonly playing: boolean;
  readonly go: (index: number) => void;
  readonly toggle: () => void;
}

function usePlayed(steps: number): Played {
  const [{ index, playing }, set] = useState({ index: 0, playing: false });
  const shown = Math.min(index, steps - 1);
  useEffect(() => {
    if (!playing) return;
    const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, WHOLE_MS / steps));
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

export function StrideLoop({ explained }: { readonly explained: Explained }): ReactElement {
  const { launch, thread } = explained;
  const turns = turnsOf(launch);
  const { index, playing, go, toggle } = usePlayed(turns);
  const figure = useCallback((size: FigureSize) => strideFigure(launch, thread, index, size), [launch, thread, index]);
  const words = `turn ${count(index + 1)} of ${count(turns)}`;
  return (
    <Section id="loop" title="The loop over the data" explained={explained} drawn={figure}>
      <Scrubber
        plays="Play the loop"
        label="Turn of the loop"
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
  { value: 'ones', label: '1 each', title: 'A sum then says how many values it holds' },
  { value: 'numbers', label: 'Numbers', title: 'Thread t begins with t' },
] as const;

interface SumProps {
  readonly kind: ReductionKind;
  readonly threads: number;
  readonly explained: Explained;
}

export function SumByThread({ kind, threads, explained }: SumProps): ReactElement {
  const [start, setStart] = useState<(typeof starts)[number]['value']>('ones');
  const states = useMemo(
    () =>
      reducedValues(
        kind,
        Array.from({ length: threads }, (_, t) => (start === 'ones' ? 1 : t)),
      ),
    [kind, threads, start],
  );
  const { steps } = useMemo(() => reductionOf(kind, threads), [kind, threads]);
  const { index, playing, go, toggle } = usePlayed(states.length);
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
