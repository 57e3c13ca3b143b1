/**
 * Serializes measurements over all processes of a user, first come, first served. A client's next measurement goes
 * behind those that wait, so that several clients share the GPU fairly.
 */
import { randomBytes } from 'node:crypto';
import { readdir, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivate } from '../../host/io/files/data-folder.ts';
import { type Lock, tryLock } from '../../host/io/files/locks.ts';

const LOOK_EVERY_MS = 50;
const TICKET = '.ticket';

const gone = (file: string): Promise<void> => unlink(file).catch(() => undefined);

/** Live tickets before `own`. One without an owner is of a process that died, and is removed. */
async function before(folder: string, own: string): Promise<number> {
  let count = 0;
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(TICKET) && one < own)) {
    const file = path.join(folder, name);
    const free = tryLock(file);
    if (free === null) count += 1;
    else {
      free.release();
      await gone(file);
    }
  }
  return count;
}

/** The client cancelled its request. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

export class MeasuringQueue {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'locks', 'measuring');
  }

  /** `waiting` gets the number of tickets before this one, whenever it changes. Throws Cancelled. */
  async inTurn<T>(work: () => Promise<T>, signal: AbortSignal, waiting: (count: number) => void): Promise<T> {
    await makePrivate(this.#folder);
    const name = `${String(Date.now()).padStart(16, '0')}-${randomBytes(6).toString('hex')}${TICKET}`;
    const ticket = path.join(this.#folder, name);
    const running = path.join(this.#folder, 'running');
    await writeFile(ticket, '', { mode: 0o600 });
    const mine = tryLock(ticket);
    let turn: Lock | null = null;
    let last = -1;
    try {
      for (;;) {
        if (signal.aborted) throw new Cancelled('The request was cancelled while it waited.');
        const count = await before(this.#folder, name);
        // Who was first may be on its way out: the lock decides, tickets only order.
        if (count === 0) turn = tryLock(running);
        if (turn !== null) break;
        if (count !== last) waiting(count);
        last = count;
        await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
      return await work();
    } finally {
      turn?.release();
      mine?.release();
      await gone(ticket);
    }
  }
}
