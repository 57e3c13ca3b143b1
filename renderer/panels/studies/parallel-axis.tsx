/** One axis of parallel coordinates: drag its name to move it; drag along it, or drag its ends, to select a range. */
import { type PointerEvent, type ReactElement, useRef } from 'react';
import type { Kept } from './line-density.ts';
import { type ParallelAxis, ticksOf, wordsAt } from './parallel.ts';

interface ParallelAxisProps {
  readonly axis: ParallelAxis;
  /** Pixels from the left of the first axis, and between one and the next. */
  readonly left: number;
  readonly step: number;
  readonly height: number;
  readonly label: number;
  readonly kept: Kept;
  readonly onKept: (kept: Kept) => void;
  /** By so many places to the right. */
  readonly onMove: (places: number) => void;
}

/** Share of an axis that an arrow key moves an end by; ten times that by pages. */
const KEY_STEP = 0.01;
/** Pixels that a press may move and still be a click. */
const CLICK = 3;

const within = (at: number): number => Math.min(1, Math.max(0, at));

interface EndProps extends Pick<ParallelAxisProps, 'axis' | 'onKept'> {
  readonly which: 'low' | 'high';
  readonly range: readonly [number, number];
}

function End({ axis, which, range, onKept }: EndProps): ReactElement {
  const at = range[which === 'low' ? 0 : 1];
  const put = (to: number): void => {
    const [low, high] =
      which === 'low' ? [Math.min(within(to), range[1]), range[1]] : [range[0], Math.max(within(to), range[0])];
    onKept(low <= 0 && high >= 1 ? null : [low, high]);
  };
  const steps: Readonly<Record<string, number | undefined>> = {
    ...{ ArrowUp: KEY_STEP, ArrowRight: KEY_STEP, ArrowDown: -KEY_STEP, ArrowLeft: -KEY_STEP },
    ...{ PageUp: 10 * KEY_STEP, PageDown: -10 * KEY_STEP, Home: -1, End: 1 },
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      className="studies__axis-end"
      data-end={which}
      aria-label={`${which === 'low' ? 'Lower' : 'Upper'} end kept of ${axis.title}`}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * at)}
      aria-valuetext={wordsAt(axis, at)}
      style={{ bottom: `${100 * at}%` }}
      onKeyDown={(event) => {
        const by = steps[event.key];
        if (by === undefined && event.key !== 'Escape') return;
        event.preventDefault();
        if (by === undefined) onKept(null);
        else put(at + by);
      }}
    />
  );
}

export function ParallelAxisView(props: ParallelAxisProps): ReactElement {
  const { axis, left, step, height, label, kept, onKept, onMove } = props;
  const strip = useRef<HTMLDivElement>(null);
  /** Current drag: its start and the fixed end; null if there is none. */
  const press = useRef<{ readonly y: number; readonly anchor: number; moved: boolean } | null>(null);
  const moving = useRef<number | null>(null);
  const { ticks, title } = ticksOf(axis, height, label);
  const range = kept ?? ([0, 1] as const);
  const placeOf = ({ clientY }: PointerEvent): number => {
    const { top, height: tall } = strip.current?.getBoundingClientRect() ?? { top: 0, height: 1 };
    return within(1 - (clientY - top) / tall);
  };
  const pressed = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const { end } = (event.target as HTMLElement).dataset;
    const anchor = end === 'low' ? range[1] : end === 'high' ? range[0] : placeOf(event);
    press.current = { y: event.clientY, anchor, moved: false };
  };
  const dragged = (event: PointerEvent<HTMLDivElement>): void => {
    const from = press.current;
    if (from === null || (!from.moved && Math.abs(event.clientY - from.y) <= CLICK)) return;
    from.moved = true;
    const at = placeOf(event);
    const [low, high] = [Math.min(at, from.anchor), Math.max(at, from.anchor)];
    onKept(low <= 0 && high >= 1 ? null : [low, high]);
  };
  const released = ({ target }: PointerEvent<HTMLDivElement>): void => {
    const isEnd = (target as HTMLElement).dataset['end'] !== undefined;
    // A click outside the ends removes the range.
    if (press.current?.moved === false && !isEnd) onKept(null);
    press.current = null;
  };
  return (
    <div className="studies__parallel-axis" data-first={left === 0} style={{ left: `${left}px` }}>
      <button
        type="button"
        className="studies__axis-name"
        title={`${title}: drag it, or ← and →, to move this axis`}
        style={{ maxWidth: `${Math.max(step, 8 * label) - label / 2}px` }}
        onKeyDown={({ key }) => (key === 'ArrowLeft' ? onMove(-1) : key === 'ArrowRight' ? onMove(1) : undefined)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          moving.current = event.clientX;
        }}
        onPointerUp={({ clientX }) => {
          if (moving.current !== null) onMove(Math.round((clientX - moving.current) / Math.max(1, step)));
          moving.current = null;
        }}
      >
        {title}
      </button>
      <div
        ref={strip}
        className="studies__axis-strip"
        onPointerDown={pressed}
        onPointerMove={dragged}
        onPointerUp={released}
        onPointerCancel={() => (press.current = null)}
      >
        {kept === null ? null : (
          <div
            className="studies__axis-kept"
            style={{ bottom: `${100 * range[0]}%`, top: `${100 * (1 - range[1])}%` }}
          />
        )}
        {(['low', 'high'] as const).map((which) => (
          <End key={which} axis={axis} which={which} range={range} onKept={onKept} />
        ))}
      </div>
      <ul className="studies__axis-ticks" aria-label={`Along ${title}`}>
        {ticks.map(({ at, text }) => (
          <li key={at} className="studies__axis-tick" style={{ bottom: `${100 * at}%` }} data-minor={text === ''}>
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
