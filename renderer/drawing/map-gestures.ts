/**
 * What pointer, wheel and arrow keys do on a map: move the crosshair, pin it,
 * zoom and pan. Speaks to its owner in the axes' units.
 */
import type { Interval } from '../../electron/contract/fields.ts';
import type { MapPoint } from './map-view.ts';
import { panned, zoomed } from './window.ts';

export interface MapExtent<T> {
  readonly horizontal: T;
  readonly vertical: T;
}

export interface GestureOwner {
  /** The point under a position in CSS pixels within the canvas; null outside the plot. */
  pointAt(x: number, y: number): MapPoint | null;
  /** Null while there is nothing to zoom in. */
  whole(): MapExtent<Interval> | null;
  windows(): MapExtent<Interval | undefined>;
  /** Null: the whole axis; a missing axis stays as it is. */
  zoom(changes: Partial<MapExtent<Interval | null>>): void;
  hover(point: MapPoint | null): void;
  pin(point: MapPoint): void;
  crosshair(): Partial<MapPoint> | null;
  resetZoom(): void;
}

/** Zoom per pixel of wheel: a notch of 100 is about 15 %. */
const WHEEL_ZOOM = 0.0015;
/** Pixels that a press may move and still be a click. */
const CLICK_SLOP = 3;
/** Steps of the arrow keys across the shown window; Shift takes ten at once. */
const KEY_STEPS = 200;

const arrows: Readonly<Record<string, readonly [horizontal: number, vertical: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** Listens until the returned function is called. */
export function listenForGestures(canvas: HTMLCanvasElement, owner: GestureOwner): () => void {
  let press: { x: number; y: number; moved: boolean } | null = null;
  const stop = new AbortController();
  const listen = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): void => canvas.addEventListener(type, listener, { ...options, signal: stop.signal });

  const pan = (event: PointerEvent, from: { readonly x: number; readonly y: number }): void => {
    const whole = owner.whole();
    const [before, now] = [owner.pointAt(from.x, from.y), owner.pointAt(event.offsetX, event.offsetY)];
    if (whole === null || before === null || now === null) return;
    const windows = owner.windows();
    const horizontal = panned(whole.horizontal, windows.horizontal, before.horizontal - now.horizontal);
    const vertical = panned(whole.vertical, windows.vertical, before.vertical - now.vertical);
    owner.zoom({ ...(horizontal && { horizontal }), ...(vertical && { vertical }) });
  };

  listen('pointerdown', (event) => {
    if (event.button !== 0 || owner.pointAt(event.offsetX, event.offsetY) === null) return;
    canvas.setPointerCapture(event.pointerId);
    press = { x: event.offsetX, y: event.offsetY, moved: false };
  });
  listen('pointermove', (event) => {
    if (press === null) {
      owner.hover(owner.pointAt(event.offsetX, event.offsetY));
      return;
    }
    if (!press.moved && Math.hypot(event.offsetX - press.x, event.offsetY - press.y) < CLICK_SLOP) return;
    pan(event, press);
    press = { x: event.offsetX, y: event.offsetY, moved: true };
    canvas.classList.add('is-dragged');
  });
  listen('pointerup', (event) => {
    const point = owner.pointAt(event.offsetX, event.offsetY);
    if (press?.moved === false && point !== null) owner.pin(point);
    press = null;
    canvas.classList.remove('is-dragged');
  });
  listen('pointerleave', () => owner.hover(null));
  listen('dblclick', () => owner.resetZoom());
  // Not passive: zooming keeps the page from scrolling.
  listen(
    'wheel',
    (event) => {
      const at = owner.pointAt(event.offsetX, event.offsetY);
      const whole = owner.whole();
      if (at === null || whole === null) return;
      event.preventDefault();
      const factor = Math.exp((event.deltaY || event.deltaX) * WHEEL_ZOOM);
      const windows = owner.windows();
      // Shift zooms along the horizontal axis alone, Alt along the vertical one.
      owner.zoom({
        ...(event.altKey ? {} : { horizontal: zoomed(whole.horizontal, windows.horizontal, at.horizontal, factor) }),
        ...(event.shiftKey ? {} : { vertical: zoomed(whole.vertical, windows.vertical, at.vertical, factor) }),
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
    const along = (at: number | undefined, [low, high]: Interval, steps: number): number =>
      Math.min(high, Math.max(low, (at ?? (low + high) / 2) + steps * size * (high - low)));
    owner.pin({
      horizontal: along(from?.horizontal, windows.horizontal ?? whole.horizontal, arrow[0]),
      vertical: along(from?.vertical, windows.vertical ?? whole.vertical, arrow[1]),
    });
  });
  return () => stop.abort();
}
