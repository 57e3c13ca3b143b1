import { describe, expect, it } from 'vitest';
import type { Lane, TimelineWindow } from '../../../../electron/contract/timeline.ts';
import { timelineFrame, timelineMetrics, timeOf, xOf } from '../../../../renderer/drawing/timeline/frame.ts';
import { fittingName, lanesInSight, placementOf } from '../../../../renderer/drawing/timeline/paint-spans.ts';
import { parseHex, pixelOf, timelinePalette } from '../../../../renderer/drawing/timeline/palette.ts';
import { FOLDED_TRACKS, laneKey, rowsOf, trackPlace } from '../../../../renderer/drawing/timeline/rows.ts';
import type { SceneBlock, TimelineScene } from '../../../../renderer/drawing/timeline/scene.ts';
import { pointedAt } from '../../../../renderer/drawing/timeline/timeline-view.ts';
import { writeRectangles } from '../../../../renderer/drawing/timeline/track-pixels.ts';

const palette = timelinePalette([parseHex('#ff0000'), parseHex('#00ff00')], parseHex('#ffffff'), parseHex('#000000'));

/** Rectangles of one track: [left, right, busy]. */
function windowOf(...edges: readonly (readonly [number, number, number?])[]): TimelineWindow {
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

const written = (window: TimelineWindow, width: number, offset = 0, scale = 1): string => {
  const pixels = new Uint32Array(width);
  writeRectangles(pixels, width, 0, window, 0, window.left.length, offset, scale, palette, () => false);
  return Array.from(pixels, (pixel) => (pixel === 0 ? '.' : '#')).join('');
};

describe('rectangles as pixels', () => {
  it('fill what they cover, at least one pixel, with a gap after those that are wide', () => {
    expect(written(windowOf([1, 3], [5, 5.2], [6, 12]), 16)).toBe('.##..######.....');
    expect(written(windowOf([2, 8], [8, 14]), 16)).toBe('..#####.#####...');
  });

  it('are cut at the edges, and those beyond are left out', () => {
    expect(written(windowOf([-50, -1], [-3, 2], [6, 60], [70, 80]), 10)).toBe('##....####');
  });

  it('are moved and stretched while a better answer is on its way', () => {
    expect(written(windowOf([1, 2], [3, 4]), 12, 2, 2)).toBe('....##..##..');
  });

  it('are fainter the less of their time was busy, and faintest where a search does not match', () => {
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

describe('names', () => {
  it('lose what matters least first', () => {
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

function scene(
  change: Partial<TimelineScene> = {},
  window: TimelineWindow | null = windowOf([10, 20], [30, 30.1]),
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

describe('rows', () => {
  it('stand below each other, large lanes folded until they are opened', () => {
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
    const [first, second] = [trackPlace(folded.rows, metrics, 't', 3), trackPlace(folded.rows, metrics, 't', 11)];
    expect([first?.shown, second?.shown]).toEqual([true, false]);
    expect(trackPlace(folded.rows, metrics, 'other', 0)).toBeNull();
  });

  it('are in sight when a part of them is', () => {
    const { rows } = scene();
    expect(lanesInSight(scene(), 1)).toHaveLength(0);
    expect(lanesInSight(scene(), 1000)).toHaveLength(2);
    expect(lanesInSight(scene({ scroll: (rows[2]?.y ?? 0) + 1 }), 1000)).toHaveLength(1);
  });
});

describe('what is under the pointer', () => {
  const frame = timelineFrame(1100, 400, 10);
  const at = (ns: number): number => xOf(frame, { from: 0, to: 1000 }, ns);
  const y = frame.ruler + metrics.head + metrics.track / 2;

  it('is a time, a lane, and a span within reach', () => {
    expect(timeOf(frame, { from: 0, to: 1000 }, at(250))).toBeCloseTo(250, 9);
    expect(pointedAt(scene(), frame, at(150), y)).toMatchObject({
      region: 'lane',
      lane: 0,
      track: 0,
      span: { span: 10 },
    });
    expect(pointedAt(scene(), frame, at(300) + 2.5, y)?.span).toMatchObject({ span: 11 });
    expect(pointedAt(scene(), frame, at(300) + 9, y)?.span).toBeNull();
    expect(pointedAt(scene(), frame, at(150), 3)?.region).toBe('ruler');
    expect(pointedAt(scene(), frame, 5, y)).toMatchObject({ region: 'gutter', lane: 0 });
    expect(pointedAt(scene(), frame, at(150), frame.ruler + 3)).toMatchObject({ region: 'head', trace: 't' });
    expect(pointedAt(scene(), frame, at(150), 399)?.region).toBe('empty');
    expect(pointedAt(scene(), frame, -1, y)).toBeNull();
  });

  it('is nothing while there is no answer yet', () => {
    expect(pointedAt(scene({}, null), frame, at(150), y)).toMatchObject({ region: 'lane', span: null });
  });

  it('falls on the same place for an answer of another part of time', () => {
    const view = { from: 100, to: 300 };
    const block = scene().blocks[0] as SceneBlock;
    const placement = placementOf(block, { view }, 1000);
    // Edge 10 of the answer is at 100 ns, where the view begins.
    expect((placement?.offset ?? 0) + 10 * (placement?.scale ?? 0)).toBeCloseTo(0, 9);
    expect((placement?.offset ?? 0) + 30 * (placement?.scale ?? 0)).toBeCloseTo(1000, 9);
  });
});
