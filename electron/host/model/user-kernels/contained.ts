/**
 * Runs a compiler or another program with limits on time, memory and written bytes. Its processes end when the host
 * ends.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { BraggError } from '../../../contract/errors.ts';
import { listenToOutput } from '../../io/programs.ts';

interface ProcessLimits {
  /** Time limit in ms: of the program, or of each request to a server. */
  readonly time_ms: number;
  /** Maximum memory of each process. */
  readonly memory_bytes: number;
  /** Maximum size of each file that the program writes. */
  readonly file_bytes: number;
  /** Maximum size of the output that the program prints. */
  readonly output_bytes: number;
}

/** Limits for compilers. Our largest file needs seconds and half a gigabyte to compile. */
export const compilerLimits: ProcessLimits = {
  time_ms: 120_000,
  memory_bytes: 4 * 2 ** 30,
  file_bytes: 256 * 2 ** 20,
  output_bytes: 2 ** 20,
};

/**
 * Shell script that sets the limits that the system supports, and then executes the program. It also starts a watcher,
 * which reads from a pipe that the host holds open. When the host ends, the pipe is closed, and the watcher kills the
 * process group.
 */
const SCRIPT =
  'ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; shift 3; ' +
  '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-';

interface ContainedCommand {
  /** Subject of error messages; `The compiler` by default. */
  readonly title?: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly limits?: ProcessLimits;
  /** Environment variables to add to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts a program with limits. `input` is `pipe` for a server, which reads requests from its standard input. A
 * server's processor time is not limited, because it grows with the number of requests.
 */
function startContained(
  { program, args, folder, environment }: ContainedCommand,
  limits: ProcessLimits,
  input: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const env = { ...process.env, LC_ALL: 'C', ...environment };
  if (process.platform === 'win32')
    return spawn(program, [...args], { cwd: folder, env, stdio: [input, 'pipe', 'pipe'] });
  const cpu_s = input === 'pipe' ? 'unlimited' : Math.ceil(limits.time_ms / 1000);
  const ceilings = [limits.memory_bytes / 1024, limits.file_bytes / 512, cpu_s].map(String);
  return spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...ceilings, program, ...args], {
    cwd: folder,
    env,
    stdio: [input, 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
}

/**
 * Kills a process and all processes that it started. Killing only a compiler driver would leave the compiler itself
 * running.
 */
function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => undefined);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The processes have already ended.
  }
}

interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

/**
 * Runs a program to its end. Throws BraggError `disconnected` if `signal` is aborted, and `invalid` if it exceeds the
 * time limit.
 */
export function runContained(work: ContainedCommand): Promise<Outcome> {
  const { program, title = 'The compiler', signal, limits = compilerLimits } = work;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true)
      return reject(new BraggError('disconnected', `${title} was not started: it was cancelled.`));
    const child = startContained(work, limits);
    let output = '';
    let late: NodeJS.Timeout | undefined;
    const stop = (error: BraggError): void => {
      killTree(child);
      reject(error);
    };
    const cancel = (): void => stop(new BraggError('disconnected', `${title} was stopped: it was cancelled.`));
    const leave = (): void => killTree(child);
    const release = (): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', cancel);
      process.off('exit', leave);
    };
    late = setTimeout(
      () =>
        stop(new BraggError('invalid', `${title} did not finish within ${limits.time_ms / 1000} s and was stopped.`)),
      limits.time_ms,
    );
    signal?.addEventListener('abort', cancel, { once: true });
    process.once('exit', leave);
    listenToOutput(child, (text) => {
      output = (output + text).slice(0, limits.output_bytes);
    });
    // Kills processes that the program left running, and the watcher.
    child.on('exit', () => killTree(child));
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

/** Idle time in ms after which a server is ended. The requests of a session follow each other faster. */
const IDLE_MS = 5_000;

/**
 * A running program that serves requests one after another. A request is a line on its standard input. After each
 * answer the program prints a line with its last argument, a random word, followed by `ok` or `failed`.
 */
