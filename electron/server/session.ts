/** A server for another machine: its token and address lie in a folder that only the user reads, and it ends when idle. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../contract/errors.ts';
import { SERVING_FILE, type Serving, servingSchema, TOKEN_FILE } from '../host/index.ts';

/** Without a page and without work for this long, it ends: 30 min, looked at each minute. */
const IDLE = { checks: 30, every_ms: 60_000 } as const;

/** Throws a BraggError `invalid` for a folder without a usable token. */
export async function sessionToken(folder: string): Promise<string> {
  const file = path.join(folder, TOKEN_FILE);
  const read = servingSchema.shape.token.safeParse(await readFile(file, 'utf8').catch(() => ''));
  if (read.success) return read.data;
  throw new BraggError('invalid', `${file} holds no token; braggbench connect writes it.`);
}

/** Whole or not at all: whoever waits for the file reads it at once. */
export async function leaveAddress(folder: string, serving: Serving): Promise<void> {
  const file = path.join(folder, SERVING_FILE);
  await writeFile(`${file}.part`, JSON.stringify(serving), { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** `idle` settles once `isUsed` was false in as many checks in a row. */
export function watchIdle(
  isUsed: () => boolean,
  { checks, every_ms }: { readonly checks: number; readonly every_ms: number } = IDLE,
): { readonly idle: Promise<void>; stop(): void } {
  let unused = 0;
  const settled = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    unused = isUsed() ? 0 : unused + 1;
    if (unused < checks) return;
    clearInterval(timer);
    settled.resolve();
  }, every_ms);
  return { idle: settled.promise, stop: () => clearInterval(timer) };
}
