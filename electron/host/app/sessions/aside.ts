/** Session files are parsed and completed on a worker thread: the time is linear in their size. */
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { aside } from '../../io/aside/task.ts';
import { readPlainAtMost } from '../../io/files/plain-file.ts';
import type { FactorialDesign } from '../../model/bench/factorial/designs.ts';
import { asSession, parseSession, withoutRecordings } from './index.ts';

/** Ten times the largest recorded one. What a page shows of it goes there whole. */
export const MOST_SESSION_BYTES = 4 * 2 ** 20;

/** A session as its file contains it, and the same without recordings. */
export interface ReadSession {
  readonly kept: Session;
  readonly outline: Session;
}

interface SessionText {
  readonly text: string;
  readonly path: string;
}

/** Throws BraggError `foreign-file`. */
export const readSessionText = aside('read a session', ({ text, path }: SessionText): ReadSession => {
  if (text.length > MOST_SESSION_BYTES) throw tooLarge(path);
  const kept = parseSession(text, path);
  return { kept, outline: withoutRecordings(kept) };
});

/** With the effects of optimisations. */
export const makeSession = aside(
  'make a session',
  ({ kept, designs }: { readonly kept: Session; readonly designs: readonly FactorialDesign[] }): Session =>
    asSession(kept, designs),
);

function tooLarge(path: string): BraggError {
  const most = `allowed: ${MOST_SESSION_BYTES / 2 ** 20} MiB`;
  return new BraggError(
    'foreign-file',
    `${path} is too large to be shown; ${most}. braggbench replay reads larger ones.`,
  );
}

/** `path` names the file in error messages. Throws BraggError `not-found` and `foreign-file`. */
export async function readSessionFile(file: string, path: string): Promise<ReadSession> {
  const bytes = await readPlainAtMost(file, MOST_SESSION_BYTES, path).catch((error: unknown) => {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw missing ? new BraggError('not-found', `There is no file ${path}.`) : error;
  });
  if (bytes === null) throw tooLarge(path);
  return readSessionText({ text: bytes.toString('utf8'), path });
}
