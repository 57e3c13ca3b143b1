/**
 * Tools for scripts: JSON over HTTP on the loopback interface. Each request is passed to the MCP server for agents, so
 * arguments, results and errors are the same for both.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { messageOf } from '../../contract/errors.ts';
import { listen, loopbackHost, newToken, tokensMatch } from '../../server/loopback.ts';

/** Version of the interface, part of every path: `/TOKEN/1/ladder`. Changes that break scripts increment it. */
const VERSION = '1';
/** Size limit of a request, bytes. A kernel of 1 MiB fits after JSON escaping. */
const MAX_BODY_BYTES = 8 * 2 ** 20;
/** Timeout of a call, ms. It is long, because a submission may wait for those of other clients. */
const CALL_TIMEOUT_MS = 24 * 3_600_000;

interface HttpReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const errorReply = (status: number, error: string): HttpReply => ({ status, body: { error } });

/** Reads the body of a request; null if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { tools } = await client.listTools();
  const known = tools.map((tool) => tool.name);
  if (!known.includes(name)) return errorReply(404, `${name} is not a method; allowed: ${known.join(', ')}`);
  const options = { signal, timeout: CALL_TIMEOUT_MS };
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: input }, undefined, options);
  const [first] = content as readonly { readonly text?: string }[];
  if (isError === true || typeof structuredContent !== 'object' || structuredContent === null)
    return errorReply(400, first?.text ?? 'the method returned no result');
  return { status: 200, body: { ...structuredContent } };
}

async function handleRequest(
  request: IncomingMessage,
  client: Client,
  token: string,
  signal: AbortSignal,
): Promise<HttpReply> {
  if (loopbackHost(request) === null)
    return errorReply(
      403,
      'The Host header of the request is not an address of this machine. Use the address that the program printed.',
    );
  const [, given = '', version, name = '', ...rest] = (request.url ?? '').split('/');
  if (!tokensMatch(given, token))
    return errorReply(403, 'Use the address that the program printed: it contains the access token.');
  if (version !== VERSION || rest.length > 0) return errorReply(404, `Allowed: /TOKEN/${VERSION}/METHOD`);
  if (request.method === 'GET' && name === '')
    return { status: 200, body: { version: Number(VERSION), methods: (await client.listTools()).tools } };
  if (request.method !== 'POST')
    return errorReply(405, 'Call a method by POST with a JSON object; GET lists the methods.');
  // Requiring JSON protects from foreign websites. Browsers send this type to another origin only after a preflight
  // request, which fails here.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return errorReply(415, 'Content-Type must be application/json');
  const text = await readBody(request);
  if (text === null) return errorReply(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  const input = parseObject(text);
  return input === null ? errorReply(400, 'The body is not a JSON object.') : callTool(client, name, input, signal);
}

async function writeReply(
  request: IncomingMessage,
  response: ServerResponse,
  client: Client,
  token: string,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { status, body } = await handleRequest(request, client, token, gone.signal).catch((error: unknown) =>
    errorReply(500, messageOf(error)),
  );
  if (response.destroyed) return;
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  response.writeHead(status, { ...headers, ...(status === 413 ? { Connection: 'close' } : {}) });
  response.end(`${JSON.stringify(body)}\n`);
}

/** Serves requests until the signal is aborted. `ready` is called with the address, which includes the token. */
export async function serveScripts(
  server: McpServer,
  port: number,
  signal: AbortSignal,
  ready: (url: string) => void,
): Promise<void> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'braggbench-http', version: VERSION });
  await Promise.all([server.connect(far), client.connect(near)]);
  const token = newToken();
  const http = createServer((request, response) => void writeReply(request, response, client, token));
  try {
    const bound = await listen(http, port);
    ready(`http://127.0.0.1:${bound}/${token}/${VERSION}/`);
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      else signal.addEventListener('abort', () => done(), { once: true });
    });
  } finally {
    http.close();
    http.closeAllConnections();
    await client.close();
  }
}
