import { describe, expect, it } from 'vitest';
import { type GestureOwner, listenForGestures } from '../../../renderer/drawing/map-gestures.ts';
import type { MapPoint } from '../../../renderer/drawing/map-view.ts';

/** The parts of a canvas that the listeners use: events, capture, and a class list. */
class Canvas extends EventTarget {
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

function listening(tool: 'pan' | 'segment' = 'pan') {
  const canvas = new Canvas();
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

describe('the gestures on a map', () => {
  it('take a click for the point that was pressed, though the plot moves under the pointer', () => {
    const { canvas, pinned, zooms } = listening();
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    // A readout that has grown pushes the plot down; the browser then reports a new pointer position in it.
    canvas.send('pointermove', { client: [40, 50], top: 28 });
    canvas.send('pointerup', { client: [40, 50], top: 28 });
    expect(pinned).toEqual([{ horizontal: 40, vertical: 50 }]);
    expect(zooms).toEqual([]);
  });

  it('move the window so that the pressed point stays under the pointer', () => {
    const { canvas, pinned, zooms } = listening();
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    canvas.send('pointermove', { client: [30, 50], top: 0 });
    canvas.send('pointerup', { client: [30, 50], top: 0 });
    expect(pinned).toEqual([]);
    expect(zooms).toEqual([{ horizontal: [30, 70] }]);
  });

  it('mark from the pressed point as far as the edge of the plot', () => {
    const { canvas, marks, zooms } = listening('segment');
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    canvas.send('pointermove', { client: [140, 20], top: 0 });
    canvas.send('pointerup', { client: [140, 20], top: 0 });
    expect(marks).toEqual([['segment', { horizontal: 40, vertical: 50 }, { horizontal: 100, vertical: 20 }]]);
    expect(zooms).toEqual([]);
  });

  it('forget a press that the browser took away', () => {
    const { canvas, pinned } = listening();
    canvas.send('pointerdown', { client: [40, 50], top: 0 });
    canvas.send('pointercancel', { client: [40, 50], top: 0 });
    canvas.send('pointerup', { client: [40, 50], top: 0 });
    expect(pinned).toEqual([]);
  });
});
