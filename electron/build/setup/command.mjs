import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { root } from './root.mjs';

/**
 * @typedef {Readonly<{ code: number, output: string, timedOut: boolean }>} Outcome
 * `code` is 127 when the program could not be started and 128 + n after signal n.
 *
 * @typedef {Readonly<{
 *   cwd?: string,
 *   env?: NodeJS.ProcessEnv,
 *   timeout_s?: number,
 *   signal?: AbortSignal,
 *   onLine?: (line: string) => void,
 * }>} Options
 * `signal`: ends the program with all that it has started, not on Windows.
 */

/** Numbers of the signals that can end a program. As in a shell, its exit code is then 128 plus the number. */
const SIGNAL_NUMBER = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
export function exitCode(code, signal) {
  if (code !== null) return code;
  return 128 + (SIGNAL_NUMBER[/** @type {keyof typeof SIGNAL_NUMBER} */ (signal)] ?? 0);
}

/**
 * Nice value of background programs. Their priority is below the default of 0, but high enough to progress on a busy
 * machine.
 */
const BACKGROUND = 5;

/** @type {AsyncLocalStorage<true>} */
const background = new AsyncLocalStorage();

/**
 * Runs `work` in the background: programs that it starts by capture() have a low priority and mostly use idle processor
 * time.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export const runInBackground = (work) => background.run(true, work);

/**
 * Ends a program and its process group when this process exits, or when `signal` is aborted.
 * @param {import('node:child_process').ChildProcess} child
 * @param {AbortSignal} signal
 * @returns {() => void} removes the handlers again
 */
function endGroupOnExit(child, signal) {
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    } catch {
      // Ignore the error, because the process has already ended.
    }
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  process.on('exit', end);
  return () => {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
  };
}

/**
 * Runs a program to its end and collects the output of both streams. Does not throw if the program fails, so the caller
 * must check the exit code.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Options} options
 * @returns {Promise<Outcome>}
 */
export function capture(program, args, options = {}) {
  return new Promise((resolve) => {
    let output = '';
    let timedOut = false;
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: options.signal !== undefined,
    });
    if (background.getStore() && child.pid !== undefined) setPriority(child.pid, BACKGROUND);
    const release = options.signal === undefined ? () => {} : endGroupOnExit(child, options.signal);
    const timer = options.timeout_s
      ? setTimeout(() => {
          timedOut = true;
          child.kill('SIGKILL');
        }, options.timeout_s * 1000)
      : null;
    /** @type {string[]} the unfinished line of each stream */
    const rests = [];
    [child.stdout, child.stderr].forEach((stream, index) => {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        output += text;
        const lines = `${rests[index] ?? ''}${text}`.split('\n');
        rests[index] = lines.pop() ?? '';
        for (const line of lines) options.onLine?.(line);
      });
    });
    child.on('error', (error) => {
      if (timer) clearTimeout(timer);
      release();
      resolve({ code: 127, output: `${output}${error.message}\n`, timedOut });
    });
    child.on('close', (code, signal) => {
      if (timer) clearTimeout(timer);
      release();
      for (const rest of rests) if (rest) options.onLine?.(rest);
      resolve({ code: exitCode(code, signal), output, timedOut });
    });
  });
}

/**
 * Lets a child process handle a keyboard interrupt itself, while this process waits for it. SIGTERM is passed on to the
 * child. If this process fails, for example because its output is closed, the child is ended.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void} removes the handlers, once the child has ended
 */
export function endWithParent(child) {
  const wait = () => {};
  const end = () => void child.kill('SIGTERM');
  process.on('SIGINT', wait);
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  process.on('exit', end);
  return () => {
    process.off('SIGINT', wait);
    process.off('SIGTERM', end);
    process.off('SIGHUP', end);
    process.off('exit', end);
  };
}

/**
 * Runs a program on the terminal of this process and returns its exit code.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Pick<Options, 'cwd' | 'env'>} options
 * @returns {Promise<number>}
 */
export function runInTerminal(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? process.cwd(),
      env: options.env ?? process.env,
      stdio: 'inherit',
    });
    const release = endWithParent(child);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      release();
      resolve(exitCode(code, signal));
    });
  });
}

/**
 * Finds a program on PATH and returns its full path, or null.
 * @param {string} name
 */
export function findOnPath(name) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      if (folder && existsSync(file)) return file;
    }
  }
  return null;
}

/**
 * Returns the last lines of a long text.
 * @param {string} text
 * @param {number} lines
 */
export function lastLines(text, lines) {
  return text.trimEnd().split('\n').slice(-lines).join('\n');
}
