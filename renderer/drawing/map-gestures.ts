/**
 * Pointer, wheel and arrow keys on a map: move the crosshair, pin it, zoom and pan, or mark a segment or a rectangle.
 * Dragging on the colour bar moves its limits. The owner receives all positions in the axes' units.
 */
import type { Interval } from '../../electron/contract/fields.ts';
import type { Limits } from './colormap.ts';
import type { MapPoint, MapView } from './map-view.ts';

// Each axis is zoomed and panned by means of a window: the visible part of its full range.

/** Minimum window as a share of the full range: smaller windows have no cells to show. */
const SMALLEST_SHARE = 1e-3;

/**
 * Scales `window` (undefined: the full range) by `factor` around `at`, and clamps it to `whole`. Null if it covers the
 * full range.
 */
export function zoomWindow(whole: Interval, window: Interval | undefined, at: number, factor: number): Interval | null {
  const [from, to] = window ?? whole;
  const span = whole[1] - whole[0];
  const size = Math.max((to - from) * factor, span * SMALLEST_SHARE);
  if (size >= span * 0.999) return null;
  const share = (at - from) / (to - from);
  const start = Math.min(Math.max(at - share * size, whole[0]), whole[1] - size);
  return [start, start + size];
}

/** Moves `window` by `delta` inside `whole`. An axis that shows its full range does not move. */
export function panWindow(whole: Interval, window: Interval | undefined, delta: number): Interval | null {
  if (window === undefined) return null;
  const size = window[1] - window[0];
  const start = Math.min(Math.max(window[0] + delta, whole[0]), whole[1] - size);
  return [start, start + size];
}

export interface MapExtent<T> {
  readonly horizontal: T;
  readonly vertical: T;
}

/** Effect of dragging: move the window, or mark a part of the field. */
export type DragTool = 'pan' | 'segment' | 'region';

/** Something on the map that can be dragged, such as the border of a region. */
export interface MapHandle {
  /** Axis along which the handle moves. */
  readonly along: 'horizontal' | 'vertical';
  move(to: MapPoint): void;
  /** Called when the button is released or the drag is cancelled. */
  release(): void;
}

export interface GestureOwner {
  /** Point at a position in CSS pixels in the canvas; null outside the plot. */
  pointAt(x: number, y: number): MapPoint | null;
  /** Point at a position, or the nearest one on the plot's edge; null if nothing is shown. */
  nearestPoint(x: number, y: number): MapPoint | null;
  /** Full range of both axes; null if there is no map to zoom. */
  whole(): MapExtent<Interval> | null;
  windows(): MapExtent<Interval | undefined>;
  /** Sets the windows: null is the full axis, and a missing axis stays unchanged. */
  zoom(changes: Partial<MapExtent<Interval | null>>): void;
  hover(point: MapPoint | null): void;
  pin(point: MapPoint): void;
  crosshair(): Partial<MapPoint> | null;
  /** True if the vertical axis points down; Up then decreases the value. */
  readonly down?: boolean;
  /** Step of an arrow key along both axes; if missing, a share of the visible window. */
  readonly keyStep?: number;
  resetZoom(): void;
  /** Draggable handle within `near` of a point; null if there is none. */
  handle?(at: MapPoint, near: MapPoint): MapHandle | null;
  /** Current drag tool; `pan` if missing. */
  tool?(): DragTool;
  /** Called for every pointer move of a drag with the tool, with its start and current point. */
  mark?(tool: Exclude<DragTool, 'pan'>, from: MapPoint, to: MapPoint): void;
}

/** Zoom exponent per pixel of wheel: a notch of 100 scales by about 16 %. */
const WHEEL_ZOOM = 0.0015;
/** Distance in pixels within which a press grabs a handle. */
const HANDLE_SLOP = 5;
/** Maximum pointer movement of a click, in pixels. */
const CLICK_SLOP = 3;
/** Arrow-key steps across the visible window; Shift moves ten steps. */
const KEY_STEPS = 200;

