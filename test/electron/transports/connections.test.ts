/** Closed pages: their connections end after a timeout. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeFrame, encodeFrame } from '../../../electron/contract/wire/frame.ts';
import { type Port, PROTOCOL_VERSION } from '../../../electron/contract/wire/protocol.ts';
import { Connections } from '../../../electron/host/app/service/connection.ts';
import { inProcessPorts } from '../../../electron/transports/websocket-host.ts';
import { SyntheticService, testCapabilities } from './synthetic-service.ts';

let connections: Connections;
// Fake timers, so that a loaded machine causes no timeouts.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  connections.close('end of test');
  vi.useRealTimers();
});

type GreetedPort = { readonly port: Port; readonly answer: Promise<Record<string, unknown>> };

function connectPage(resume: string | null = null, singleUse = false): GreetedPort {
  const [port, host] = inProcessPorts();
  connections.accept(host, { singleUse });
  const answer = new Promise<Record<string, unknown>>((resolve) => {
    port.listen({ frame: (bytes) => resolve(decodeFrame(bytes) as Record<string, unknown>), closed: () => undefined });
  });
  const streams = [{ stream: 0, received: 0 }];
  const greeting = resume === null ? null : { connection: resume, calls: [], streams };
  port.send(encodeFrame({ type: 'greet', protocol: PROTOCOL_VERSION, resume: greeting }));
  return { port, answer };
}

const settle = async (ms = 10): Promise<void> => void (await vi.advanceTimersByTimeAsync(ms));

describe('connections of pages', () => {
  it('end if nobody reconnects in time, and not before', async () => {
    const service = new SyntheticService();
    connections = new Connections({ service, capabilities: () => testCapabilities, keepDetached_ms: 80 });
    const { port, answer } = connectPage();
    const { connection } = await answer;
    port.send(encodeFrame({ type: 'open', stream: 0, name: 'latest', params: null, credits: 1 }));
    await settle();
    port.close('cable pulled');
    await settle(20);
    expect(connections.size).toBe(1);
    const back = connectPage(String(connection));
    expect(await back.answer).toMatchObject({ resumed: true, connection: connection });
    await settle(120);
    // The connection has a page again, so that its timeout is stopped.
    expect(connections.size).toBe(1);
    expect(service.stopped).toEqual([]);
    back.port.close('cable pulled');
    await settle(150);
    expect(connections.size).toBe(0);
    expect(await connectPage(String(connection)).answer).toMatchObject({ resumed: false });
  });

  it('end with their transport if it cannot reconnect', async () => {
    const service = new SyntheticService();
    connections = new Connections({ service, capabilities: () => testCapabilities });
    const { port, answer } = connectPage(null, true);
    await answer;
    port.close('window closed');
    await settle();
    expect(connections.size).toBe(0);
  });

  it('are replaced by a second connection from the same page', async () => {
    const service = new SyntheticService();
    connections = new Connections({ service, capabilities: () => testCapabilities });
    const first = connectPage();
    const { connection } = await first.answer;
    const second = connectPage(String(connection));
    expect(await second.answer).toMatchObject({ resumed: true });
    await settle();
    first.port.send(encodeFrame({ type: 'call', id: 0, method: 'echo', params: 1 }));
    first.port.close();
    await settle();
    expect(connections.size).toBe(1);
    // Later messages of the first page are dropped, because its port was closed.
    expect(service.calls).toEqual([]);
  });

  it('replace the connection abandoned first when beyond the limit, and are rejected while all are in use', async () => {
    connections = new Connections({ service: new SyntheticService(), capabilities: () => testCapabilities });
    const pages = Array.from({ length: 64 }, () => connectPage());
    const answers = await Promise.all(pages.map(({ answer }) => answer));
    expect(await connectPage().answer).toMatchObject({ type: 'refused', error: { code: 'unsupported' } });
    pages[5]?.port.close('cable pulled');
    await settle();
    expect(await connectPage().answer).toMatchObject({ type: 'hello' });
    expect(connections.size).toBe(64);
    expect(await connectPage(String(answers[5]?.['connection'])).answer).toMatchObject({ type: 'refused' });
  });
});
