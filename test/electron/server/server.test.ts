import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect as connectTcp, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningServer, serve, watchIdle } from '../../../electron/server/index.ts';
import { openSocketPort } from '../../../electron/transports/websocket-page.ts';
import { type Client, type ConnectionState, connect } from '../../../renderer/data/client/client.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { assetsFolder } from '../host/small-run.ts';
import { eventually, longScenario } from '../host/test-host.ts';

const folder = scratchFolder('server');
let served: RunningServer;
let token: string;
/** Address of the page, with the token in its path. */
let page: string;

/** A page folder as after a build, and a file next to it that must not be served. */
beforeAll(async () => {
  await mkdir(path.join(folder, 'page', 'assets'), { recursive: true });
  await writeFile(path.join(folder, 'page', 'browser.html'), '<!doctype html><title>page</title>');
  await writeFile(path.join(folder, 'page', 'desktop.html'), 'other shell');
  await writeFile(path.join(folder, 'page', 'assets', 'page-a1b2.js'), 'export {};');
  await writeFile(path.join(folder, 'page', 'assets', 'page-a1b2.js.map'), 'map');
  await writeFile(path.join(folder, 'secret.txt'), 'secret');
});

const options = (): Parameters<typeof serve>[0] => ({
  port: 0,
  assetsFolder,
  pageFolder: path.join(folder, 'page'),
  dataFolder: path.join(folder, 'data'),
});

beforeEach(async () => {
  served = await serve(options());
  token = new URL(served.url).searchParams.get('token') ?? '';
  page = `http://127.0.0.1:${served.port}/${token}/`;
});
afterEach(() => served.close());

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

