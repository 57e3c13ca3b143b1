/** Runs a compiler with limits on time, memory and bytes. None of its processes outlives the host. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { BraggError } from '../../../contract/errors.ts';
import { onPrinted } from '../../io/printed-text.ts';

interface Limits {
  readonly time_ms: number;
  /** Limit for each of its processes. */
  readonly memory_bytes: number;
  /** Limit for each file that it writes. */
  readonly file_bytes: number;
  /** Limit for what it prints. */
  readonly output_bytes: number;
}

/** A copy of the largest of our files takes seconds and half a gigabyte. */
export const compilerLimits: Limits = {
  time_ms: 120_000,
  memory_bytes: 4 * 2 ** 30,
  file_bytes: 256 * 2 ** 20,
  output_bytes: 2 ** 20,
};

/**
 * The shell sets the limits, if the system has them, and execs the compiler. A watcher process reads a pipe whose other
 * end the host holds. When the host ends for any reason, the pipe closes and the watcher kills the whole group.
 */
const SCRIPT =
  'ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; shift 3; ' +
  '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-';

interface Work {
  /** In its messages: `The compiler` unless it is said otherwise. */
  readonly title?: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly limits?: Limits;
  /** In addition to this process's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

function start({ program, args, folder, environment }: Work, limits: Limits): ChildProcess {
  const env = { ...process.env, LC_ALL: 'C', ...environment };
  if (process.platform === 'win32')
    return spawn(program, [...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ceilings = [limits.memory_bytes / 1024, limits.file_bytes / 512, Math.ceil(limits.time_ms / 1000)].map(String);
  return spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...ceilings, program, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
}

/** The driver and all that it started: killing the driver alone leaves the compiler proper at work. */
function killAll({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => undefined);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}

/** Throws BraggError `disconnected` where `signal` is aborted, `invalid` where it takes too long. */
export function runContained(work: Work): Promise<{ readonly failed: boolean; readonly output: string }> {
  const { program, title = 'The compiler', signal, limits = compilerLimits } = work;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true)
      return reject(new BraggError('disconnected', `${title} was not started: it was cancelled.`));
    const child = start(work, limits);
    let output = '';
    let late: NodeJS.Timeout | undefined;
    const stop = (error: BraggError): void => {
      killAll(child);
      reject(error);
    };
    const cancel = (): void => stop(new BraggError('disconnected', `${title} was ended: it was cancelled.`));
    const leave = (): void => killAll(child);
    const release = (): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', cancel);
      process.off('exit', leave);
    };
    late = setTimeout(
      () => stop(new BraggError('invalid', `${title} did not end within ${limits.time_ms / 1000} s; it was ended.`)),
      limits.time_ms,
    );
    signal?.addEventListener('abort', cancel, { once: true });
    process.once('exit', leave);
    onPrinted(child, (text) => {
      output = (output + text).slice(0, limits.output_bytes);
    });
    // Its watcher goes with it.
    child.on('exit', () => killAll(child));
    child.on('error', (error) => {
      release();
      reject(new BraggError('unsupported', `${program} cannot be started: ${error.message}`));
    });
    child.on('close', (code) => {
      release();
      resolve({ failed: code !== 0, output });
    });
  });
}
