/** Sessions read and made into what comparisons take, beside the host's loop: that is linear in what their files hold. */
import type { KeptSession } from '../../../contract/bench/kept-session.ts';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { aside } from '../../io/aside/task.ts';
import { readPlainAtMost } from '../../io/files/plain-file.ts';
import { asSession, type KnownNow, outlineOf, parseKeptSession } from './index.ts';

/** Ten times the largest recorded one. What a page shows of it goes there whole. */
export const MOST_SESSION_BYTES = 4 * 2 ** 20;

/** A session, and the same without the intervals that its file does not hold. */
export interface ReadSession {
  readonly kept: KeptSession;
  readonly outline: Session;
}

interface SessionText {
  readonly text: string;
  readonly path: string;
  readonly variants: KnownNow['variants'];
}

/** Throws BraggError `foreign-file`. */
export const readSessionText = aside('read a session', ({ text, path, variants }: SessionText): ReadSession => {
  if (text.length > MOST_SESSION_BYTES) throw tooLarge(path);
  const kept = parseKeptSession(text, path);
  return { kept, outline: outlineOf(kept, variants) };
});

export const outlineSession = aside(
  'outline a session',
  ({ kept, variants }: { readonly kept: KeptSession; readonly variants: KnownNow['variants'] }): Session =>
    outlineOf(kept, variants),
);

/** With every interval and claim. */
export const makeSession = aside(
  'make a session',
  ({ kept, known }: { readonly kept: KeptSession; readonly known: KnownNow }): Session => asSession(kept, known),
);

function tooLarge(path: string): BraggError {
  const most = `allowed: ${MOST_SESSION_BYTES / 2 ** 20} MiB`;
  return new BraggError(
    'foreign-file',
    `${path} is too large to be shown; ${most}. braggbench replay reads larger ones.`,
  );
}

/** `path` names the file in what is wrong with it. Throws BraggError `not-found` and `foreign-file`. */
export async function readSessionFile(
  file: string,
  path: string,
  variants: KnownNow['variants'],
): Promise<ReadSession> {
  const bytes = await readPlainAtMost(file, MOST_SESSION_BYTES, path).catch((error: unknown) => {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw missing ? new BraggError('not-found', `There is no file ${path}.`) : error;
  });
  if (bytes === null) throw tooLarge(path);
  return readSessionText({ text: bytes.toString('utf8'), path, variants });
}
