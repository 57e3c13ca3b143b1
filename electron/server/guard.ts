/**
 * Who may talk to the server: a browser on this machine (or at the end of a
 * tunnel to it) that was given the token; and a page that came from here.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const TOKEN_BYTES = 24;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Takes as long whatever the given text shares with the token. */
export function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * A name that another server can make point here (DNS rebinding) is refused;
 * the port is not looked at, because a tunnel may have another at its near end.
 */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** The Host header if it names this machine, else null. */
export function hostOf(request: IncomingMessage): string | null {
  const host = request.headers.host ?? '';
  return LOOPBACK_HOST.test(host) ? host : null;
}

/** A WebSocket ignores the same-origin policy, so the server must ask: only a page from this very address. */
export function isOwnOrigin(request: IncomingMessage, host: string): boolean {
  return request.headers.origin?.toLowerCase() === `http://${host}`.toLowerCase();
}
