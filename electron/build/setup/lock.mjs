import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './root.mjs';
import { say } from './say.mjs';

/** There while a process installs or builds. */
export const LOCK = inRoot('dist/.lock');
const LOOK_AGAIN_MS = 200;

/** Whether this call created the lock file. */
function take() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** The process in the lock file; null while it is being written or was just released. */
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
    // EPERM: it runs, as another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Installing and building in one checkout, one process at a time: a second
 * `npm start` waits for the first and then finds everything up to date.
 * @template T
 * @param {() => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function alone(body) {
  mkdirSync(inRoot('dist'), { recursive: true });
  let told = false;
  let dead = 0;
  while (!take()) {
    const pid = holder();
    if (pid && !isRunning(pid)) {
      // Its owner was killed. Looked at twice, so that of two waiting processes
      // the slower one does not remove the lock that the faster one just took.
      if (dead === pid) rmSync(LOCK, { force: true });
      dead = pid;
    } else if (pid && !told) {
      say(`Another Braggbench command (process ${pid}) is building here; waiting for it …`);
      told = true;
    }
    await sleep(LOOK_AGAIN_MS * (0.5 + Math.random()));
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
