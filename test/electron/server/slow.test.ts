/** Connections that send or read too slowly are closed; the socket of a page stays open. */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type PageServer, servePage } from '../../../electron/server/server.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { openTestHost, type TestHost } from '../host/test-host.ts';

const LIMIT_MS = 300;
const folder = scratchFolder('slow');
let test: TestHost;
let server: PageServer;
let token = '';
beforeAll(async () => {
  await mkdir(path.join(folder, 'assets'));
  await writeFile(path.join(folder, 'browser.html'), '<!doctype html>');
  await writeFile(path.join(folder, 'assets', 'large.js'), ' '.repeat(64 * 2 ** 20));
  test = await openTestHost();
  server = await servePage(test.host, folder, 0, { head_ms: LIMIT_MS, silent_ms: LIMIT_MS, most: 24 });
  token = new URL(server.url).searchParams.get('token') ?? '';
});
afterAll(async () => {
  await server.close();
  await test.close();
});

/** Resolves when the server has closed a connection that sends nothing: after at least one time limit. */
const waitUntilSilentClosed = (): Promise<void> => waitForClose(connect(server.port, '127.0.0.1').resume());

/** Resolves when the server has closed the socket. */
async function waitForClose(socket: Socket): Promise<void> {
  // A server that closes with unread bytes resets the connection, which counts as closed too.
  socket.on('error', () => undefined);
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

it('the server closes a connection that sends nothing, half a request, or a byte now and then', async () => {
  const silent = connect(server.port, '127.0.0.1');
  const half = connect(server.port, '127.0.0.1');
  half.write('GET / HTTP/1.1\r\nHost: 127.0.0.1');
  const slow = connect(server.port, '127.0.0.1');
  slow.write('GET / HTTP/1.1\r\n');
  const drip = setInterval(() => slow.write('X'), 100);
  for (const socket of [silent, half, slow]) socket.resume();
  await Promise.all([silent, half, slow].map(waitForClose));
  clearInterval(drip);
});

it('the server closes a connection that requests a file and does not read it', async () => {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(`GET /${token}/assets/large.js HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`);
  await once(socket, 'readable');
  socket.pause();
  // After the server has given up, only the contents of its buffers can still be read, which are less than the file.
  for (let limits = 0; limits < 3; limits += 1) await waitUntilSilentClosed();
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  await waitForClose(socket);
  expect(bytes).toBeLessThan(64 * 2 ** 20);
});

it('the socket of an idle page stays open', async () => {
  const origin = `http://127.0.0.1:${server.port}`;
  const page = new WebSocket(`ws://127.0.0.1:${server.port}/${token}/socket`, { origin });
  await once(page, 'open');
  for (let limits = 0; limits < 3; limits += 1) await waitUntilSilentClosed();
  page.ping();
  await once(page, 'pong');
  page.terminate();
});

it('the server closes connections above the limit at once and answers the others', async () => {
  // The server's time limits are longer than the test, so that only the number of connections closes one.
  const crowded = await servePage(test.host, folder, 0, { head_ms: 600_000, silent_ms: 600_000, most: 24 });
  const sockets = Array.from({ length: 40 }, () => connect(crowded.port, '127.0.0.1'));
  const dropped = new Set<Socket>();
  for (const socket of sockets) void waitForClose(socket.resume()).then(() => dropped.add(socket));
  await expect.poll(() => dropped.size).toBe(16);
  const accepted = sockets.filter((socket) => !dropped.has(socket));
  await Promise.all(
    accepted.map(async (socket) => {
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 \d{3} /);
    }),
  );
  for (const socket of sockets) socket.destroy();
  await crowded.close();
});

it('the server accepts a page while another user fills all slots with silent connections', async () => {
  const crowded = await servePage(test.host, folder, 0, { head_ms: 600_000, silent_ms: 600_000, most: 24 });
  const origin = `http://127.0.0.1:${crowded.port}`;
  const key = new URL(crowded.url).searchParams.get('token') ?? '';
  const open = new WebSocket(`ws://127.0.0.1:${crowded.port}/${key}/socket`, { origin });
  await once(open, 'open');
  const silent = Array.from({ length: 60 }, () => connect(crowded.port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  const page = await fetch(`${origin}/${key}/`);
  expect([page.status, await page.text()]).toEqual([200, '<!doctype html>']);
  const socket = new WebSocket(`ws://127.0.0.1:${crowded.port}/${key}/socket`, { origin });
  await once(socket, 'open');
  // The page that was already open is not closed to make room.
  open.ping();
  await once(open, 'pong');
  for (const each of [open, socket]) each.terminate();
  for (const each of silent) each.destroy();
  await crowded.close();
});
