/** Pointer, wheel and key gestures of a timeline. Reports CSS pixels and actions to its owner. */

export interface TimelineGestures {
  /** Zooms by a factor (below 1: closer) around a position in CSS pixels, or around the middle. */
  zoom(factor: number, x: number | null): void;
  /** Pans by a share of the visible width. */
  panShare(share: number): void;
  panPixels(x: number, y: number): void;
  scroll(y: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  /** Selects the range between the start of a drag and its current position; `done` when the drag ends. */
  select(fromX: number, toX: number, done: boolean): void;
  /** Whether a drag that starts here selects instead of panning. */
  selects(x: number, y: number, shift: boolean): boolean;
  inGutter(x: number): boolean;
  key(action: TimelineKey): boolean;
}

export type TimelineKey = 'fit' | 'whole' | 'next' | 'previous' | 'clear' | 'left-span' | 'right-span';

/** Zoom exponent per pixel of wheel: a notch of 100 is about 20 %. */
const WHEEL_ZOOM = 0.0018;
const KEY_ZOOM = 0.75;
const KEY_PAN = 0.15;
const KEY_SCROLL_PX = 40;
/** Maximum pointer movement of a click, in pixels. */
const CLICK_SLOP = 3;

const keyActions: Readonly<Record<string, TimelineKey>> = {
  f: 'fit',
  Home: 'whole',
  0: 'whole',
  Enter: 'next',
  n: 'next',
  p: 'previous',
  Escape: 'clear',
  '[': 'left-span',
  ']': 'right-span',
};

/** Pixels per wheel unit, for wheels that report lines or pages. */
const wheelScale = (event: WheelEvent): number => (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);

function handleKey(owner: TimelineGestures, key: string, shift: boolean): boolean {
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case 'w':
    case '+':
    case '=':
      owner.zoom(KEY_ZOOM, null);
      return true;
    case 's':
    case '-':
      owner.zoom(1 / KEY_ZOOM, null);
      return true;
    case 'a':
    case 'ArrowLeft':
      owner.panShare(-KEY_PAN);
      return true;
    case 'd':
    case 'ArrowRight':
      owner.panShare(KEY_PAN);
      return true;
    case 'ArrowUp':
      owner.scroll(-KEY_SCROLL_PX);
      return true;
    case 'ArrowDown':
      owner.scroll(KEY_SCROLL_PX);
      return true;
    default: {
      const action = keyActions[key] ?? keyActions[key.toLowerCase()];
      if (action === undefined) return false;
      return owner.key(action === 'next' && shift ? 'previous' : action);
    }
  }
}

/** Listens until the returned function is called. */
export function listenOnTimeline(canvas: HTMLCanvasElement, owner: TimelineGestures): () => void {
  const stop = new AbortController();
  const listen = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): void => canvas.addEventListener(type, listener, { ...options, signal: stop.signal });
  let press: { x: number; y: number; lastX: number; lastY: number; moved: boolean; selects: boolean } | null = null;

  listen('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const { offsetX: x, offsetY: y } = event;
    press = { x, y, lastX: x, lastY: y, moved: false, selects: owner.selects(x, y, event.shiftKey) };
  });
  listen('pointermove', (event) => {
    const { offsetX: x, offsetY: y } = event;
    if (press === null) return owner.hover(x, y);
    if (!press.moved && Math.hypot(x - press.x, y - press.y) < CLICK_SLOP) return;
    press.moved = true;
    if (press.selects) owner.select(press.x, x, false);
    else {
      owner.panPixels(press.lastX - x, press.lastY - y);
      canvas.classList.add('is-dragged');
    }
    press.lastX = x;
    press.lastY = y;
  });
  const release = (event: PointerEvent): void => {
    if (press?.moved === false) owner.click(event.offsetX, event.offsetY);
    else if (press?.selects === true) owner.select(press.x, event.offsetX, true);
    press = null;
    canvas.classList.remove('is-dragged');
  };
  listen('pointerup', release);
  listen('pointercancel', () => {
    press = null;
    canvas.classList.remove('is-dragged');
  });
  listen('pointerleave', () => owner.leave());
  listen('dblclick', (event) => owner.doubleClick(event.offsetX, event.offsetY));
  // The listener is not passive, because zooming must prevent the page from scrolling.
  listen(
    'wheel',
    (event) => {
      event.preventDefault();
      const scale = wheelScale(event);
      const [x, y] = [event.deltaX * scale, event.deltaY * scale];
      if (event.altKey || (owner.inGutter(event.offsetX) && !event.ctrlKey)) owner.scroll(y);
      else if (event.shiftKey || Math.abs(x) > Math.abs(y)) owner.panPixels(x === 0 ? y : x, 0);
      // Pinching a touchpad arrives as a wheel with Ctrl, in smaller steps.
      else owner.zoom(Math.exp(y * WHEEL_ZOOM * (event.ctrlKey ? 4 : 1)), event.offsetX);
    },
    { passive: false },
  );
  listen('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (handleKey(owner, event.key, event.shiftKey)) event.preventDefault();
  });
  return () => stop.abort();
}
