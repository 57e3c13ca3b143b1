import { describe, expect, it, vi } from 'vitest';
import { plotFrame } from '../../../renderer/drawing/axes.ts';
import { type GestureOwner, listenForGestures } from '../../../renderer/drawing/map-gestures.ts';
import type { MapPoint } from '../../../renderer/drawing/map-view.ts';
import { logScale } from '../../../renderer/drawing/scale.ts';
import { FrameScheduler } from '../../../renderer/drawing/scheduler.ts';

/** The parts of a canvas that the listeners use: events, capture, and a class list. */
class FakeCanvas extends EventTarget {
  readonly classList = new Set<string>() as unknown as DOMTokenList;
  constructor() {
    super();
    Object.assign(this.classList, {
      remove: (name: string) => (this.classList as unknown as Set<string>).delete(name),
    });
  }
  setPointerCapture(): void {}
  send(type: string, at: { readonly client: readonly [number, number]; readonly top: number }): void {
    const [clientX, clientY] = at.client;
    const event = new Event(type);
    Object.assign(event, { button: 0, pointerId: 1, clientX, clientY, offsetX: clientX, offsetY: clientY - at.top });
    this.dispatchEvent(event);
  }
}

function listenToMap(tool: 'pan' | 'segment' = 'pan') {
  const canvas = new FakeCanvas();
  const pinned: MapPoint[] = [];
  const zooms: unknown[] = [];
  const marks: (readonly [string, MapPoint, MapPoint])[] = [];
  const point = (x: number, y: number): MapPoint => ({ horizontal: x, vertical: y });
  const owner: GestureOwner = {
    pointAt: (x, y) => (x >= 0 && x <= 100 && y >= 0 && y <= 100 ? point(x, y) : null),
    nearestPoint: (x, y) => point(Math.min(100, Math.max(0, x)), Math.min(100, Math.max(0, y))),
    whole: () => ({ horizontal: [0, 100], vertical: [0, 100] }),
    windows: () => ({ horizontal: [20, 60], vertical: undefined }),
    zoom: (change) => zooms.push(change),
    hover: () => undefined,
    pin: (at) => pinned.push(at),
    crosshair: () => null,
    resetZoom: () => undefined,
    tool: () => tool,
    mark: (kind, from, to) => marks.push([kind, from, to]),
  };
  listenForGestures(canvas as unknown as HTMLCanvasElement, owner);
  return { canvas, pinned, zooms, marks };
}

describe('gestures on a map', () => {
  it('use the pressed point for a click, even if the plot moves under the pointer', () => {
    const { canvas, pinned, zooms } = listenToMap();
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    // A readout that grows pushes the plot down; the browser then reports another pointer position within it.
    canvas.send('pointermove', { client: [40, 50], top: 28 });
    canvas.send('pointerup', { client: [40, 50], top: 28 });
    expect(pinned).toEqual([{ horizontal: 40, vertical: 50 }]);
    expect(zooms).toEqual([]);
  });

  it('move the window so that the pressed point stays under the pointer', () => {
    const { canvas, pinned, zooms } = listenToMap();
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    canvas.send('pointermove', { client: [30, 50], top: 0 });
    canvas.send('pointerup', { client: [30, 50], top: 0 });
    expect(pinned).toEqual([]);
    expect(zooms).toEqual([{ horizontal: [30, 70] }]);
  });

  it('select from the pressed point up to the edge of the plot', () => {
    const { canvas, marks, zooms } = listenToMap('segment');
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    canvas.send('pointermove', { client: [140, 20], top: 0 });
    canvas.send('pointerup', { client: [140, 20], top: 0 });
    expect(marks).toEqual([['segment', { horizontal: 40, vertical: 50 }, { horizontal: 100, vertical: 20 }]]);
    expect(zooms).toEqual([]);
  });

  it('forget a press that the browser cancelled', () => {
    const { canvas, pinned } = listenToMap();
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    canvas.send('pointercancel', { client: [40, 50], top: 0 });
    canvas.send('pointerup', { client: [40, 50], top: 0 });
    expect(pinned).toEqual([]);
  });
});

