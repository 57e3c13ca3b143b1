/**
 * Calls, streams and connections over every Port: page client and host connections with a synthetic service in between.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../electron/contract/wire/frame.ts';
import { type Port, PROTOCOL_VERSION } from '../../../electron/contract/wire/protocol.ts';
import { Connections } from '../../../electron/host/app/service/connection.ts';
import {
  type Client,
  type ClientOptions,
  type ConnectionState,
  connect,
  type FrameInfo,
} from '../../../renderer/data/client/client.ts';
import { type Carrier, carrierNames, startCarrier } from './carriers.ts';
import { SyntheticService, testCapabilities } from './synthetic-service.ts';

/** The client's types follow the contract; the synthetic service has other names. */
type LooseClient = {
  readonly connection: string;
  call(method: string, params: unknown): Promise<unknown>;
  callCancellable(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  stream(
    name: string,
    params: unknown,
    reader: { frame(value: unknown, info: FrameInfo): void | Promise<void>; end?(error: Error | null): void },
    options?: { credits?: number },
  ): { close(): void };
  close(): void;
};

const pause = (ms = 40): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function eventually(condition: () => boolean): Promise<void> {
  const until = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > until) throw new Error('the condition did not come true within a minute');
    await pause(5);
  }
}

describe.each(carrierNames)('the protocol over %s', (name) => {
  let carrier: Carrier;
  let service: SyntheticService;
  let connections: Connections;
  let states: ConnectionState[];
  /** The newest page port, which a test can close to break the connection. */
  let port: Port | null;
  let gate: Promise<void>;
  const clients: LooseClient[] = [];

  beforeEach(async () => {
    service = new SyntheticService();
    states = [];
    gate = Promise.resolve();
    connections = new Connections({ service, capabilities: () => testCapabilities, keepDetached_ms: 60_000 });
    carrier = await startCarrier(name, (host) => connections.accept(host));
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    connections.close('end of test');
    await carrier.close();
  });

  async function connectClient(options: ClientOptions = {}): Promise<LooseClient> {
    const made: Client = await connect(
      async () => {
        await gate;
        port = await carrier.connect();
        return port;
      },
      { retry_ms: 5, onState: (state) => states.push(state), ...options },
    );
    const loose = made as unknown as LooseClient;
    clients.push(loose);
    return loose;
  }

  describe('calls of the protocol', () => {
    it('carry parameters and results with arrays', async () => {
      const page = await connectClient();
      const params = { a: [1, { values: new Float32Array([1, 2, 3]) }], text: 'µ' };
      expect(await page.call('echo', params)).toEqual(params);
    });

    it('are answered out of order when one takes longer', async () => {
      const page = await connectClient();
      const order: unknown[] = [];
      await Promise.all([
        page.call('slow', null).then((v) => order.push(v)),
        page.call('echo', 'quick').then((v) => {
          order.push(v);
          service.release();
        }),
      ]);
      expect(order).toEqual(['quick', 'slow answer']);
    });

    it('carry errors with code, message and issues', async () => {
      const page = await connectClient();
      await expect(page.call('fail', null)).rejects.toMatchObject({
        name: 'BraggError',
        code: 'invalid',
        message: 'The beam energy is out of range.',
        issues: [{ path: 'beam.energy_MeV', line: 3, value: '900', allowed: '1 to 250 MeV' }],
      });
      await expect(page.call('crash', null)).rejects.toMatchObject({
        code: 'internal',
        message: 'a fault of the host',
      });
      await expect(page.call('nonsense', null)).rejects.toMatchObject({ code: 'bad-request' });
      await expect(page.call('not-finite', null)).rejects.toMatchObject({ code: 'internal' });
    });

    it('accept a text of any length; a call that exceeds a frame gives one clear error, and the next call is answered', async () => {
      const page = await connectClient();
      const text = 'Å\n'.repeat(10 * 2 ** 20);
      expect((await page.call('echo', { text })) as object).toEqual({ text });
      await expect(page.call('values', 2000)).rejects.toMatchObject({
        code: 'overflow',
        message:
          'The reply of values cannot be sent: it has 19.1 MiB in addition to arrays and long texts; allowed: at most 16.0 MiB.',
      });
      const values = Array.from({ length: 2000 }, (_, i) => `${i}${'x'.repeat(10_000)}`);
      await expect(page.call('echo', values)).rejects.toMatchObject({
        code: 'overflow',
        message: expect.stringContaining('echo cannot be sent: it has 19.1 MiB'),
      });
      expect(await page.call('echo', 'still there')).toBe('still there');
    });

    it('yield during a large answer, so that small answers overtake it', async () => {
      const page = await connectClient();
      const order: string[] = [];
      const large = page.call('bytes', 100 * 2 ** 20).then((bytes) => {
        order.push('large');
        return bytes as Uint8Array;
      });
      const small = page.call('echo', 1).then(() => order.push('small'));
      await Promise.all([large, small]);
      expect(order).toEqual(['small', 'large']);
      expect((await large).length).toBe(100 * 2 ** 20);
    });

    it('return a result even if they are cancelled', async () => {
      const page = await connectClient();
      const stop = new AbortController();
      const outcome = page.callCancellable('until-cancelled', null, stop.signal);
      await pause(10);
      stop.abort();
      expect(await outcome).toEqual({ status: 'cancelled' });
    });

    it("return the handler's result if it finishes despite a cancellation", async () => {
      const page = await connectClient();
      const stop = new AbortController();
      const outcome = page.callCancellable('finishes-anyway', null, stop.signal);
      await pause(10);
      stop.abort();
      expect(await outcome).toEqual({ status: 'done', value: 'kept' });
    });

    it('send nothing for an aborted signal', async () => {
      const page = await connectClient();
      expect(await page.callCancellable('echo', 1, AbortSignal.abort())).toEqual({ status: 'cancelled' });
      expect(service.calls).toEqual([]);
    });

    it('carry sections of 24 MiB in both directions', async () => {
      const page = await connectClient();
      const values = new Float64Array(3 * 2 ** 20).fill(Math.E);
      const back = (await page.call('echo', { values })) as { values: Float64Array };
      expect(back.values.length).toBe(values.length);
      expect(back.values[values.length - 1]).toBe(Math.E);
    });
  });

  describe('streams of the protocol', () => {
    it('keep as many frames in flight as there are credits if only the latest matters; the newest wins and the rest are counted', async () => {
      const page = await connectClient();
      const seen: [unknown, FrameInfo][] = [];
      const painted: (() => void)[] = [];
      page.stream(
        'latest',
        null,
        {
          frame: (value, info) => {
            seen.push([value, info]);
            return new Promise((resolve) => painted.push(resolve));
          },
        },
        { credits: 2 },
      );
      await eventually(() => service.sinks.length === 1);
      service.offer(1, 100);
      await eventually(() => seen.length === 2);
      await pause();
      // Two frames were sent for the two credits. Of the later frames only the newest waits; the others were never
      // built.
      expect(seen.map(([value]) => value)).toEqual([1, 2]);
      expect(service.made).toBe(2);
      painted.shift()?.();
      await eventually(() => seen.length === 3);
      expect(seen[2]?.[0]).toBe(100);
      expect(seen[2]?.[1]).toMatchObject({ sequence: 3, dropped: 97 });
      await pause();
      expect(service.made).toBe(3);
    });

    it('deliver every frame in order if lossless, even if the reader is slow', async () => {
      const page = await connectClient();
      const seen: unknown[] = [];
      let ended: unknown = 'not yet';
      page.stream(
        'lossless',
        null,
        {
          frame: async (value) => {
            await Promise.resolve();
            seen.push(value);
          },
          end: (error) => {
            ended = error;
          },
        },
        { credits: 3 },
      );
      await eventually(() => service.sinks.length === 1);
      service.offer(1, 300);
      service.sinks[0]?.end();
      await eventually(() => ended === null);
      expect(seen).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    });

    it('end with an error after the saved frames if lossless and beyond the byte limit', async () => {
      const page = await connectClient();
      const seen: unknown[] = [];
      let ended: unknown = 'not yet';
      const painted: (() => void)[] = [];
      page.stream(
        'lossless',
        null,
        {
          frame: (value) => {
            seen.push(value);
            return new Promise((resolve) => painted.push(resolve));
          },
          end: (error) => {
            ended = error;
          },
        },
        { credits: 1 },
      );
      await eventually(() => service.sinks.length === 1);
      const megabyte = new Uint8Array(2 ** 20);
      service.offer(1, 40, () => megabyte);
      expect(service.stopped).toEqual(['lossless']);
      await eventually(() => {
        painted.shift()?.();
        return ended !== 'not yet';
      });
      expect(ended).toMatchObject({ code: 'overflow' });
      expect(seen.length).toBeGreaterThan(20);
      expect(seen.length).toBeLessThan(32);
    });

    it('end with their error if they are rejected', async () => {
      const page = await connectClient();
      const ends: (Error | null)[] = [];
      page.stream('latest', 'refuse', { frame: () => undefined, end: (error) => ends.push(error) });
      page.stream('nonsense', null, { frame: () => undefined, end: (error) => ends.push(error) });
      await eventually(() => ends.length === 2);
      expect(ends).toMatchObject([{ code: 'not-found' }, { code: 'bad-request' }]);
    });

    it('end with an error if a frame cannot be sent', async () => {
      const page = await connectClient();
      let ended: unknown = null;
      page.stream('latest', null, {
        frame: () => undefined,
        end: (error) => {
          ended = error;
        },
      });
      await eventually(() => service.sinks.length === 1);
      service.offer(1, 1, () => ({ bad: Number.POSITIVE_INFINITY }));
      await eventually(() => ended !== null);
      expect(ended).toMatchObject({ code: 'internal' });
      expect(service.stopped).toEqual(['latest']);
    });

    it('stop the source and the frames when closed', async () => {
      const page = await connectClient();
      const seen: unknown[] = [];
      const handle = page.stream('latest', null, { frame: (value) => void seen.push(value) });
      await eventually(() => service.sinks.length === 1);
      service.offer(1, 1);
      await eventually(() => seen.length === 1);
      handle.close();
      await eventually(() => service.stopped.length === 1);
      service.offer(2, 3);
      await pause();
      expect(seen).toEqual([1]);
    });

    it('all stop when their page disconnects', async () => {
      const page = await connectClient();
      page.stream('latest', null, { frame: () => undefined });
      page.stream('lossless', null, { frame: () => undefined });
      const call = page.call('until-cancelled', null).catch((error: unknown) => error);
      await eventually(() => service.sinks.length === 2 && service.calls.length === 1);
      page.close();
      await eventually(() => service.stopped.length === 2);
      expect(connections.size).toBe(0);
      expect(await call).toMatchObject({ code: 'disconnected' });
      await expect(page.call('echo', 1)).rejects.toMatchObject({ code: 'disconnected' });
    });
  });

  describe('a broken connection', () => {
    it('is resumed: the same connection and streams, without lost or duplicate lossless frames', async () => {
      const page = await connectClient();
      const id = page.connection;
      const seen: unknown[] = [];
      const latest: unknown[] = [];
      page.stream('lossless', null, { frame: (value) => void seen.push(value) }, { credits: 4 });
      await eventually(() => service.sinks.length === 1);
      for (let round = 0; round < 5; round += 1) {
        service.offer(round * 20 + 1, round * 20 + 10);
        // The connection breaks while frames and credits are in transit.
        port?.close('cable pulled');
        service.offer(round * 20 + 11, round * 20 + 20);
        await eventually(() => states.filter((s) => s.kind === 'connected').length === round + 2);
      }
      await eventually(() => seen.length >= 100);
      expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
      expect(page.connection).toBe(id);
      expect(service.sinks.length).toBe(1);
      expect(connections.size).toBe(1);
      expect(latest).toEqual([]);
    });

    it('shows the newest state in a latest-only stream afterwards, even if a frame was lost', async () => {
      const page = await connectClient();
      const seen: unknown[] = [];
      let ended: unknown = 'not yet';
      page.stream('latest', null, {
        frame: (value) => void seen.push(value),
        end: (error) => {
          ended = error;
        },
      });
      await eventually(() => service.sinks.length === 1);
      service.offer(1, 1);
      await eventually(() => seen.length === 1);
      port?.close('cable pulled');
      service.offer(2, 9);
      service.sinks[0]?.end();
      await eventually(() => ended === null);
      expect(seen.at(-1)).toBe(9);
    });

    it('answers calls made before, during and after it exactly once', async () => {
      const page = await connectClient();
      let open = (): void => undefined;
      const before = page.call('slow', null);
      await eventually(() => service.calls.length === 1);
      gate = new Promise((resolve) => {
        open = resolve;
      });
      port?.close('cable pulled');
      const during = page.call('echo', 'during');
      const stop = new AbortController();
      const cancelled = page.callCancellable('until-cancelled', null, stop.signal);
      stop.abort();
      service.release();
      await pause(100);
      open();
      expect(await before).toBe('slow answer');
      expect(await during).toBe('during');
      expect(await cancelled).toEqual({ status: 'cancelled' });
      expect(await page.call('echo', 'after')).toBe('after');
      expect(service.calls.filter((c) => c === 'slow').length).toBe(1);
    });

    it('restores the correct state of streams opened and closed in the meantime', async () => {
      const page = await connectClient();
      const first = page.stream('latest', null, { frame: () => undefined });
      await eventually(() => service.sinks.length === 1);
      let open = (): void => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      port?.close('cable pulled');
      // The client composes its resume message before the carrier opens, so these actions fall in between.
      await eventually(() => states.some((s) => s.kind === 'reconnecting'));
      await pause(20);
      first.close();
      const seen: unknown[] = [];
      page.stream('lossless', null, { frame: (value) => void seen.push(value) });
      open();
      await eventually(() => service.sinks.length === 2 && service.stopped.length === 1);
      service.offer(1, 3);
      await eventually(() => seen.length === 3);
    });

    it('ends calls and streams if the host forgot the connection', async () => {
      const page = await connectClient();
      let ended: unknown = null;
      page.stream('latest', null, {
        frame: () => undefined,
        end: (error) => {
          ended = error;
        },
      });
      await eventually(() => service.sinks.length === 1);
      connections.close('restart');
      await eventually(() => states.at(-1)?.kind === 'lost');
      expect(ended).toMatchObject({ code: 'disconnected' });
      await expect(page.call('echo', 1)).rejects.toMatchObject({ code: 'disconnected' });
    });

    it('is lost at once if reconnecting is not possible', async () => {
      const page = await connectClient({ reconnect: false });
      const call = page.call('until-cancelled', null).catch((error: unknown) => error);
      await pause(10);
      port?.close('window closed');
      expect(await call).toMatchObject({ code: 'disconnected' });
      expect(states.at(-1)).toMatchObject({ kind: 'lost' });
    });
  });

  describe('misbehaving clients', () => {
    async function answerTo(...frames: readonly Uint8Array[]): Promise<string> {
      const stranger = await carrier.connect();
      const closed = new Promise<string>((resolve) => {
        stranger.listen({ frame: () => undefined, closed: (event) => resolve(event.reason) });
      });
      for (const frame of frames) stranger.send(frame);
      return closed;
    }

    it('are disconnected if they send no frame, or no greeting first', async () => {
      await answerTo(new Uint8Array([1, 2, 3]));
      await answerTo(encodeFrame({ type: 'call', id: 0, method: 'echo', params: 1 }));
      await answerTo(
        encodeFrame({ type: 'greet', protocol: PROTOCOL_VERSION, resume: null }),
        encodeFrame({ type: 'greet', protocol: PROTOCOL_VERSION, resume: null }),
      );
      expect(service.calls).toEqual([]);
    });

    it('are rejected with the reason if they use another protocol version', async () => {
      const stranger = await carrier.connect();
      const texts: string[] = [];
      stranger.listen({ frame: (bytes) => texts.push(Buffer.from(bytes).toString()), closed: () => undefined });
      stranger.send(encodeFrame({ type: 'greet', protocol: 99, resume: null }));
      await eventually(() => texts.length === 1);
      expect(texts[0]).toContain('The page uses protocol 99');
      expect(connections.size).toBe(0);
    });

    it('get a new connection and no foreign data if they invent a connection id', async () => {
      const page = await connectClient();
      const texts: string[] = [];
      const stranger = await carrier.connect();
      stranger.listen({ frame: (bytes) => texts.push(Buffer.from(bytes).toString()), closed: () => undefined });
      const resume = { connection: 'guess', calls: [0], streams: [] };
      stranger.send(encodeFrame({ type: 'greet', protocol: PROTOCOL_VERSION, resume }));
      await eventually(() => texts.length === 1);
      expect(texts[0]).toContain('"resumed":false');
      expect(texts[0]).not.toContain(page.connection);
      stranger.close();
    });
  });
});
