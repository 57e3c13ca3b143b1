/**
 * Runs the command line, either as a child process, as a person or a script would, or within the test. Also the set-up
 * that tests of `braggbench study` share: small studies, each in a separate folder.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { snapshotCommand } from '../../../electron/build/setup/pinned-node.mjs';
import { runProgram } from '../../../electron/cli/program.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';

export const entry = join(import.meta.dirname, '../../../dist/host/cli.js');

/**
 * A small scenario with a fine grid in x: seconds of work, with a step every few milliseconds at which a run can be
 * stopped.
 */
export const longWork = [
  ...['geometry.width_mm=40', 'geometry.depth_mm=40', 'beam.energy_MeV=60', 'output.keyframes=0'],
  ...['grid.dx_mm=0.01', 'grid.dtheta_mrad=4', 'grid.dz_mm=0.1'],
  // This limit causes a warning before the run starts.
  'solver.max_steps=300',
].flatMap((change) => ['--set', change]);
export const LONG_WORK_BEGINS = 'the run ends after';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Signals to send when standard error or output first contains `text`. */
  readonly interruptAt?: { readonly text: string; readonly signals: number; readonly signal?: NodeJS.Signals };
  /** Closes standard output at once, as `| head -0` does. */
  readonly closeOutput?: boolean;
  /** False starts the program without its start-up image, which needs three times the processor time. */
  readonly image?: boolean;
}

/** Keeps the program's data out of the user's home folder. */
export function environmentWith(home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { NO_COLOR: _, FORCE_COLOR: __, ...rest } = process.env;
  return { ...rest, BRAGGBENCH_HOME: home, ...more };
}

export function braggbench(words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const image = options.image === false ? null : snapshotCommand(words);
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
  // Decode the output as a stream, because a multi-byte character may arrive in two pieces.
  child.stdout.setEncoding('utf8').on('data', watch('stdout'));
  child.stderr.setEncoding('utf8').on('data', watch('stderr'));
  if (options.closeOutput === true) child.stdout.destroy();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // Exit code as a shell computes it: 128 plus the number of the signal that ended the process.
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], ...output }),
    );
  });
}

function setEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
}

interface InProcessOptions extends Pick<CommandOptions, 'cwd' | 'environment'> {
  /** Interrupts the command when this text is first printed to a terminal. */
  readonly interruptAtText?: string;
}

async function runCommand(
  words: readonly string[],
  { cwd, environment, interruptAtText }: InProcessOptions,
): Promise<CommandResult> {
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

/** Calls must run one after the other, because they change the folder and environment of this process. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line within this process, for tests of its output rather than its exit. Starting a process needs a
 * quarter of a second of a core.
 */
export function braggbenchInProcess(words: readonly string[], options: InProcessOptions = {}): Promise<CommandResult> {
  const ended = last.then(() => runCommand(words, options));
  last = ended.catch(() => undefined);
  return ended;
}

/** Rows of the first table that `bench` prints. */
export function comparedRows(stdout: string): readonly { readonly variant: string; readonly verdict: string }[] {
  const lines = stdout.split('\n');
  const head = lines.findIndex((line) => /^Variant +Verdict /.test(line));
  const end = lines.findIndex((line, i) => i > head && /^(?:More columns|$)/.test(line));
  return lines.slice(head + 1, end).map((line) => {
    const [variant = '', verdict = ''] = line.split(/ {2,}/);
    return { variant, verdict };
  });
}

let folder: string;
export const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
export const options = () => ({ cwd: folder, environment: environmentWith(inFolder('home')) });
export const call = (...words: readonly string[]): Promise<CommandResult> =>
  braggbenchInProcess(['study', ...words], options());

export const smallScenario = {
  kind: 'transport',
  version: 1,
  beam: {},
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 320 },
  solver: { stepping: 'depth', variant: 'depth', threads: 1 },
};

/** Writes a study file of the small beam over these values. */
export async function writeStudy(
  name: string,
  values: readonly unknown[],
  more: Readonly<Record<string, unknown>> = {},
) {
  const document = {
    ...{ kind: 'study', version: 1, base: [{ file: 'small.json' }] },
    axes: [{ kind: 'list', path: 'beam.energy_MeV', values }],
    ...more,
  };
  await writeFile(inFolder(name), JSON.stringify(document));
  return name;
}
export const energies = (count: number, from = 20): readonly number[] =>
  Array.from({ length: count }, (_, i) => from + i / 8);

export async function resultFiles(name: string): Promise<readonly string[]> {
  const all = await readdir(inFolder(name, 'results'), { recursive: true }).catch(() => []);
  return all.filter((file) => /[0-9a-f]{16}(\.failed)?\.json$/.test(file)).toSorted();
}

const outcomeSchema = z.looseObject({
  ...{ before: z.number(), done: z.number(), failed: z.number(), left: z.number() },
  end: z.string(),
});
export async function runStudyCommand(...words: readonly string[]) {
  const { code, stdout, stderr } = await call(...words, '--json');
  return { code, stderr, ...outcomeSchema.parse(JSON.parse(stdout)) };
}

const tableSchema = z.looseObject({
  columns: z.array(z.looseObject({ name: z.string(), unit: z.string() })),
  rows: z.array(z.array(z.union([z.number(), z.string(), z.null()]))),
  missing: z.number(),
  damaged: z.array(z.string()),
  notes: z.array(z.string()),
});
export async function studyTable(name: string) {
  const found = tableSchema.parse(JSON.parse((await call('collect', name, '--json')).stdout));
  const column = (title: string) => {
    const at = found.columns.findIndex((one) => one.name === title);
    expect(at, title).toBeGreaterThanOrEqual(0);
    return found.rows.map((row) => row[at] ?? null);
  };
  return { ...found, column };
}

/** Creates the folders of studies. Call this at the top of a test file. */
export function useStudies(): void {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-study-'));
    await writeFile(inFolder('small.json'), JSON.stringify(smallScenario));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
}