export class ContainedServer {
  readonly #title: string;
  readonly #limits: ProcessLimits;
  readonly #word = randomUUID();
  readonly #child: ChildProcess;
  #output = '';
  #served = 0;
  #idle: NodeJS.Timeout | undefined;
  #answer: ((outcome: Outcome) => void) | null = null;
  #fail: ((error: BraggError) => void) | null = null;
  #over: BraggError | Outcome | null = null;

  constructor({ title = 'The program', limits = compilerLimits, signal, ...work }: ContainedCommand) {
    this.#title = title;
    this.#limits = limits;
    this.#child = startContained({ ...work, args: [...work.args, this.#word] }, limits, 'pipe');
    const leave = (): void => this.close();
    process.once('exit', leave);
    signal?.addEventListener('abort', leave, { once: true });
    listenToOutput(this.#child, (text) => this.#read(text));
    // Ignore errors when writing to a program that has ended, because its exit is reported separately.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.on('exit', () => killTree(this.#child));
    this.#child.on('error', (error) =>
      this.#end(new BraggError('unsupported', `${work.program} cannot be started: ${error.message}`)),
    );
    this.#child.on('close', () => {
      process.off('exit', leave);
      signal?.removeEventListener('abort', leave);
      this.#end({ failed: true, output: this.#output });
    });
    this.#keepHostAlive(false);
  }

  /** Whether the program can serve requests; false once it has ended. */
  get isUsable(): boolean {
    return this.#over === null;
  }

  /** Number of requests that have been answered. */
  get answeredCount(): number {
    return this.#served;
  }

  /**
   * Sends a request and waits for the answer; only one at a time is allowed. Throws BraggError `disconnected` if the
   * server is closed, and `invalid` if it exceeds the time limit.
   */
  async request(request: string): Promise<Outcome> {
    clearTimeout(this.#idle);
    this.#keepHostAlive(true);
    const { time_ms } = this.#limits;
    const late = setTimeout(() => {
      this.#end(new BraggError('invalid', `${this.#title} did not finish within ${time_ms / 1000} s and was stopped.`));
    }, time_ms);
    try {
      return await new Promise<Outcome>((resolve, reject) => {
        if (this.#over instanceof BraggError) return reject(this.#over);
        if (this.#over !== null) return resolve(this.#over);
        this.#output = '';
        [this.#answer, this.#fail] = [resolve, reject];
        this.#child.stdin?.write(`${request}\n`);
      });
    } finally {
      clearTimeout(late);
      this.#keepHostAlive(false);
      this.#idle = setTimeout(() => this.close(), IDLE_MS);
      this.#idle.unref();
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#end(new BraggError('disconnected', `${this.#title} was stopped: it was cancelled.`));
  }

  /** Keeps the host alive while a request is active. An idle server does not prevent the host from exiting. */
  #keepHostAlive(isBusy: boolean): void {
    const all = [this.#child, ...this.#child.stdio] as unknown as ({ ref?(): void; unref?(): void } | null)[];
    for (const one of all) one?.[isBusy ? 'ref' : 'unref']?.();
  }

  #read(text: string): void {
    this.#output += text;
    const [before, after] = this.#output.split(`\n${this.#word} `);
    const [, word] = /^(ok|failed)\n/.exec(after ?? '') ?? [];
    if (word === undefined) {
      this.#output = this.#output.slice(-this.#limits.output_bytes);
      return;
    }
    this.#served += 1;
    this.#answer?.({ failed: word === 'failed', output: before ?? '' });
    [this.#answer, this.#fail, this.#output] = [null, null, ''];
  }

  #end(how: BraggError | Outcome): void {
    if (this.#over !== null) return;
    this.#over = how;
    killTree(this.#child);
    if (how instanceof BraggError) this.#fail?.(how);
    else this.#answer?.(how);
    [this.#answer, this.#fail] = [null, null];
  }
}
