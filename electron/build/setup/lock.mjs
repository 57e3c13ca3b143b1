import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './root.mjs';
import { printLine } from './say.mjs';

/** Lock file, which exists while a process installs packages or builds. */
export const LOCK = inRoot('dist/.lock');
const RETRY_MS = 200;

/** Creates the lock file; returns false if it exists already. */
function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** Process id in the lock file; null if the file is incomplete or was just removed. */
function lockOwner() {
  try {
    return Number(readFileSync(LOCK, 'utf8')) || null;
  } catch {
    return null;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Ensures that only one process at a time installs or builds in a checkout. A second `npm start` waits and then finds
 * everything up to date.
 * @template T
 * @param {() => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function withLock(body) {
  mkdirSync(inRoot('dist'), { recursive: true });
  let told = false;
  let dead = 0;
  while (!tryLock()) {
    const pid = lockOwner();
    if (pid && !isRunning(pid)) {
      // The process that holds the lock was killed. Read the file twice, so that of two waiting processes the slower
      // one does not remove the lock of the faster one.
      if (dead === pid) rmSync(LOCK, { force: true });
      dead = pid;
    } else if (pid && !told) {
      printLine(`Another Braggbench command (process ${pid}) is already building; waiting for it …`);
      told = true;
    }
    await sleep(RETRY_MS * (0.5 + Math.random()));
  }
  const release = () => rmSync(LOCK, { force: true });
  process.once('exit', release);
  try {
    return await body();
  } finally {
    process.off('exit', release);
    release();
  }
}
