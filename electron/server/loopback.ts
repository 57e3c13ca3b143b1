/**
 * Access control of the server. Clients are a browser with the token, on this machine or at the end of a tunnel to it,
 * and pages from this origin. Also binds the server to a port of the loopback interface.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BraggError, messageOf } from '../contract/errors.ts';

const TOKEN_BYTES = 24;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Compares in constant time, regardless of the length of the common prefix. */
export function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Allowed hosts. Other names are rejected, because a foreign server could make them resolve to this machine (DNS
 * rebinding). The port is ignored, because a tunnel may have another one at its near end.
 */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** Returns the Host header if it names this machine, else null. */
export function hostOf(request: IncomingMessage): string | null {
  const host = request.headers.host ?? '';
  return LOOPBACK_HOST.test(host) ? host : null;
}

/** WebSockets ignore the same-origin policy, so the server must check that the page comes from this very address. */
export function isOwnOrigin(request: IncomingMessage, host: string): boolean {
  return request.headers.origin?.toLowerCase() === `http://${host}`.toLowerCase();
}

const LOOPBACK = '127.0.0.1';
/** The page stores its settings per address, so the same port is used at every start if possible. */
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

/** Listens. A given port must be available (0: any). Null: the default port or the next free one. */
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
