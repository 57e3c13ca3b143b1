/**
 * Points as lines across several axes, or as line density if there are very many. Drag the name of an axis to move it.
 * Drag along an axis, or drag its ends, to select a range.
 */
import {
  type MouseEvent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { idAt } from '../../../electron/contract/study/result.ts';
import { count } from '../../../electron/domain/numbers.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from '../../drawing/theme.ts';
import { useWorkbench } from '../../workbench/context.ts';
import type { HeatSide } from './heat-map.ts';
import {
  type AxisRange,
  densityOf,
  MAX_LINES,
  nearestLine,
  type ParallelAxis,
  paintDensity,
  paintLines,
  parallelPlotOf,
  selectedLines,
  ticksOf,
  valueTextAt,
} from './parallel.ts';

interface ParallelAxisProps {
  readonly axis: ParallelAxis;
  /** Pixels from the left edge to the first axis, and between neighbouring axes. */
  readonly left: number;
  readonly step: number;
  readonly height: number;
  readonly label: number;
  readonly range: AxisRange;
  readonly onRange: (kept: AxisRange) => void;
  /** Moves the axis by a number of positions to the right. */
  readonly onMove: (places: number) => void;
}

/** Step of an arrow key at an end of the range, as a share of the axis; page keys move ten steps. */
const KEY_STEP = 0.01;
/** Maximum pointer movement of a click, in pixels. */
const CLICK = 3;

const clampToUnit = (at: number): number => Math.min(1, Math.max(0, at));

interface RangeEndProps extends Pick<ParallelAxisProps, 'axis' | 'onRange'> {
  readonly which: 'low' | 'high';
  readonly range: readonly [number, number];
}

function RangeEnd({ axis, which, range, onRange }: RangeEndProps): ReactElement {
  const at = range[which === 'low' ? 0 : 1];
  const put = (to: number): void => {
    const [low, high] =
      which === 'low'
        ? [Math.min(clampToUnit(to), range[1]), range[1]]
        : [range[0], Math.max(clampToUnit(to), range[0])];
    onRange(low <= 0 && high >= 1 ? null : [low, high]);
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
      aria-label={`${which === 'low' ? 'Lower' : 'Upper'} visible end of ${axis.title}`}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * at)}
      aria-valuetext={valueTextAt(axis, at)}
      style={{ bottom: `${100 * at}%` }}
      onKeyDown={(event) => {
        const by = steps[event.key];
        if (by === undefined && event.key !== 'Escape') return;
        event.preventDefault();
        if (by === undefined) onRange(null);
        else put(at + by);
      }}
    />
  );
}