const arrows: Readonly<Record<string, readonly [horizontal: number, vertical: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

interface Press {
  /** Point under the pointer at the press. A click refers to it even if the page moves the canvas. */
  readonly point: MapPoint;
  /** Position in the browser window: a plot that moves under a resting pointer is not a drag. */
  readonly clientX: number;
  readonly clientY: number;
  readonly tool: DragTool;
  readonly handle: MapHandle | null;
  moved: boolean;
}

/** Listens until the returned function is called. */
export function listenForGestures(canvas: HTMLCanvasElement, owner: GestureOwner): () => void {
  let press: Press | null = null;
  const stop = new AbortController();
  const listen = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): void => canvas.addEventListener(type, listener, { ...options, signal: stop.signal });

  /** Pans so that the pressed point is under the pointer again. */
  const pan = (event: PointerEvent, { point }: Press): void => {
    const whole = owner.whole();
    const now = owner.pointAt(event.offsetX, event.offsetY);
    if (whole === null || now === null) return;
    const windows = owner.windows();
    const horizontal = panWindow(whole.horizontal, windows.horizontal, point.horizontal - now.horizontal);
    const vertical = panWindow(whole.vertical, windows.vertical, point.vertical - now.vertical);
    owner.zoom({ ...(horizontal && { horizontal }), ...(vertical && { vertical }) });
  };

  const handleAt = (event: PointerEvent, point: MapPoint): MapHandle | null => {
    if (owner.handle === undefined || (owner.tool?.() ?? 'pan') !== 'pan') return null;
    const neighbour = owner.nearestPoint(event.offsetX + HANDLE_SLOP, event.offsetY + HANDLE_SLOP);
    const before = owner.nearestPoint(event.offsetX - HANDLE_SLOP, event.offsetY - HANDLE_SLOP);
    if (neighbour === null || before === null) return null;
    // Use the longer side of the neighbourhood, because the plot's edge cuts the other side short.
    const near = (axis: keyof MapPoint): number =>
      Math.max(Math.abs(neighbour[axis] - point[axis]), Math.abs(before[axis] - point[axis]));
    return owner.handle(point, { horizontal: near('horizontal'), vertical: near('vertical') });
  };
  const show = (handle: MapHandle | null): void => {
    canvas.style.cursor = handle === null ? '' : handle.along === 'horizontal' ? 'ew-resize' : 'ns-resize';
  };

  listen('pointerdown', (event) => {
    const point = owner.pointAt(event.offsetX, event.offsetY);
    if (event.button !== 0 || point === null) return;
    canvas.setPointerCapture(event.pointerId);
    const { clientX, clientY } = event;
    press = { point, clientX, clientY, tool: owner.tool?.() ?? 'pan', handle: handleAt(event, point), moved: false };
  });
  listen('pointermove', (event) => {
    if (press === null) {
      const over = owner.pointAt(event.offsetX, event.offsetY);
      owner.hover(over);
      show(over && handleAt(event, over));
      return;
    }
    if (!press.moved && Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) < CLICK_SLOP) return;
    press.moved = true;
    if (press.handle !== null) {
      const to = owner.nearestPoint(event.offsetX, event.offsetY);
      if (to !== null) press.handle.move(to);
      return;
    }
    if (press.tool === 'pan') {
      pan(event, press);
      canvas.classList.add('is-dragged');
      return;
    }
    const to = owner.nearestPoint(event.offsetX, event.offsetY);
    if (to !== null) owner.mark?.(press.tool, press.point, to);
  });
  const release = (): void => {
    if (press?.moved === true) press.handle?.release();
    press = null;
    canvas.classList.remove('is-dragged');
  };
  listen('pointerup', () => {
    if (press?.moved === false) owner.pin(press.point);
    release();
  });
  listen('pointercancel', release);
  listen('pointerleave', () => owner.hover(null));
  listen('dblclick', (event) => {
    if (owner.pointAt(event.offsetX, event.offsetY) !== null) owner.resetZoom();
  });
  // The listener is not passive, because zooming must prevent the page from scrolling.
  listen(
    'wheel',
    (event) => {
      const at = owner.pointAt(event.offsetX, event.offsetY);
      const whole = owner.whole();
      if (at === null || whole === null) return;
      event.preventDefault();
      const factor = Math.exp((event.deltaY || event.deltaX) * WHEEL_ZOOM);
      const windows = owner.windows();
      // Shift zooms only along the horizontal axis, Alt only along the vertical one.
      owner.zoom({
        ...(event.altKey
          ? {}
          : { horizontal: zoomWindow(whole.horizontal, windows.horizontal, at.horizontal, factor) }),
        ...(event.shiftKey ? {} : { vertical: zoomWindow(whole.vertical, windows.vertical, at.vertical, factor) }),
      });
    },
    { passive: false },
  );
  listen('keydown', (event) => {
    const whole = owner.whole();
    const arrow = arrows[event.key];
    if (whole === null || arrow === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const windows = owner.windows();
    const from = owner.crosshair();
    const size = (event.shiftKey ? 10 : 1) / KEY_STEPS;
    const press = owner.keyStep === undefined ? null : owner.keyStep * (event.shiftKey ? 10 : 1);
    const along = (at: number | undefined, [low, high]: Interval, steps: number): number =>
      Math.min(high, Math.max(low, (at ?? (low + high) / 2) + steps * (press ?? size * (high - low))));
    owner.pin({
      horizontal: along(from?.horizontal, windows.horizontal ?? whole.horizontal, arrow[0]),
      vertical: along(from?.vertical, windows.vertical ?? whole.vertical, owner.down === true ? -arrow[1] : arrow[1]),
    });
  });
  return () => stop.abort();
}

