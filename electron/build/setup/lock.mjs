import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './root.mjs';
import { say } from './say.mjs';

/** Lock file that exists while a process installs or builds. */
export const LOCK = inRoot('dist/.lock');
const RETRY_MS = 200;

/** Creates the lock file; returns false if it exists. */
function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** Id of the process in the lock file; null while it is being written or was just released. */
function holder() {
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
    // EPERM means that the process runs as another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Runs installing and building in one checkout by one process at a time. A second `npm start` waits for the first, and
 * then finds everything up to date.
 * @template T
 * @param {() => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function withLock(body) {
  mkdirSync(inRoot('dist'), { recursive: true });
  let told = false;
  let dead = 0;
  while (!tryLock()) {
    const pid = holder();
    if (pid && !isRunning(pid)) {
      // The lock's owner was killed. The file is read twice, so that the slower of two waiting processes does not
      // remove the lock of the faster one.
      if (dead === pid) rmSync(LOCK, { force: true });
      dead = pid;
    } else if (pid && !told) {
      say(`Another Braggbench command (process ${pid}) is already building; waiting for it …`);
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
