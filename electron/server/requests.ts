/**
 * Answers HTTP requests. Everything lies below a path that is the token. So
 * the token is in no cookie (those reach every port of this machine) and a
 * request without it learns nothing.
 */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pageHeaders, pagePolicy } from '../contract/wire/page-policy.ts';
import { hostOf, isToken } from './guard.ts';
import type { PageFile } from './page-files.ts';

const YEAR_S = 365 * 24 * 60 * 60;

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    ...pageHeaders,
    'Cache-Control': 'no-store',
  });
  response.end(`${text}\n`);
}

/** The part of a path behind `/TOKEN/`, decoded; null when the token is not there. */
export function belowToken(pathname: string, token: string): string | null {
  const [, first = '', ...rest] = pathname.split('/');
  return rest.length > 0 && isToken(first, token) ? rest.join('/') : null;
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: PageFile, host: string): void {
  const cache = file.immutable ? `private, max-age=${YEAR_S}, immutable` : 'no-store';
  const headers = {
    'Content-Type': file.type,
    'Content-Security-Policy': pagePolicy([`ws://${host}`]),
    'Cache-Control': cache,
    ...pageHeaders,
  };
  if (request.method === 'HEAD') {
    response.writeHead(200, headers).end();
    return;
  }
  const stream = createReadStream(file.path);
  stream.once('open', () => response.writeHead(200, headers));
  stream.once('error', () => {
    // Rebuilt under a running server: the page's files have other names now.
    if (response.headersSent) response.destroy();
    else plain(response, 404, 'This file is no longer there. Start the program again.');
  });
  stream.pipe(response);
}

type Reply =
  | { readonly kind: 'text'; readonly status: number; readonly text: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'file'; readonly file: PageFile; readonly host: string };

const text = (status: number, sentence: string): Reply => ({ kind: 'text', status, text: sentence });

function decide(request: IncomingMessage, token: string, files: ReadonlyMap<string, PageFile>): Reply {
  const host = hostOf(request);
  if (host === null) return text(403, 'This address is not one of this machine.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'Only GET is answered here.');
  let url: URL;
  try {
    url = new URL(request.url ?? '/', `http://${host}`);
  } catch {
    return text(400, 'This is not an address.');
  }
  const given = url.searchParams.get('token');
  if (url.pathname === '/' && given !== null && isToken(given, token)) return { kind: 'redirect', to: `/${token}/` };
  const name = belowToken(url.pathname, token);
  if (name === null) return text(403, 'Open the address that the program printed when it started: it carries a token.');
  const file = files.get(name);
  return file === undefined ? text(404, 'There is nothing here.') : { kind: 'file', file, host };
}

/** Returns whether the request carried the token. */
export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  files: ReadonlyMap<string, PageFile>,
): boolean {
  const reply = decide(request, token, files);
  switch (reply.kind) {
    case 'text':
      plain(response, reply.status, reply.text);
      break;
    case 'redirect':
      response.writeHead(303, { Location: reply.to, ...pageHeaders, 'Cache-Control': 'no-store' }).end();
      break;
    case 'file':
      sendFile(request, response, reply.file, reply.host);
      break;
  }
  return reply.kind !== 'text';
}
