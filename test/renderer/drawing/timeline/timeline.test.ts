import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lane, TimelineWindow } from '../../../../electron/contract/timeline.ts';
import { fittingName, placementOf, visibleLanes } from '../../../../renderer/drawing/timeline/paint-spans.ts';
import {
  clampWindow,
  FOLDED_TRACKS,
  fitWindow,
  laneKey,
  layOutTimeline,
  rowsOf,
  type SceneBlock,
  SHORTEST_NS,
  scrolledTo,
  shiftedWindow,
  type TimelineScene,
  timelineMetrics,
  timeOf,
  trackPosition,
  windowRevealing,
  xOf,
  zoomedAt,
} from '../../../../renderer/drawing/timeline/scene.ts';
import { exactTime, timeText, timeTicks } from '../../../../renderer/drawing/timeline/time-text.ts';
import { pointedAt } from '../../../../renderer/drawing/timeline/timeline-view.ts';
import {
  parseHex,
  pixelOf,
  timelinePalette,
  writeRectangles,
} from '../../../../renderer/drawing/timeline/track-pixels.ts';

describe('times as text', () => {
  it.each([
    [0, '0 ns'],
    [0.25, '0.3 ns'],
    [12, '12 ns'],
    [999.4, '999 ns'],
    [999.6, '1.00 µs'],
    [17_230, '17.2 µs'],
    [3_946_490, '3.95 ms'],
    [999_999_999, '1.00 s'],
    [12.34e9, '12.3 s'],
    [90e9, '1.50 min'],
    [-17_230, '−17.2 µs'],
  ])('%d ns in three digits is shown as %s', (ns, text) => {
    expect(timeText(ns)).toBe(text);
  });

  it.each([
    [0, '0 ns'],
    [950, '950 ns'],
    [112_153_932, '112.153\u202f932 ms'],
    [20_500, '20.5 µs'],
    [123_456_789_012, '2 min 3.456\u202f789\u202f012 s'],
    [-1_000_000, '−1 ms'],
  ])('%d ns in full is shown as %s', (ns, text) => {
    expect(exactTime(ns)).toBe(text);
  });
});

describe('a time ruler', () => {
  it('has units from nanoseconds to minutes', () => {
    const labels = (from: number, to: number) => timeTicks(from, to, 5).ticks.map(({ label }) => label);
    expect(labels(0, 100)).toEqual(['0 ns', '20 ns', '40 ns', '60 ns', '80 ns', '100 ns']);
    expect(labels(0, 4e6)).toEqual(['0 ms', '1 ms', '2 ms', '3 ms', '4 ms']);
    expect(labels(0, 30e9)).toEqual(['0 s', '10 s', '20 s', '30 s']);
    expect(labels(0, 300e9)).toEqual(['0 min', '1 min', '2 min', '3 min', '4 min', '5 min']);
  });

  it('counts from a nearby rounded time if it is far from zero', () => {
    const { base_ns, ticks } = timeTicks(120e9 + 300, 120e9 + 400, 5);
    expect(base_ns).toBe(120e9);
    expect(ticks.map(({ label }) => label)).toEqual(['+300 ns', '+320 ns', '+340 ns', '+360 ns', '+380 ns', '+400 ns']);
  });

  it('has at most the requested number of ticks, all inside, at any position', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e12, max: 1e12, noNaN: true }),
        fc.double({ min: 1, max: 12, noNaN: true }),
        fc.integer({ min: 2, max: 20 }),
        (from, exponent, most) => {
          const to = from + 10 ** exponent;
          const { ticks, step_ns } = timeTicks(from, to, most);
          expect(ticks.length).toBeLessThanOrEqual(most + 1);
          for (const { ns } of ticks) {
            expect(ns).toBeGreaterThanOrEqual(from - step_ns * 1e-3 - 1e-3);
            expect(ns).toBeLessThanOrEqual(to + step_ns * 1e-3 + 1e-3);
          }
        },
      ),
    );
  });
});