/** Sends a request whose path and headers are exactly as given; fetch would normalize them. */
async function rawRequest(target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  const sent = request({ host: '127.0.0.1', port: served.port, path: target, method, headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.setEncoding('utf8');
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

describe('the served page', () => {
  it('is reached by the printed address, which redirects to an address with the token in its path', async () => {
    const first = await rawRequest(`/?token=${token}`);
    expect(first).toMatchObject({ status: 303, headers: { location: `/${token}/` } });
    const reply = await rawRequest(`/${token}/`);
    expect(reply).toMatchObject({ status: 200, body: '<!doctype html><title>page</title>' });
    expect(token.length).toBeGreaterThanOrEqual(32);
  });

  it('has a policy without inline or foreign scripts, and the other security headers', async () => {
    const { headers } = await rawRequest(`/${token}/`);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe-(inline|eval)/);
    expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${served.port}`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('caches its files permanently under hashed names, and no other files', async () => {
    const script = await rawRequest(`/${token}/assets/page-a1b2.js`);
    expect(script).toMatchObject({ status: 200, body: 'export {};' });
    expect(script.headers['content-type']).toContain('text/javascript');
    expect(script.headers['cache-control']).toContain('immutable');
    for (const other of ['desktop.html', 'assets/page-a1b2.js.map', 'assets/', 'assets', 'nothing.js']) {
      expect((await rawRequest(`/${token}/${other}`)).status).toBe(404);
    }
  });

  it.each([
    '../secret.txt',
    '..%2fsecret.txt',
    '%2e%2e/secret.txt',
    'assets/../../secret.txt',
    '..\\secret.txt',
    'assets/..%5c..%5csecret.txt',
    '/etc/passwd',
    '//etc/passwd',
    'assets/page-a1b2.js%00.html',
  ])('is never served from outside its folder: %s', async (target) => {
    const reply = await rawRequest(`/${token}/${target}`);
    expect([403, 404]).toContain(reply.status);
    expect(reply.body).not.toMatch(/secret$|root:/);
  });

  it('is not served without the token, with another token, or under another host name', async () => {
    for (const target of [
      '/',
      '/?token=',
      `/?token=${token}x`,
      `/?token=${'a'.repeat(token.length)}`,
      '/assets/page-a1b2.js',
      `/${token}`,
      `/x${token}/`,
    ]) {
      expect((await rawRequest(target)).status).toBe(403);
    }
    // Requests for another host name are rejected, even if it resolves to this machine.
    for (const host of ['evil.example', `127.0.0.1.evil.example:${served.port}`, '0.0.0.0']) {
      expect((await rawRequest(`/${token}/`, { host })).status).toBe(403);
    }
    for (const host of [`localhost:${served.port}`, 'LOCALHOST:8000', '[::1]:7340']) {
      expect((await rawRequest(`/${token}/`, { host })).status).toBe(200);
    }
    expect((await rawRequest(`/${token}/`, {}, 'POST')).status).toBe(405);
    expect((await rawRequest(`/${token}/`, {}, 'HEAD')).body).toBe('');
  });
});

describe('the WebSocket of the server', () => {
  /** The HTTP status with which an upgrade was rejected, or `open`. */
  async function upgradeStatus(address: string, headers: Record<string, string>): Promise<number | 'open'> {
    const socket = new WebSocket(address, { headers });
    return new Promise((resolve) => {
      socket.on('open', () => {
        socket.terminate();
        resolve('open');
      });
      socket.on('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0);
        socket.terminate();
      });
      socket.on('error', () => undefined);
    });
  }

  it('accepts only pages from this address', async () => {
    const address = `ws://127.0.0.1:${served.port}/${token}/socket`;
    const own = `http://127.0.0.1:${served.port}`;
    expect(await upgradeStatus(address, { origin: own })).toBe('open');
    const tunnelled = { host: 'localhost:8000', origin: 'http://localhost:8000' };
    expect(await upgradeStatus(address, tunnelled)).toBe('open');
    for (const headers of [
      {},
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `https://127.0.0.1:${served.port}` },
      // The page comes from another server on this machine.
      { origin: 'http://127.0.0.1:9999' },
      { origin: 'http://localhost:8000' },
      { origin: 'http://evil.example', host: 'evil.example' },
    ] as Record<string, string>[]) {
      expect(await upgradeStatus(address, headers)).toBe(403);
    }
    for (const target of ['/socket', `/${token}x/socket`, `/${token}/other`, `/${token}/socket/`, '/']) {
      expect(await upgradeStatus(`ws://127.0.0.1:${served.port}${target}`, { origin: own })).toBe(403);
    }
  });

  it('survives peers that send garbage or vanish', async () => {
    const address = `ws://127.0.0.1:${served.port}/${token}/socket`;
    const socket = new WebSocket(address, { origin: `http://127.0.0.1:${served.port}` });
    await once(socket, 'open');
    socket.send(new Uint8Array([1, 2, 3]));
    await once(socket, 'close');
    const tcp = connectTcp(served.port, '127.0.0.1');
    await once(tcp, 'connect');
    tcp.write('GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    tcp.destroy();
    expect((await rawRequest(`/${token}/`)).status).toBe(200);
  });
});

describe("a page's connection", () => {
  let opened: WebSocket[];
  beforeEach(() => {
    opened = [];
    // Sets the page's origin, which a browser's WebSocket sends automatically.
    class PageSocket extends WebSocket {
      constructor(address: string) {
        super(address, { origin: new URL(page).origin });
        opened.push(this);
      }
    }
    vi.stubGlobal('WebSocket', PageSocket);
  });
  afterEach(() => vi.unstubAllGlobals());

  function openPage(states: ConnectionState[] = []): Promise<Client> {
    const socket = new URL('socket', page).href.replace(/^http/, 'ws');
    return connect(() => openSocketPort(socket), { retry_ms: 10, onState: (state) => states.push(state) });
  }

  it('outlives its socket: the run and the streams continue', async () => {
    const states: ConnectionState[] = [];
    const client = await openPage(states);
    expect(client.capabilities.shell).toMatchObject({ kind: 'browser', dialogs: false });
    const { id } = await client.call('run.start', { scenario: { ...longScenario }, name: '' });
    const steps: number[] = [];
    let state = '';
    client.stream(
      'run.progress',
      { run: id },
      {
        frame: (progress) => {
          if (progress.detail.workload === 'transport') steps.push(progress.detail.step);
          state = progress.state;
        },
      },
    );
    for (let round = 0; round < 3; round += 1) {
      const seen = steps.length;
      await eventually(() => steps.length >= seen + 3 || state === 'done');
      opened.at(-1)?.terminate();
      const call = client.call('run.list', {});
      await eventually(() => states.filter(({ kind }) => kind === 'connected').length === round + 2);
      expect((await call).runs.length).toBe(1);
    }
    await eventually(() => state === 'done');
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    client.close();
  });

  it('is separate for each page, but both pages see all runs', async () => {
    const [one, two] = [await openPage(), await openPage()];
    expect(one.connection).not.toBe(two.connection);
    let runs = 0;
    two.stream(
      'runs',
      {},
      {
        frame: (list) => {
          runs = list.runs.length;
        },
      },
    );
    const { id } = await one.call('run.start', { scenario: { ...longScenario }, name: '' });
    await eventually(() => runs === 1);
    await two.call('run.cancel', { run: id });
    expect((await served.host.runs.waitForEnd(id)).state).toBe('cancelled');
    one.close();
    two.close();
  });

  it('is notified when the program ends, and retries even if nobody answers', async () => {
    const states: ConnectionState[] = [];
    const client = await openPage(states);
    await served.close();
    await eventually(() => states.some(({ kind }) => kind === 'reconnecting'));
    // Wait for three closed sockets: that of the page, and at least two rejected attempts to reconnect.
    await eventually(() => opened.filter(({ readyState }) => readyState === WebSocket.CLOSED).length >= 3);
    client.close();
    await expect(openSocketPort(`ws://127.0.0.1:${served.port}/`)).rejects.toThrow('the host does not respond');
  });
});

describe('a workbench on a remote machine', () => {
  it('ends after several consecutive checks without a page or work', async () => {
    let checks = 0;
    // The third check finds the workbench in use, so counting of idle checks starts again.
    const isUsed = (): boolean => {
      checks += 1;
      return checks === 3;
    };
    const watch = watchIdle(isUsed, { checks: 4, every_ms: 1 });
    await watch.idle;
    expect(checks).toBe(7);
    watch.stop();
  });

  it('writes its address for clients, and removes it at the end', async () => {
    const at = path.join(folder, 'session');
    await mkdir(at, { recursive: true });
    await writeFile(path.join(at, 'token'), 'a'.repeat(32));
    const data = path.join(folder, 'far');
    const far = await serve({ ...options(), dataFolder: data, session: { folder: at, as: 'box' } });
    const left = JSON.parse(await readFile(path.join(at, 'serving.json'), 'utf8'));
    expect(left).toEqual({ port: far.port, token: 'a'.repeat(32) });
    await far.close();
    expect(existsSync(path.join(at, 'serving.json'))).toBe(false);
  });
});

describe('the port of the server', () => {
  it('gives one clear error if it was requested and is in use; otherwise the next free port is used', async () => {
    await expect(serve({ ...options(), port: served.port })).rejects.toMatchObject({
      code: 'io',
      message: `Port ${served.port} is in use by another program. Choose another one with --port, or omit it.`,
    });
    const [first, second] = [await serve({ ...options(), port: null }), await serve({ ...options(), port: null })];
    // This holds whatever ports other programs take and release meanwhile.
    expect(second.port).not.toBe(first.port);
    await Promise.all([first.close(), second.close()]);
  });

  it('is free again after the server ends, even with a connected page', async () => {
    const idle = connectTcp(served.port, '127.0.0.1');
    await once(idle, 'connect');
    idle.on('error', () => undefined);
    await served.close();
    const again = createServer();
    again.listen(served.port, '127.0.0.1');
    await once(again, 'listening');
    again.close();
    served = await serve(options());
  });

  it('is open only on the loopback interface', async (context) => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((net) => net?.family === 'IPv4' && !net.internal);
    if (outside === undefined) return context.skip('this machine has no other interface');
    const socket = connectTcp(served.port, outside.address);
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});

describe('a file that is missing at start', () => {
  it('is named, for the page and for the scenario', async () => {
    await expect(serve({ ...options(), pageFolder: folder })).rejects.toMatchObject({
      code: 'unsupported',
      message: /The page is not built: .*browser\.html does not exist/,
    });
    await expect(serve({ ...options(), scenario: path.join(folder, 'none.json') })).rejects.toMatchObject({
      code: 'not-found',
      message: /none\.json does not exist/,
    });
  });

  it('does not matter for an existing scenario, which is opened first', async () => {
    const scenario = path.join(assetsFolder, 'scenarios', 'water-70MeV.json');
    const other = await serve({ ...options(), scenario, run: true });
    expect(other.host.capabilities()).toMatchObject({
      openFirst: { kind: 'library', key: 'water-70MeV.json' },
      runFirst: true,
    });
    await other.close();
  });
});
