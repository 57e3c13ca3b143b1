/**
 * Access control of the server, and the loopback port that it listens on. Only browsers with the token may connect, on
 * this machine or through a tunnel to it, and only from the server's own pages.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BraggError, messageOf } from '../contract/errors.ts';

const TOKEN_BYTES = 24;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Compares tokens in constant time, so that the time does not depend on the common prefix. */
export function tokensMatch(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Allowed host names. Others are rejected, because a foreign site could let its name resolve to this machine (DNS
 * rebinding). Any port is allowed, because a tunnel may use a different one on the user's machine.
 */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** Returns the Host header if it names this machine, otherwise null. */
export function loopbackHost(request: IncomingMessage): string | null {
  const host = request.headers.host ?? '';
  return LOOPBACK_HOST.test(host) ? host : null;
}

/**
 * Whether a request comes from a page at the server's own address. Browsers do not apply the same-origin policy to
 * WebSockets.
 */
export function isOwnOrigin(request: IncomingMessage, host: string): boolean {
  return request.headers.origin?.toLowerCase() === `http://${host}`.toLowerCase();
}

const LOOPBACK = '127.0.0.1';
/** Default port. It should be the same at every start, because a browser stores the page's settings by address. */
const DEFAULT_PORT = 7340;
const PORTS_TRIED = 20;

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Listens on the given port, which must be available (0: any). Null selects the default port or the next free one. */
export async function listen(server: Server, port: number | null): Promise<number> {
  const last = (port ?? DEFAULT_PORT) + (port === null ? PORTS_TRIED : 1) - 1;
  for (let candidate = port ?? DEFAULT_PORT; ; candidate += 1) {
    try {
      return await bind(server, candidate);
    } catch (error) {
      if (isBusy(error) && candidate < last) continue;
      const reason = isBusy(error)
        ? `Port ${candidate} is in use by another program. Choose another one with --port, or omit it.`
        : `Port ${candidate} cannot be opened: ${messageOf(error)}`;
      throw new BraggError('io', reason, [], { cause: error });
    }
  }
}
