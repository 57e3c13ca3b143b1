/** Runs the command line under compute-sanitizer: every process of it is watched, those of user kernels too. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import type { Sanitized, SanitizerTool } from '../../../contract/user-kernels/sanitizer.ts';
import { nodeProgram } from '../../io/node-program.ts';
import { runContained } from '../user-kernels/contained.ts';
import { parseSanitizer } from './parse.ts';

const PROGRAM = process.platform === 'win32' ? 'compute-sanitizer.exe' : 'compute-sanitizer';
/** Further errors are counted, and not told. */
const MOST_TOLD = 200;
/** A watched kernel takes ten to a hundred times as long. */
const LIMITS = {
  time_ms: 1_800_000,
  memory_bytes: 2 ** 50,
  file_bytes: 2 ** 40,
  output_bytes: 8 * 2 ** 20,
} as const;

/** Where CUDA puts it, after what the path says. */
function usualPlaces(environment: NodeJS.ProcessEnv): readonly string[] {
  const homes = [environment['CUDA_PATH'], environment['CUDA_HOME'], '/usr/local/cuda'];
  return homes.flatMap((home) =>
    home === undefined || home === ''
      ? []
      : [path.join(home, 'bin', PROGRAM), path.join(home, 'compute-sanitizer', PROGRAM)],
  );
}

/** Throws a BraggError `unsupported` where it is not installed. */
export async function findSanitizer(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((one) => one !== '');
  const places = [...folders.map((folder) => path.join(folder, PROGRAM)), ...usualPlaces(environment)];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new BraggError(
    'unsupported',
    "compute-sanitizer was not found, in $PATH and in CUDA's folder: it comes with the CUDA toolkit.",
  );
}

/** The command line's program: beside the shell's own bundle, or its source. */
function commandLine(): string {
  const here = import.meta.dirname;
  const places = [path.join(here, '../host/cli.js'), path.join(here, '../../../cli/main.ts')];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new BraggError('unsupported', 'The command line is not part of this program.');
  return found;
}

const quoted = (word: string): string => (/^[\w./=:@,+-]+$/.test(word) ? word : JSON.stringify(word));

function issuesIn(file: string, { findings }: ReturnType<typeof parseSanitizer>): Issue[] {
  return findings.flatMap(({ what, file: place, line, more, times }) =>
    place === null || path.basename(place) !== file
      ? []
      : {
          ...({ severity: 'error', file, path: '', line, column: null, value: null, allowed: null } as const),
          message: `${what}${times === 1 ? '' : `, ${times} times`}${more === '' ? '' : `: ${more}`}`,
        },
  );
}

interface SanitizeOptions {
  readonly tool: SanitizerTool;
  /** Words of the command line, as of `braggbench run`. */
  readonly words: readonly string[];
  /** Name of the kernel's file, whose findings become issues; null of a shipped variant. */
  readonly kernel: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** Throws a BraggError where it cannot run, or the run is refused before it begins. */
export async function sanitize({ tool, words, kernel, signal }: SanitizeOptions): Promise<Sanitized> {
  const program = await findSanitizer();
  const node = await nodeProgram('compute-sanitizer watches the command line, which');
  const ours = ['--tool', tool, '--target-processes', 'all', '--print-limit', String(MOST_TOLD)];
  const args = [...ours, node, commandLine(), ...words];
  // What it trusts and keeps is its own.
  const home = await mkdtemp(path.join(tmpdir(), 'braggbench-sanitized-'));
  const start = performance.now();
  try {
    const environment = { BRAGGBENCH_HOME: home, BRAGGBENCH_SANITIZED: '1' };
    const { failed, output } = await runContained({
      ...{ title: 'The run under compute-sanitizer', program, args, folder: home, limits: LIMITS },
      ...{ signal, environment },
    });
    const parsed = parseSanitizer(output);
    if (parsed.errors === null && failed) {
      throw new BraggError('device', `The run under compute-sanitizer did not begin: ${output.trim().slice(-1000)}`);
    }
    return {
      tool,
      ...{ findings: [...parsed.findings], errors: parsed.errors },
      issues: kernel === null ? [] : issuesIn(kernel, parsed),
      seconds: (performance.now() - start) / 1000,
      command: ['compute-sanitizer', ...ours, 'braggbench', ...words].map(quoted).join(' '),
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
