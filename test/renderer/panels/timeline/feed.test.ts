import { describe, expect, it } from 'vitest';
import type { TimelineWindow } from '../../../../electron/contract/timeline.ts';
import type { Client } from '../../../../renderer/client/index.ts';
import { keyframeAt, stepAt, timeOfStep } from '../../../../renderer/panels/timeline/steps.ts';
import { serves, WindowFeed, type Wish, widened } from '../../../../renderer/panels/timeline/window-feed.ts';

const answer = (wish: Wish): TimelineWindow => ({
  ...wish,
  tracks: [...wish.tracks],
  offsets: new Uint32Array(wish.tracks.length + 1),
  left: new Float32Array(),
  right: new Float32Array(),
  span: new Uint32Array(),
  name: Uint32Array.of(3, 3, 5),
  count: new Uint32Array(),
  tint: new Uint8Array(),
  busy: new Uint8Array(),
});

const wish = (from_ns: number, to_ns: number, tracks = [0, 1]): Wish => ({ from_ns, to_ns, pixels: 1000, tracks });

describe('an answer', () => {
  it('serves what it covers at about its resolution', () => {
    const window = answer(widened(wish(0, 1000)));
    expect([window.from_ns, window.to_ns, window.pixels]).toEqual([-500, 1500, 2000]);
    expect(serves(window, wish(0, 1000))).toBe(true);
    expect(serves(window, wish(400, 1400))).toBe(true);
    expect(serves(window, wish(600, 1600))).toBe(false);
    // Closer: its pixels would be seen.
    expect(serves(window, wish(100, 900))).toBe(false);
    // Farther: more than the screen can show.
    expect(serves(window, wish(-500, 1500))).toBe(true);
    expect(serves(window, { ...wish(-500, 1500), pixels: 400 })).toBe(false);
    expect(serves(window, wish(0, 1000, [0, 2]))).toBe(false);
    expect(serves(null, wish(0, 1000))).toBe(false);
  });
});

describe('the feed of a timeline', () => {
  function fixture() {
    const asked: { readonly method: string; readonly params: unknown; readonly resolve: (value: unknown) => void }[] =
      [];
    const call = (method: string, params: unknown): Promise<unknown> =>
      new Promise((resolve) => asked.push({ method, params, resolve }));
    let changes = 0;
    const client = { call } as unknown as Pick<Client, 'call'>;
    const feed = new WindowFeed(client, 'trace', () => {
      changes += 1;
    });
    return { asked, feed, changes: () => changes };
  }
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

  it('has one question on its way, then asks for the newest wish alone', async () => {
    const { asked, feed, changes } = fixture();
    feed.want(wish(0, 1000));
    for (let i = 1; i < 20; i += 1) feed.want(wish(i * 10_000, i * 10_000 + 1000));
    expect(asked).toHaveLength(1);
    asked[0]?.resolve(answer(widened(wish(0, 1000))));
    await turn();
    expect(asked[1]?.method).toBe('timeline.names');
    expect(asked[1]?.params).toEqual({ trace: 'trace', names: [3, 5] });
    asked[1]?.resolve({ texts: ['three', 'five'] });
    await turn();
    expect([feed.nameOf(3), feed.nameOf(5), feed.nameOf(7)]).toEqual(['three', 'five', null]);
    expect(asked).toHaveLength(3);
    expect(asked[2]?.params).toMatchObject({ from_ns: 189_500, to_ns: 191_500, pixels: 2000 });
    asked[2]?.resolve(answer(widened(wish(190_000, 191_000))));
    await turn();
    expect([feed.settled, changes()]).toEqual([true, 3]);
    // Known already.
    feed.want(wish(190_100, 191_100));
    expect(asked).toHaveLength(3);
  });

  it('is silent once it is closed', async () => {
    const { asked, feed, changes } = fixture();
    feed.want(wish(0, 1000));
    feed.close();
    asked[0]?.resolve(answer(wish(0, 1000)));
    await turn();
    expect([changes(), asked.length]).toEqual([0, 1]);
  });
});

describe('steps in time', () => {
  const table = {
    step: Uint32Array.of(0, 10, 12),
    start_ns: Float64Array.of(100, 300, 500),
    end_ns: Float64Array.of(200, 400, 550),
  };

  it('pass evenly in a row that stands for several', () => {
    expect([50, 100, 149, 199, 250, 300, 351, 520, 551].map((ns) => stepAt(table, ns))).toEqual([
      null,
      0,
      4,
      9,
      9,
      10,
      11,
      12,
      null,
    ]);
    expect([0, 5, 10, 11, 12, 99].map((step) => timeOfStep(table, step))).toEqual([100, 150, 300, 350, 500, 500]);
  });

  it('are none where there are none', () => {
    const none = { step: new Uint32Array(), start_ns: new Float64Array(), end_ns: new Float64Array() };
    expect([stepAt(none, 5), timeOfStep(none, 5)]).toEqual([null, null]);
  });

  it('find the keyframe at or before them', () => {
    const frames = [0, 49, 98].map((step) => ({ step }));
    expect([0, 48, 49, 97, 500].map((step) => keyframeAt(frames, step))).toEqual([0, 0, 1, 1, 2]);
  });
});
