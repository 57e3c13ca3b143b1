/** Starts hosts in separate processes and sends them calls. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { testProgram } from '../../../../test-programs.ts';

export interface Answer {
  readonly ok?: unknown;
  readonly code?: string | null;
  readonly message?: string;
}

export interface Server {
  readonly child: ChildProcess;
  /** Calls sent at the same time are executed in order. */
  call(method: string, params: unknown): Promise<Answer>;
  /** Kills the process, like a crash. */
  kill(): Promise<void>;
  /** Shuts the server down regularly. */
  end(): Promise<void>;
}

interface ServerOptions {
  readonly dataFolder: string;
  readonly uid?: number;
  readonly environment?: NodeJS.ProcessEnv;
  /** Command that precedes the program's name, such as `unshare --pid --fork`. */
  readonly under?: readonly string[];
}

export async function startServer({ dataFolder, uid, environment, under = [] }: ServerOptions): Promise<Server> {
  const words = [...under, process.execPath, testProgram('second-server'), dataFolder];
  const child = spawn(words[0] ?? '', words.slice(1), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const waiting: ((answer: Answer) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(JSON.parse(line)));
  const gone = { code: 'ended', message: 'the server ended' };
  let isGone = false;
  void ended.then(() => {
    isGone = true;
    for (const each of waiting.splice(0)) each(gone);
  });
  child.stdin.on('error', () => undefined);
  const ready = await new Promise<Answer>((resolve) => waiting.push(resolve));
  if (ready.ok !== 'ready') throw new Error(ready.message);
  return {
    child,
    call: (method, params) =>
      new Promise((resolve) => {
        if (isGone) return resolve(gone);
        waiting.push(resolve);
        child.stdin.write(`${JSON.stringify([method, params])}\n`);
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