describe('a logarithmic axis', () => {
  const scale = logScale(1e-6, 1, 120, 0);

  it('gives every decade the same space, in both directions', () => {
    expect(scale.toPixel(1e-6)).toBeCloseTo(120, 9);
    expect(scale.toPixel(1e-3)).toBeCloseTo(60, 9);
    for (const value of [1e-6, 3e-4, 0.5]) expect(scale.toValue(scale.toPixel(value))).toBeCloseTo(value, 12);
  });

  it('has no position for values that are not positive', () => {
    expect(scale.toPixel(0)).toBeNaN();
    expect(scale.toPixel(-1)).toBeNaN();
  });
});

describe('the space around a plot', () => {
  it('is larger for single maps than for maps next to each other, and curves have no colour bar', () => {
    const [full, compact, curves] = (['full', 'compact', 'curves'] as const).map((room) =>
      plotFrame(400, 200, 11, room),
    );
    expect(compact?.plot.width).toBeGreaterThan(full?.plot.width ?? Number.POSITIVE_INFINITY);
    expect(compact?.bar).not.toBeNull();
    expect(curves?.bar).toBeNull();
    // The left edges of the plots are aligned.
    expect([compact?.plot.left, curves?.plot.left]).toEqual([full?.plot.left, full?.plot.left]);
  });

  it('omits the colour bar before the field', () => {
    expect(plotFrame(200, 200, 11, 'compact').bar).toBeNull();
  });
});

/** Frames on demand, with a clock that a painter can move. */
function createFrameSource() {
  let waiting: ((time_ms: number) => void) | null = null;
  const clock = { now_ms: 0 };
  return {
    clock,
    asked: () => waiting !== null,
    next: () => {
      const callback = waiting;
      waiting = null;
      callback?.(clock.now_ms);
    },
    source: {
      request: (callback: (time_ms: number) => void) => {
        waiting = callback;
        return 1;
      },
      now: () => clock.now_ms,
    },
  };
}

describe('the frame loop', () => {
  it('calls each painter once per frame, and none while nothing is requested', () => {
    const f = createFrameSource();
    const scheduler = new FrameScheduler(f.source);
    const paint = vi.fn();
    expect(f.asked()).toBe(false);
    scheduler.request(paint);
    scheduler.request(paint);
    f.next();
    expect(paint).toHaveBeenCalledTimes(1);
    expect(f.asked()).toBe(false);
  });

  it('defers requests made during painting to the next frame', () => {
    const f = createFrameSource();
    const scheduler = new FrameScheduler(f.source);
    let turns = 0;
    const again = () => {
      turns += 1;
      if (turns < 3) scheduler.request(again);
    };
    scheduler.request(again);
    f.next();
    expect(turns).toBe(1);
    f.next();
    f.next();
    expect(turns).toBe(3);
  });

  it('returns credits after painting, even if a painter fails', async () => {
    const f = createFrameSource();
    const scheduler = new FrameScheduler(f.source);
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const order: string[] = [];
    scheduler.request(() => {
      throw new Error('broken layer');
    });
    scheduler.request(() => void order.push('painted'));
    const credit = scheduler.painted().then(() => order.push('credit'));
    f.next();
    await credit;
    expect(order).toEqual(['painted', 'credit']);
    expect(reported).toHaveBeenCalledTimes(1);
    vi.unstubAllGlobals();
  });

  it('forgets painters whose canvas is gone, and measures its frames', () => {
    const f = createFrameSource();
    const scheduler = new FrameScheduler(f.source);
    const gone = vi.fn();
    scheduler.request(gone);
    scheduler.cancel(gone);
    scheduler.request(() => {
      f.clock.now_ms += 7;
    });
    f.next();
    expect(gone).not.toHaveBeenCalled();
    expect(scheduler.statistics).toMatchObject({ frames: 1, last_ms: 7, longest_ms: 7 });
  });
});
