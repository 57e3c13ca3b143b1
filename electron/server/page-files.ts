/** The files of the page, listed once: a request can name one of these and nothing else. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { BraggError } from '../contract/errors.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** The entry of this shell; the other shell's is of no use here. */
const ENTRY = 'browser.html';
const OTHER_ENTRY = 'desktop.html';

export interface PageFile {
  readonly path: string;
  readonly type: string;
  /** Its name changes with its contents, so it may be cached forever. */
  readonly immutable: boolean;
}

/** By the path below the page's address; the empty path is the page itself. Throws when the page is not built. */
export function pageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  let found: string[];
  try {
    found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  } catch {
    found = [];
  }
  for (const name of found) {
    const type = TYPES[path.extname(name).toLowerCase()];
    if (type === undefined || name === OTHER_ENTRY) continue;
    const file = { path: path.join(folder, name), type, immutable: name.startsWith('assets/') };
    files.set(name === ENTRY ? '' : name, file);
  }
  if (!files.has('')) {
    throw new BraggError(
      'unsupported',
      `The page is not built: ${path.join(folder, ENTRY)} does not exist. Run: npm run build`,
    );
  }
  return files;
}
