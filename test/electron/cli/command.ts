/** Runs the command line as a person or a script would: as a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const entry = join(import.meta.dirname, '../../../dist/host/cli.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Sent when standard error or output first shows this text. */
  readonly interruptAt?: { readonly text: string; readonly signals: number; readonly signal?: NodeJS.Signals };
  /** Closes standard output at once, as `| head -0` does. */
  readonly closeOutput?: boolean;
}

/** The program's own data stay out of the user's home. */
export function environmentWith(home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { NO_COLOR: _, FORCE_COLOR: __, ...rest } = process.env;
  return { ...rest, BRAGGBENCH_HOME: home, ...more };
}

export function braggbench(words: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [entry, ...words], {
    cwd: options.cwd,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  let interrupted = false;
  const watch = (name: 'stdout' | 'stderr') => (chunk: Buffer) => {
    output[name] += chunk.toString('utf8');
    const { interruptAt } = options;
    if (interrupted || interruptAt === undefined || !output[name].includes(interruptAt.text)) return;
    interrupted = true;
    for (let i = 0; i < interruptAt.signals; i += 1) child.kill(interruptAt.signal ?? 'SIGINT');
  };
  child.stdout.on('data', watch('stdout'));
  child.stderr.on('data', watch('stderr'));
  if (options.closeOutput === true) child.stdout.destroy();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}
