/** Frames of a stream over a connection that is lost: tests which are sent again, and which count as dropped. */
import { describe, expect, it } from 'vitest';
import { decodeFrame } from '../../../../../electron/contract/wire/frame.ts';
import type { StreamPolicy } from '../../../../../electron/contract/wire/streams.ts';
import { StreamSender } from '../../../../../electron/host/app/service/stream-sender.ts';

function createSender(policy: StreamPolicy) {
  const sent: { sequence: number; dropped: number; value: unknown }[] = [];
  const stream = new StreamSender({
    ...{ stream: 1, policy, credits: 3, attached: () => true },
    send: (bytes) => void sent.push(decodeFrame(bytes) as (typeof sent)[number]),
  });
  for (const value of ['a', 'b', 'c']) stream.offer(() => value);
  const all = () => sent.splice(0).map(({ sequence, dropped, value }) => [sequence, dropped, value]);
  expect(all()).toEqual([
    [1, 0, 'a'],
    [2, 0, 'b'],
    [3, 0, 'c'],
  ]);
  return { stream, all };
}

describe('a new connection for streams', () => {
  it('receives only the newest of the frames lost on the old one; the others count as dropped', () => {
    const { stream, all } = createSender('latest');
    stream.resume(1);
    expect(all()).toEqual([[3, 0, 'c']]);
    stream.offer(() => 'd');
    expect(all()).toEqual([[4, 1, 'd']]);
  });

  it('counts no frame as dropped that the reader received', () => {
    const { stream, all } = createSender('latest');
    stream.resume(2);
    expect(all()).toEqual([[3, 0, 'c']]);
    stream.offer(() => 'd');
    expect(all()).toEqual([[4, 0, 'd']]);
    stream.resume(4);
    stream.offer(() => 'e');
    expect(all()).toEqual([[5, 0, 'e']]);
  });

  it('receives all lost frames of a lossless stream', () => {
    const { stream, all } = createSender('lossless');
    stream.resume(1);
    expect(all()).toEqual([
      [2, 0, 'b'],
      [3, 0, 'c'],
    ]);
  });
});

it('a newer frame replaces one that waits for a credit, and the replaced frame counts as dropped', () => {
  const { stream, all } = createSender('latest');
  stream.offer(() => 'd');
  stream.offer(() => 'e');
  expect(all()).toEqual([]);
  stream.credit(1);
  expect(all()).toEqual([[4, 1, 'e']]);
});
