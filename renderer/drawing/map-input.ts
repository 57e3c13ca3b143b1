/** All that the user does on a map: pointer, wheel and keys over the field, and the limits on its colour bar. */
import { type GestureOwner, listenForGestures } from './map-gestures.ts';
import type { MapView } from './map-view.ts';
import type { Limits } from './normalisation.ts';

/** Dragging the limits along a colour bar; a double click gives them back to the field. */
interface BarOwner {
  /** The limit under a press there, or null when it is not on the bar. */
  limitAt(x: number, y: number): keyof Limits | null;
  /** The limits with one of them at a height of the bar; null while nothing is shown. */
  limitsWith(which: keyof Limits, y: number): Limits | null;
  /** If null, the field's own limits are restored. */
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
  /** If null, the field's own limits are restored. If missing, the bar has no handles. */
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
