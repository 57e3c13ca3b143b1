/**
 * Queue that runs the measurements of all processes of a user one at a time, in order of arrival. A process queues its
 * next measurement after the previous one has ended, so that several clients alternate.
 */
import { randomBytes } from 'node:crypto';
import { readdir, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, makePrivateFolder, tryLock } from '../../host/index.ts';

const POLL_MS = 50;
const TICKET = '.ticket';

const removeTicket = (file: string): Promise<void> => unlink(file).catch(() => undefined);

/** Number of tickets before `own` whose processes are alive. Removes the tickets of dead processes. */
async function ticketsBefore(folder: string, own: string): Promise<number> {
  let count = 0;
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(TICKET) && one < own)) {
    const file = path.join(folder, name);
    const free = tryLock(file);
    if (free === null) count += 1;
    else {
      free.release();
      await removeTicket(file);
    }
  }
  return count;
}

/** Error for a request that its client cancelled. */
export class CancelledError extends Error {
  override readonly name = 'Cancelled';
}

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

export class MeasurementQueue {
  readonly #folder: string;
  /** Resolves after the last queued request of this process has ended. */
  #last: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'locks', 'measuring');
  }

  /**
   * Runs `work` when it is first in the queue. `waiting` is called with the number of earlier measurements whenever
   * that changes. Throws CancelledError if the client cancels the request while it waits.
   */
  async enqueue<T>(work: () => Promise<T>, signal: AbortSignal, waiting: (count: number) => void): Promise<T> {
    const before = this.#last;
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    this.#last = before.then(() => left);
    if (this.#count > 0) waiting(this.#count);
    this.#count += 1;
    try {
      await Promise.race([before, waitForAbort(signal)]);
      return await this.#withTicket(work, signal, waiting);
    } finally {
      this.#count -= 1;
      leave();
    }
  }

  async #withTicket<T>(work: () => Promise<T>, signal: AbortSignal, waiting: (count: number) => void): Promise<T> {
    if (signal.aborted) throw new CancelledError('The request was cancelled while it waited.');
    await makePrivateFolder(this.#folder);
    // The monotonic clock orders tickets that were created in the same millisecond.
    const time = `${String(Date.now()).padStart(16, '0')}-${String(process.hrtime.bigint()).padStart(20, '0')}`;
    const name = `${time}-${randomBytes(6).toString('hex')}${TICKET}`;
    const ticket = path.join(this.#folder, name);
    const running = path.join(this.#folder, 'running');
    await writeFile(ticket, '', { mode: 0o600 });
    const mine = tryLock(ticket);
    let turn: Lock | null = null;
    let last = -1;
    try {
      for (;;) {
        if (signal.aborted) throw new CancelledError('The request was cancelled while it waited.');
        const count = await ticketsBefore(this.#folder, name);
        // Tickets only define the order. The lock decides, because the previous process may still be exiting.
        if (count === 0) turn = tryLock(running);
        if (turn !== null) break;
        if (count !== last) waiting(count);
        last = count;
        await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
      return await work();
    } finally {
      turn?.release();
      mine?.release();
      await removeTicket(ticket);
    }
  }
}