describe('the visible window of time', () => {
  const whole = { from: 0, to: 180e9 };

  it('zooms from minutes to ten nanoseconds around a fixed moment', () => {
    const at = 97.123456789e9;
    let window = fitWindow(whole);
    const share = (at - window.from) / (window.to - window.from);
    for (let i = 0; i < 200; i += 1) window = zoomedAt(window, whole, at, 0.85);
    expect(window.to - window.from).toBeCloseTo(SHORTEST_NS, 4);
    expect((at - window.from) / (window.to - window.from)).toBeCloseTo(share, 3);
    for (let i = 0; i < 200; i += 1) window = zoomedAt(window, whole, at, 1 / 0.85);
    expect(window.to - window.from).toBeCloseTo(fitWindow(whole).to - fitWindow(whole).from, -3);
  });

  it('never leaves the trace, whatever the gesture', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('zoom'), by: fc.double({ min: 0.01, max: 100, noNaN: true }) }),
      fc.record({ kind: fc.constant('move'), by: fc.double({ min: -1e12, max: 1e12, noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.double({ min: 0, max: 1, noNaN: true }), (steps, share) => {
        let window = fitWindow(whole);
        for (const { kind, by } of steps) {
          const at = window.from + share * (window.to - window.from);
          window = kind === 'zoom' ? zoomedAt(window, whole, at, by) : shiftedWindow(window, whole, by);
          const all = fitWindow(whole);
          expect(window.from).toBeGreaterThanOrEqual(all.from - 1e-3);
          expect(window.to).toBeLessThanOrEqual(all.to + 1e-3);
          expect(window.to - window.from).toBeGreaterThan(SHORTEST_NS * 0.99);
        }
      }),
    );
  });

  it('stays in place for a visible span, and moves to a hidden one', () => {
    const window = { from: 0, to: 1000 };
    expect(windowRevealing(window, whole, 200, 100)).toBe(window);
    const far = windowRevealing(window, whole, 90e9, 100);
    expect([far.from, far.to]).toEqual([90e9 + 50 - 500, 90e9 + 50 + 500]);
    const tiny = windowRevealing({ from: 0, to: 1e9 }, whole, 5e8, 100);
    expect(tiny.to - tiny.from).toBeCloseTo(1000, 3);
  });

  it('is the complete trace if the trace is short', () => {
    expect(clampWindow({ from: -1e9, to: 1e9 }, { from: 0, to: 100 })).toEqual(fitWindow({ from: 0, to: 100 }));
  });
});

describe('the scroll position that shows a row', () => {
  it('is unchanged if the row is visible, and otherwise puts its upper edge in the middle', () => {
    expect(scrolledTo({ y: 150, height: 20 }, 100, 200)).toBe(100);
    expect(scrolledTo({ y: 280, height: 20 }, 100, 200)).toBe(100);
    expect(scrolledTo({ y: 281, height: 20 }, 100, 200)).toBe(181);
    expect(scrolledTo({ y: 99, height: 20 }, 100, 200)).toBe(-1);
  });
});

const palette = timelinePalette([parseHex('#ff0000'), parseHex('#00ff00')], parseHex('#ffffff'), parseHex('#000000'));

/** Rectangles of one track: [left, right, busy]. */
function timelineWindow(...edges: readonly (readonly [number, number, number?])[]): TimelineWindow {
  return {
    from_ns: 0,
    to_ns: 1000,
    pixels: 100,
    tracks: [0],
    offsets: Uint32Array.of(0, edges.length),
    left: Float32Array.from(edges, ([left]) => left),
    right: Float32Array.from(edges, ([, right]) => right),
    span: Uint32Array.from(edges, (_, i) => i + 10),
    name: Uint32Array.from(edges, (_, i) => i),
    count: Uint32Array.from(edges, () => 1),
    tint: new Uint8Array(edges.length),
    busy: Uint8Array.from(edges, ([, , busy = 255]) => busy),
  };
}

const writtenRectangles = (window: TimelineWindow, width: number, offset = 0, scale = 1): string => {
  const pixels = new Uint32Array(width);
  writeRectangles(pixels, width, 0, window, 0, window.left.length, offset, scale, palette, () => false);
  return Array.from(pixels, (pixel) => (pixel === 0 ? '.' : '#')).join('');
};

describe('rectangles as pixels', () => {
  it('cover their duration, at least one pixel, with a gap after wide ones', () => {
    expect(writtenRectangles(timelineWindow([1, 3], [5, 5.2], [6, 12]), 16)).toBe('.##..######.....');
    expect(writtenRectangles(timelineWindow([2, 8], [8, 14]), 16)).toBe('..#####.#####...');
  });

  it('are clipped at the edges, and omitted beyond them', () => {
    expect(writtenRectangles(timelineWindow([-50, -1], [-3, 2], [6, 60], [70, 80]), 10)).toBe('##....####');
  });

  it('are moved and stretched until a better answer arrives', () => {
    expect(writtenRectangles(timelineWindow([1, 2], [3, 4]), 12, 2, 2)).toBe('....##..##..');
  });

  it('are fainter the less of their time was busy, and faintest if a search does not match', () => {
    const lightness = (pixel: number): number => (pixel >> 8) & 255;
    const [full, part, dim] = [
      pixelOf(palette, 0, 255, false),
      pixelOf(palette, 0, 20, false),
      pixelOf(palette, 0, 255, true),
    ];
    expect(full).toBe(0xff0000ff);
    expect(lightness(part)).toBeGreaterThan(lightness(full));
    expect(lightness(dim)).toBeGreaterThan(lightness(part));
  });
});

describe('shortened names', () => {
  it('lose their least important part first', () => {
    const name = 'void march<float, 4>(float*, int)';
    expect(fittingName(name, 1000, 10)).toBe(name);
    expect(fittingName(name, 60, 10)).toBe('march');
    expect(fittingName(name, 24, 10)).toBe('');
    expect(fittingName('transport_fused_collide_path_f32', 80, 10)).toBe('transp…ath_f32');
    expect(fittingName(name, 8, 10)).toBe('');
  });
});