/** Receiver of drags along a colour bar, which move a limit. A double click restores the field's limits. */
interface BarOwner {
  /** Limit at a press position; null if it is not on the bar. */
  limitAt(x: number, y: number): keyof Limits | null;
  /** Limits with one of them moved to a height on the bar; null if nothing is shown. */
  limitsWith(which: keyof Limits, y: number): Limits | null;
  /** Sets the limits; null restores the field's limits. */
  setLimits(limits: Limits | null): void;
}

/** Listens until the returned function is called. */
function listenForLimits(canvas: HTMLCanvasElement, owner: BarOwner): () => void {
  let held: keyof Limits | null = null;
  const stop = new AbortController();
  const options = { signal: stop.signal };
  const move = (event: PointerEvent): void => {
    if (held === null) return;
    const limits = owner.limitsWith(held, event.offsetY);
    if (limits !== null) owner.setLimits(limits);
  };
  const release = (): void => {
    held = null;
  };
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      held = owner.limitAt(event.offsetX, event.offsetY);
      if (held !== null) canvas.setPointerCapture(event.pointerId);
    },
    options,
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      canvas.classList.toggle('is-over-bar', held !== null || owner.limitAt(event.offsetX, event.offsetY) !== null);
      move(event);
    },
    options,
  );
  canvas.addEventListener('pointerup', release, options);
  canvas.addEventListener('pointercancel', release, options);
  canvas.addEventListener(
    'dblclick',
    (event) => {
      if (owner.limitAt(event.offsetX, event.offsetY) !== null) owner.setLimits(null);
    },
    options,
  );
  return () => stop.abort();
}

export interface MapOwner extends Omit<GestureOwner, 'pointAt' | 'nearestPoint'> {
  /** Sets the limits; null restores the field's limits. If missing, the bar has no handles. */
  setLimits?(limits: Limits | null): void;
}

/** Listens until the returned function is called. */
export function listenToMap(map: MapView, canvas: HTMLCanvasElement, owner: MapOwner): () => void {
  const { setLimits } = owner;
  const stops = [
    listenForGestures(canvas, {
      ...owner,
      pointAt: (x, y) => map.pointAt(x, y),
      nearestPoint: (x, y) => map.nearestPoint(x, y),
    }),
  ];
  if (setLimits !== undefined) {
    stops.push(
      listenForLimits(canvas, {
        limitAt: (x, y) => map.limitAt(x, y),
        limitsWith: (which, y) => map.limitsWith(which, y),
        setLimits,
      }),
    );
  }
  return () => {
    for (const stop of stops) stop();
  };
}
