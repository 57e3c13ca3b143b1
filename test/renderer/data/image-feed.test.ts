import { expect, it, vi } from 'vitest';
import { ImageFeed } from '../../../renderer/data/image-feed.ts';
import { type FeedTarget, SHOWN } from '../../../renderer/data/run-data.ts';
import { FrameScheduler } from '../../../renderer/drawing/scheduler.ts';
import { FakeHost, settled } from './fake-host.ts';

const view = { viewport: { horizontal: null, vertical: null, pixels: [100, 100] as [number, number] } };
const done: FeedTarget = { run: 'a', state: 'done' };

it('the image feed explains why a difference cannot be shown, and shows the image alone instead', async () => {
  vi.useFakeTimers();
  try {
    const host = new FakeHost();
    const feed = new ImageFeed(host.client, new FrameScheduler({ request: () => 0, now: () => 0 }));
    feed.want({ view, against: null });
    feed.follow(done);
    feed.want({ view, against: 'b' });
    await vi.advanceTimersByTimeAsync(100);
    expect(host.pending('image.view').params).toMatchObject({ run: 'a', against: 'b' });
    host.pending('image.view').fail(new Error('The images differ in size.'));
    await settled();
    expect(host.pending('image.view').params).toMatchObject({ run: 'a', against: null });
    host.pending('image.view').answer({ run: 'a', revision: 1, done: 1, map: {} });
    await settled();
    expect(feed.data.image.get(SHOWN)).toMatchObject({ run: 'a', against: null });
    expect(feed.data.trouble.get(SHOWN)).toBe('The images differ in size.');
    // Without the comparison, a pixel is read from the image itself.
    void feed.pixel(3, 4);
    expect(host.pending('image.pixel').params).toMatchObject({ against: null, fast: 3, slow: 4 });
    feed.want({ view, against: null });
    await vi.advanceTimersByTimeAsync(100);
    host.pending('image.view').answer({ run: 'a', revision: 1, done: 1, map: {} });
    await settled();
    expect(feed.data.trouble.get(SHOWN)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
