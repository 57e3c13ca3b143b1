/** Starts the server of the built program, as `npm start` does. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 110_000;

export type RunningServer = Readonly<{
  /** The address with its token, as the server prints it. */
  url: string;
  port: number;
  /** Id of the server's process. */
  pid: number;
  /** Everything printed so far. */
  output: () => string;
  /** Ends the server with an interrupt; resolves with the exit code. */
  stop: () => Promise<number | null>;
  /** Kills it without warning, for recovery tests. */
  kill: () => Promise<void>;
}>;

/** Servers that run. They are killed when the test process ends, also if a signal interrupts it. */
const servers = new Set<ChildProcess>();
const killServers = () => {
  for (const server of servers) server.kill('SIGKILL');
};
process.once('exit', killServers);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killServers();
    process.kill(process.pid, signal);
  });
}

const processEnd = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', (code) => resolve(code));
  });

/**
 * Starts `braggbench serve` and waits for its address. `args` are flags such as `['--scenario', file, '--run']`; the
 * port is chosen automatically. `env` is added to the environment, for example a library folder for the test.
 */
export function serve(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const child = spawn(process.execPath, [path.join(root, 'dist/host/cli.js'), 'serve', '--port', '0', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  servers.add(child);
  let output = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no address within ${START_TIMEOUT_MS / 1000} s:\n${output}`));
    }, START_TIMEOUT_MS);
    child.on('exit', (code) => {
      clearTimeout(timer);
      servers.delete(child);
      reject(new Error(`the server exited with code ${code}:\n${output}`));
    });
    const take = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const found = /(http:\/\/127\.0\.0\.1:(\d+)\/\S*)\s/.exec(output);
      if (!found?.[1]) return;
      clearTimeout(timer);
      resolve({
        url: found[1],
        port: Number(found[2]),
        pid: child.pid ?? 0,
        output: () => output,
        stop: () => {
          child.kill('SIGINT');
          return processEnd(child);
        },
        kill: async () => {
          child.kill('SIGKILL');
          await processEnd(child);
        },
      });
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
  });
}