const lane = (firstTrack: number, tracks: number): Lane => ({
  process: 'p',
  name: 'l',
  kind: 'thread',
  firstTrack,
  tracks,
  spans: 1,
});
const metrics = timelineMetrics(10);

function timelineScene(
  change: Partial<TimelineScene> = {},
  window: TimelineWindow | null = timelineWindow([10, 20], [30, 30.1]),
): TimelineScene {
  const lanes = [lane(0, 1), lane(1, 12)];
  const block: SceneBlock = {
    trace: 't',
    title: 'T',
    about: '',
    lanes,
    origin_ns: 0,
    window,
    nameOf: () => 'name',
    playhead_ns: null,
  };
  const { rows } = rowsOf([{ trace: 't', lanes }], metrics, new Set(), new Set());
  return { blocks: [block], rows, metrics, view: { from: 0, to: 1000 }, scroll: 0, search: '', ...change };
}

describe('rows of the timeline', () => {
  it('are stacked, with large lanes collapsed until they are opened', () => {
    const lanes = [{ trace: 't', lanes: [lane(0, 1), lane(1, 12)] }];
    const folded = rowsOf(lanes, metrics, new Set(), new Set());
    const open = rowsOf(lanes, metrics, new Set([laneKey('t', 1)]), new Set());
    const shut = rowsOf(lanes, metrics, new Set(), new Set([laneKey('t', 1)]));
    const tracks = ({ rows }: typeof folded) => rows.map((row) => (row.kind === 'lane' ? row.tracks.length : 'head'));
    expect([tracks(folded), tracks(open), tracks(shut)]).toEqual([
      ['head', 1, FOLDED_TRACKS],
      ['head', 1, 12],
      ['head', 1, 1],
    ]);
    expect(open.height - folded.height).toBe((12 - FOLDED_TRACKS) * metrics.track);
    const [first, second] = [trackPosition(folded.rows, metrics, 't', 3), trackPosition(folded.rows, metrics, 't', 11)];
    expect([first?.shown, second?.shown]).toEqual([true, false]);
    expect(trackPosition(folded.rows, metrics, 'other', 0)).toBeNull();
  });

  it('are visible if part of them is', () => {
    const { rows } = timelineScene();
    expect(visibleLanes(timelineScene(), 1)).toHaveLength(0);
    expect(visibleLanes(timelineScene(), 1000)).toHaveLength(2);
    expect(visibleLanes(timelineScene({ scroll: (rows[2]?.y ?? 0) + 1 }), 1000)).toHaveLength(1);
  });
});

describe('the item under the pointer', () => {
  const frame = layOutTimeline(1100, 400, 10);
  const at = (ns: number): number => xOf(frame, { from: 0, to: 1000 }, ns);
  const y = frame.ruler + metrics.head + metrics.track / 2;

  it('is a time, a lane, and a span within reach', () => {
    expect(timeOf(frame, { from: 0, to: 1000 }, at(250))).toBeCloseTo(250, 9);
    expect(pointedAt(timelineScene(), frame, at(150), y)).toMatchObject({
      region: 'lane',
      lane: 0,
      track: 0,
      span: { span: 10 },
    });
    expect(pointedAt(timelineScene(), frame, at(300) + 2.5, y)?.span).toMatchObject({ span: 11 });
    expect(pointedAt(timelineScene(), frame, at(300) + 9, y)?.span).toBeNull();
    expect(pointedAt(timelineScene(), frame, at(150), 3)?.region).toBe('ruler');
    expect(pointedAt(timelineScene(), frame, 5, y)).toMatchObject({ region: 'gutter', lane: 0 });
    expect(pointedAt(timelineScene(), frame, at(150), frame.ruler + 3)).toMatchObject({ region: 'head', trace: 't' });
    expect(pointedAt(timelineScene(), frame, at(150), 399)?.region).toBe('empty');
    expect(pointedAt(timelineScene(), frame, -1, y)).toBeNull();
  });

  it('is empty while there is no answer yet', () => {
    expect(pointedAt(timelineScene({}, null), frame, at(150), y)).toMatchObject({ region: 'lane', span: null });
  });

  it('is found at the same position in an answer for another time range', () => {
    const view = { from: 100, to: 300 };
    const block = timelineScene().blocks[0] as SceneBlock;
    const placement = placementOf(block, { view }, 1000);
    // Edge 10 of the answer is at 100 ns, where the view begins.
    expect((placement?.offset ?? 0) + 10 * (placement?.scale ?? 0)).toBeCloseTo(0, 9);
    expect((placement?.offset ?? 0) + 30 * (placement?.scale ?? 0)).toBeCloseTo(1000, 9);
  });
});