function ParallelAxisView(props: ParallelAxisProps): ReactElement {
  const { axis, left, step, height, label, range, onRange, onMove } = props;
  const strip = useRef<HTMLDivElement>(null);
  /** Current drag: its start and the fixed end; null if there is none. */
  const press = useRef<{ readonly y: number; readonly anchor: number; moved: boolean } | null>(null);
  const moving = useRef<number | null>(null);
  const { ticks, title } = ticksOf(axis, height, label);
  const [low, high] = range ?? [0, 1];
  const placeOf = ({ clientY }: PointerEvent): number => {
    const { top, height: tall } = strip.current?.getBoundingClientRect() ?? { top: 0, height: 1 };
    return clampToUnit(1 - (clientY - top) / tall);
  };
  const pressed = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const { end } = (event.target as HTMLElement).dataset;
    const anchor = end === 'low' ? high : end === 'high' ? low : placeOf(event);
    press.current = { y: event.clientY, anchor, moved: false };
  };
  const dragged = (event: PointerEvent<HTMLDivElement>): void => {
    const from = press.current;
    if (from === null || (!from.moved && Math.abs(event.clientY - from.y) <= CLICK)) return;
    from.moved = true;
    const at = placeOf(event);
    const [lower, upper] = [Math.min(at, from.anchor), Math.max(at, from.anchor)];
    onRange(lower <= 0 && upper >= 1 ? null : [lower, upper]);
  };
  const released = ({ target }: PointerEvent<HTMLDivElement>): void => {
    const isEnd = (target as HTMLElement).dataset['end'] !== undefined;
    // A click outside the ends removes the range.
    if (press.current?.moved === false && !isEnd) onRange(null);
    press.current = null;
  };
  return (
    <div className="studies__parallel-axis" data-first={left === 0} style={{ left: `${left}px` }}>
      <button
        type="button"
        className="studies__axis-name small clip nowrap ink"
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
        {range === null ? null : (
          <div className="studies__axis-selection" style={{ bottom: `${100 * low}%`, top: `${100 * (1 - high)}%` }} />
        )}
        {(['low', 'high'] as const).map((which) => (
          <RangeEnd key={which} axis={axis} which={which} range={[low, high]} onRange={onRange} />
        ))}
      </div>
      <ul className="studies__axis-ticks overlay" aria-label={`Along ${title}`}>
        {ticks.map(({ at, text }) => (
          <li
            key={at}
            className="studies__axis-tick small ink nowrap"
            style={{ bottom: `${100 * at}%` }}
            data-minor={text === ''}
          >
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ParallelAxesProps {
  readonly sides: readonly HeatSide[];
  /** Keys of columns with a logarithmic axis. */
  readonly logs: readonly string[];
  /** Point number of each row. */
  readonly points: Uint32Array;
  readonly onChoose: (point: string) => void;
}

/** Maximum distance of a click from a line in pixels. */
const REACH = 6;

interface PlotSpace {
  readonly width: number;
  readonly height: number;
  readonly theme: DrawingTheme;
}

/** Size of the area for lines, and the theme of their colours. */
function usePlotSpace() {
  const ref = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<PlotSpace | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0 && height > 0) setRoom({ width, height, theme: readDrawingTheme(element) });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    const stop = onThemeChange(measure);
    return () => {
      observer.disconnect();
      stop();
    };
  }, []);
  return { ref, room };
}

const NO_RANGES: ReadonlyMap<string, AxisRange> = new Map();

/** Axes in the user's order; new ones come last. */
function orderAxes(wanted: readonly string[], before: readonly string[]): readonly string[] {
  const known = before.filter((key) => wanted.includes(key));
  return [...known, ...wanted.filter((key) => !known.includes(key))];
}

export function ParallelAxes({ sides, logs, points, onChoose }: ParallelAxesProps): ReactElement | null {
  const { scheduler } = useWorkbench();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { ref, room } = usePlotSpace();
  const parallel = useMemo(() => parallelPlotOf(sides, new Set(logs)), [sides, logs]);
  const [moved, setMoved] = useState<readonly string[]>([]);
  const [ranges, setRanges] = useState(NO_RANGES);
  const { axes: given, rows, omitted } = parallel;
  const axes = useMemo(() => {
    const byKey = new Map(given.map((axis) => [axis.key, axis]));
    return orderAxes([...byKey.keys()], moved).flatMap((key) => byKey.get(key) ?? []);
  }, [given, moved]);
  const crossings = useMemo(() => axes.map(({ at }) => at), [axes]);
  const on = useMemo(
    () =>
      selectedLines(
        crossings,
        axes.map(({ key }) => ranges.get(key) ?? null),
      ),
    [crossings, axes, ranges],
  );
  const shown = useMemo(() => on.reduce((sum, one) => sum + one, 0), [on]);
  const dense = rows.length > MAX_LINES;
  const tints = given.at(-1)?.at;
  useEffect(() => {
    if (room === null || tints === undefined) return;
    const paint = (): void => {
      const { width, height, theme } = room;
      if (canvas.current === null) return;
      if (dense) paintDensity(canvas.current, densityOf(crossings, on, tints, { most: width, height }), theme);
      else paintLines(canvas.current, crossings, on, tints, room);
      canvas.current.dataset['lines'] = String(shown);
    };
    scheduler.request(paint);
    return () => scheduler.cancel(paint);
  }, [room, crossings, on, shown, dense, tints, scheduler]);
  if (axes.length < 2) return null;
  const move = (key: string, places: number): void => {
    const keys = axes.map((axis) => axis.key);
    const from = keys.indexOf(key);
    const to = Math.min(keys.length - 1, Math.max(0, from + places));
    if (to !== from) setMoved(keys.toSpliced(from, 1).toSpliced(to, 0, key));
  };
  const step = (room?.width ?? 0) / (axes.length - 1);
  const pick = ({ clientX, clientY, currentTarget }: MouseEvent): void => {
    const { left: x, top: y, width, height } = currentTarget.getBoundingClientRect();
    const at = { across: (clientX - x) / width, up: 1 - (clientY - y) / height, reach: REACH / height };
    const line = nearestLine(crossings, on, at);
    const point = line === null ? null : idAt(points, rows[line] ?? -1);
    if (point !== null) onChoose(point);
  };
  const title = axes.map(({ title: name }) => name).join(', ');
  return (
    <>
      <p className="studies__said">
        Drag along an axis to select a part of it, drag its name to move it, click a line to see its point. Colours show{' '}
        {given.at(-1)?.title}.
        {omitted === 0 ? '' : ` ${count(omitted)} points have no line, because they lack a value on an axis.`}
        {dense
          ? ` ${count(rows.length)} lines are drawn as density: more opaque where more lines pass (logarithmic), in their mean colour.`
          : ''}
        <span role="status">
          {' '}
          {shown < rows.length ? `${count(shown)} of ${count(rows.length)} lines are shown.` : ''}
        </span>
      </p>
      <div className="plot-panel__body">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form */}
        <div
          role="group"
          className="studies__parallel overlay clip"
          aria-label={`Parallel coordinates${dense ? ', by density' : ''}: ${title}`}
        >
          <div ref={ref} className="studies__parallel-lines">
            <canvas className="overlay wide" ref={canvas} onClick={pick} />
            {room === null
              ? null
              : axes.map((axis, k) => (
                  <ParallelAxisView
                    key={axis.key}
                    axis={axis}
                    left={k * step}
                    step={step}
                    height={room.height}
                    label={room.theme.labelSize}
                    range={ranges.get(axis.key) ?? null}
                    onRange={(range) => setRanges((before) => new Map([...before, [axis.key, range]]))}
                    onMove={(places) => move(axis.key, places)}
                  />
                ))}
          </div>
        </div>
      </div>
    </>
  );
}
