/** Points as lines across several axes; where they are very many, as their density. */
import { type MouseEvent, type ReactElement, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { idAt } from '../../../electron/contract/study/point-ids.ts';
import { count } from '../../base/numbers.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from '../../drawing/theme.ts';
import { useWorkbench } from '../../workbench/context.ts';
import type { HeatSide } from './heat-map.ts';
import { densityOf, type Kept, keptLines, MOST_LINES, nearestLine, paintDensity, paintLines } from './line-density.ts';
import { parallelOf } from './parallel.ts';
import { ParallelAxisView } from './parallel-axis.tsx';

interface ParallelAxesProps {
  readonly sides: readonly HeatSide[];
  /** Keys of columns that are logarithmic. */
  readonly logs: readonly string[];
  /** The point of each row, packed. */
  readonly points: Uint32Array;
  readonly onChoose: (point: string) => void;
}

/** As near to a line as a click has to be, pixels. */
const REACH = 6;

interface Room {
  readonly width: number;
  readonly height: number;
  readonly theme: DrawingTheme;
}

/** The room that lines have, and the colours that they are drawn in. */
function useRoom() {
  const ref = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<Room | null>(null);
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

const NONE: ReadonlyMap<string, Kept> = new Map();

/** Keeps the user's order; new axes come last. */
function ordered(wanted: readonly string[], before: readonly string[]): readonly string[] {
  const known = before.filter((key) => wanted.includes(key));
  return [...known, ...wanted.filter((key) => !known.includes(key))];
}

export function ParallelAxes({ sides, logs, points, onChoose }: ParallelAxesProps): ReactElement | null {
  const { scheduler } = useWorkbench();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { ref, room } = useRoom();
  const parallel = useMemo(() => parallelOf(sides, new Set(logs)), [sides, logs]);
  const [moved, setMoved] = useState<readonly string[]>([]);
  const [kept, setKept] = useState(NONE);
  const { axes: given, rows, left } = parallel;
  const axes = useMemo(() => {
    const byKey = new Map(given.map((axis) => [axis.key, axis]));
    return ordered([...byKey.keys()], moved).flatMap((key) => byKey.get(key) ?? []);
  }, [given, moved]);
  const crossings = useMemo(() => axes.map(({ at }) => at), [axes]);
  const on = useMemo(
    () =>
      keptLines(
        crossings,
        axes.map(({ key }) => kept.get(key) ?? null),
      ),
    [crossings, axes, kept],
  );
  const shown = useMemo(() => on.reduce((sum, one) => sum + one, 0), [on]);
  const dense = rows.length > MOST_LINES;
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
        Drag along an axis to keep a part of it, drag its name to move it, click a line to see its point. Colours go
        with {given.at(-1)?.title}.
        {left === 0 ? '' : ` ${count(left)} points lack a number on some axis, and have no line.`}
        {dense
          ? ` ${count(rows.length)} lines are drawn by density: stronger where more pass, by the logarithm, in the mean of their colours.`
          : ''}
        <span role="status">
          {' '}
          {shown < rows.length ? `${count(shown)} of ${count(rows.length)} lines are kept.` : ''}
        </span>
      </p>
      <div className="plot-panel__body">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form */}
        <div
          role="group"
          className="studies__parallel"
          aria-label={`Parallel coordinates${dense ? ', by density' : ''}: ${title}`}
        >
          <div ref={ref} className="studies__parallel-lines">
            <canvas ref={canvas} onClick={pick} />
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
                    kept={kept.get(axis.key) ?? null}
                    onKept={(range) => setKept((before) => new Map([...before, [axis.key, range]]))}
                    onMove={(places) => move(axis.key, places)}
                  />
                ))}
          </div>
        </div>
      </div>
    </>
  );
}
