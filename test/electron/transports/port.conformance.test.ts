/** Guarantees of every Port, whatever the carrier. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Port, PortClosed } from '../../../electron/contract/wire/protocol.ts';
import { type Carrier, carrierNames, startCarrier } from './carriers.ts';

function recordEvents(port: Port): {
  frames: Uint8Array[];
  closed: Promise<PortClosed>;
  until(count: number): Promise<void>;
} {
  const frames: Uint8Array[] = [];
  const waiting: { count: number; done: () => void }[] = [];
  const closed = new Promise<PortClosed>((resolve) => {
    port.listen({
      frame: (bytes) => {
        frames.push(bytes);
        for (const { count, done } of waiting) if (frames.length >= count) done();
      },
      closed: resolve,
    });
  });
  const until = (count: number): Promise<void> =>
    new Promise((done) => {
      waiting.push({ count, done });
      if (frames.length >= count) done();
    });
  return { frames, closed, until };
}

describe.each(carrierNames)('a port over %s', (name) => {
  let carrier: Carrier;
  let hosts: Port[];
  let accepted: () => Promise<Port>;

  beforeEach(async () => {
    hosts = [];
    const waiting: ((port: Port) => void)[] = [];
    carrier = await startCarrier(name, (port) => {
      const next = waiting.shift();
      if (next === undefined) hosts.push(port);
      else next(port);
    });
    accepted = () => {
      const port = hosts.shift();
      return port === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(port);
    };
  });
  afterEach(() => carrier.close());

  it('delivers complete frames in order, in both directions', async () => {
    const page = await carrier.connect();
    const host = await accepted();
    const [atPage, atHost] = [recordEvents(page), recordEvents(host)];
    for (let i = 0; i < 500; i += 1) {
      page.send(new Uint8Array(1 + (i % 97)).fill(i & 255));
      host.send(new Uint8Array(1 + (i % 31)).fill((i * 7) & 255));
    }
    await Promise.all([atPage.until(500), atHost.until(500)]);
    expect(atHost.frames.map((f) => [f.length, f[0]])).toEqual(
      Array.from({ length: 500 }, (_, i) => [1 + (i % 97), i & 255]),
    );
    expect(atPage.frames.map((f) => [f.length, f[0]])).toEqual(
      Array.from({ length: 500 }, (_, i) => [1 + (i % 31), (i * 7) & 255]),
    );
  });

  it('queues frames that arrive before anyone listens', async () => {
    const page = await carrier.connect();
    const host = await accepted();
    page.send(new Uint8Array([1]));
    page.send(new Uint8Array([2]));
    await new Promise((resolve) => setTimeout(resolve, 30));
    const atHost = recordEvents(host);
    await atHost.until(2);
    expect(atHost.frames.map((f) => f[0])).toEqual([1, 2]);
  });

  it('carries a frame of 48 MiB unchanged', async () => {
    const page = await carrier.connect();
    const host = await accepted();
    const atPage = recordEvents(page);
    const large = new Uint8Array(48 * 2 ** 20);
    for (let i = 0; i < large.length; i += 4093) large[i] = i % 251;
    host.send(large);
    await atPage.until(1);
    expect(Buffer.compare(atPage.frames[0] ?? new Uint8Array(), large)).toBe(0);
  });

  it('sends only the bytes of a view on a larger buffer', async () => {
    const page = await carrier.connect();
    const host = await accepted();
    const atHost = recordEvents(host);
    page.send(new Uint8Array(new ArrayBuffer(64), 8, 3).fill(9));
    await atHost.until(1);
    expect([...(atHost.frames[0] ?? [])]).toEqual([9, 9, 9]);
  });

  it.each(['page', 'host'] as const)(
    'notifies both sides once when the %s closes, after the last frame',
    async (who) => {
      const page = await carrier.connect();
      const host = await accepted();
      const [closing, other] = who === 'page' ? [page, host] : [host, page];
      const [atClosing, atOther] = [recordEvents(closing), recordEvents(other)];
      closing.send(new Uint8Array([42]));
      closing.close('enough');
      closing.close('again');
      expect(await atClosing.closed).toEqual({ byUs: true, reason: 'enough' });
      const event = await atOther.closed;
      expect(event.byUs).toBe(false);
      expect(atOther.frames.map((f) => f[0])).toEqual([42]);
      closing.send(new Uint8Array([1]));
      other.send(new Uint8Array([1]));
      expect(closing.bufferedBytes).toBe(0);
    },
  );
});
