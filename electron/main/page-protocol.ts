/**
 * The page's own protocol: files of the built page and nothing else, so that
 * the page has an origin with storage and no way to the file system.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';
import { pageHeaders, pagePolicy } from '../contract/wire/page-policy.ts';

const PAGE_SCHEME = 'braggbench';
export const PAGE_ORIGIN = `${PAGE_SCHEME}://app`;
export const PAGE_URL = `${PAGE_ORIGIN}/desktop.html`;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Must run before the application is ready. */
export function declarePageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** The file below `folder` that a URL of the page names; null for anything else. */
function pageFile(folder: string, url: string): string | null {
  let parsed: URL;
  let name: string;
  try {
    parsed = new URL(url);
    name = decodeURIComponent(parsed.pathname);
  } catch {
    return null;
  }
  if (parsed.protocol !== `${PAGE_SCHEME}:` || parsed.host !== 'app' || name.includes('\0')) return null;
  const file = path.join(folder, name);
  // `..` was taken out by URL, but not `..%2f`, nor the other separator.
  const inside = path.relative(folder, file);
  if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) return null;
  return Object.hasOwn(types, path.extname(file)) ? file : null;
}

/** Answers requests of the page from `folder`. */
export function servePage(folder: string): void {
  protocol.handle(PAGE_SCHEME, async (request) => {
    const file = request.method === 'GET' ? pageFile(folder, request.url) : null;
    if (file === null) return new Response('not here', { status: 404 });
    try {
      const body = await readFile(file);
      return new Response(body, {
        headers: {
          ...pageHeaders,
          'Content-Security-Policy': pagePolicy(),
          'Content-Type': types[path.extname(file)] ?? 'application/octet-stream',
        },
      });
    } catch {
      return new Response('not here', { status: 404 });
    }
  });
}
