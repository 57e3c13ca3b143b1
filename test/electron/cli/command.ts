/** Runs the command line: as a process of its own, as a person or a script would, or within the test. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fromImage } from '../../../electron/build/setup/image.mjs';
import { runProgram } from '../../../electron/cli/program.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';

export const entry = join(import.meta.dirname, '../../../dist/host/cli.js');

/** A small scenario made fine in x: seconds of work, and a step every few milliseconds to stop at. */
export const longWork = [
  ...['geometry.width_mm=40', 'geometry.depth_mm=40', 'beam.energy_MeV=60', 'output.keyframes=0'],
  ...['grid.dx_mm=0.01', 'grid.dtheta_mrad=4', 'grid.dz_mm=0.1'],
  // The first warning is said when the run is about to start.
  'solver.max_steps=300',
].flatMap((change) => ['--set', change]);
export const LONG_WORK_BEGINS = 'the run ends after';

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
  /** False: without its start-up image, which takes three times the processor's time. */
  readonly image?: boolean;
}

/** The program's own data stay out of the user's home. */
export function environmentWith(home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { NO_COLOR: _, FORCE_COLOR: __, ...rest } = process.env;
  return { ...rest, BRAGGBENCH_HOME: home, ...more };
}

export function braggbench(words: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const image = options.image === false ? null : fromImage(words);
  const { node, flags } = image ?? { node: process.execPath, flags: [] };
  const child = spawn(node, [...flags, entry, ...words], {
    cwd: options.cwd,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  let interrupted = false;
  const watch = (name: 'stdout' | 'stderr') => (text: string) => {
    output[name] += text;
    const { interruptAt } = options;
    if (interrupted || interruptAt === undefined || !output[name].includes(interruptAt.text)) return;
    interrupted = true;
    for (let i = 0; i < interruptAt.signals; i += 1) child.kill(interruptAt.signal ?? 'SIGINT');
  };
  // A letter may come in two pieces.
  child.stdout.setEncoding('utf8').on('data', watch('stdout'));
  child.stderr.setEncoding('utf8').on('data', watch('stderr'));
  if (options.closeOutput === true) child.stdout.destroy();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // As a shell counts it: 128 and the number of the signal that ended it.
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], ...output }),
    );
  });
}

function setEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
}

interface HereOptions extends Pick<CommandOptions, 'cwd' | 'environment'> {
  /** Interrupted when this is first said, to a person who watches. */
  readonly interruptAtText?: string;
}

async function perform(words: readonly string[], { cwd, environment, interruptAtText }: HereOptions): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  const interrupt = new AbortController();
  const into = (name: 'stdout' | 'stderr') => ({
    isTTY: name === 'stderr' && interruptAtText !== undefined,
    write: (text: string) => {
      output[name] += text;
      if (interruptAtText !== undefined && text.includes(interruptAtText)) interrupt.abort();
    },
  });
  const before = { cwd: process.cwd(), environment: { ...process.env } };
  if (cwd !== undefined) process.chdir(cwd);
  if (environment !== undefined) setEnvironment(environment);
  try {
    const terminal = new Terminal(into('stdout'), into('stderr'), process.env);
    const code = await runProgram(words, terminal, interrupt.signal);
    return { code, ...output };
  } finally {
    setEnvironment(before.environment);
    process.chdir(before.cwd);
  }
}

/** One after the other: folder and environment are the process's. */
let last: Promise<unknown> = Promise.resolve();

/**
 * The same within this process, where what is said is tested and not how a process ends: starting one takes a
 * quarter of a second of a core.
 */
export function braggbenchHere(words: readonly string[], options: HereOptions = {}): Promise<Ended> {
  const ended = last.then(() => perform(words, options));
  last = ended.catch(() => undefined);
  return ended;
}
