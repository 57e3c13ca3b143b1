import { describe, expect, it, vi } from 'vitest';
import { FrameScheduler } from '../../../renderer/drawing/scheduler.ts';

/** Frames on demand, with a clock that a painter can move. */
function frames() {
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
  it('paints each painter once a frame, and nothing while nobody asks', () => {
    const f = frames();
    const scheduler = new FrameScheduler(f.source);
    const paint = vi.fn();
    expect(f.asked()).toBe(false);
    scheduler.request(paint);
    scheduler.request(paint);
    f.next();
    expect(paint).toHaveBeenCalledTimes(1);
    expect(f.asked()).toBe(false);
  });

  it('leaves what asks while it paints for the next frame', () => {
    const f = frames();
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

  it('gives credits back after painting, also when a painter fails', async () => {
    const f = frames();
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
    const f = frames();
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
