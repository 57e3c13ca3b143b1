/** Dragging the limits along a colour bar; a double click gives them back to the field. */
import type { Limits } from './normalisation.ts';

interface BarOwner {
  /** The limit under a press there, or null when it is not on the bar. */
  limitAt(x: number, y: number): keyof Limits | null;
  /** The limits with one of them at a height of the bar; null while nothing is shown. */
  limitsWith(which: keyof Limits, y: number): Limits | null;
  /** Null: the field's own again. */
  setLimits(limits: Limits | null): void;
}

/** Listens until the returned function is called. */
export function listenForLimits(canvas: HTMLCanvasElement, owner: BarOwner): () => void {
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
