/** Runs the command line under compute-sanitizer: every process of it is watched, those of user kernels too. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import type { Finding, Sanitized, SanitizerTool } from '../../../contract/user-kernels/sanitizer.ts';
import { nodeProgram } from '../../io/node-program.ts';
import { runContained } from '../user-kernels/contained.ts';

/** Reads what compute-sanitizer prints: its own lines begin with `=========`, the program's do not. */
const OWN = /^========= ?(.*)$/;
const SUMMARY = /^(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards?)/;
/** `at my_kernel(float *)+0x90 in /place/my.cu:18`, and of older ones `at 0x90 in /place/my.cu:18:my_kernel(float*)`. */
const PLACE = /\bat (.+?)(?:\+0x[0-9a-f]+)? in ([^\s:][^:]*?):(\d+)(?::(.+))?$/;
/** Without places of the source: `at my_kernel+0x90`. */
const KERNEL = /\bat (.+?)\+0x[0-9a-f]+(?: in (?!.*:\d+).*)?$/;
/** First words of a finding. Hints and backtraces follow, indented further. */
const HEAD =
  /^(?:Invalid |Uninitialized |Error: |Warning: |Barrier error|Misaligned |Race |Leaked |Program hit |Potential |Unused )/;

/** Backtraces are of the program's host code, and long. */
const SKIPPED = /^\s*(?:Saved host backtrace|Host Frame|\[0x|$)/;

interface Parsed {
  readonly findings: readonly Finding[];
  readonly errors: number | null;
}

const sameFinding = (a: Finding, b: Finding): boolean =>
  a.what === b.what && a.kernel === b.kernel && a.file === b.file && a.line === b.line;

/** A kernel's name without its parameters. */
const nameOf = (text: string): string | null => {
  const name = text.replace(/\(.*$/, '').trim();
  return name === '' || /^0x[0-9a-f]+$/.test(name) ? null : name;
};

function findingOf(lines: readonly string[]): Finding {
  const [what = '', ...rest] = lines;
  // The head of a race itself says where.
  const told = lines.map((line) => PLACE.exec(line.trim())).find((match) => match !== null);
  const [, before = '', file = null, line = null, after] = told ?? [];
  const plain = lines.map((one) => KERNEL.exec(one.trim())?.[1]).find((one) => one !== undefined);
  const more = rest.filter((one) => !PLACE.test(one.trim()) && !KERNEL.test(one.trim())).map((one) => one.trim());
  return {
    what: what.trim(),
    kernel: nameOf(after ?? before) ?? nameOf(plain ?? ''),
    file,
    line: line === null ? null : Number(line),
    more: more.join('; '),
    times: 1,
  };
}

export function parseSanitizer(output: string): Parsed {
  const blocks: string[][] = [];
  let errors: number | null = null;
  let open: string[] | null = null;
  for (const text of output.split(/\r?\n/)) {
    const own = OWN.exec(text)?.[1];
    if (own === undefined) continue;
    const summary = SUMMARY.exec(own);
    if (summary !== null) {
      errors = (errors ?? 0) + Number(summary[1]);
      open = null;
    } else if (HEAD.test(own)) {
      open = [own];
      blocks.push(open);
    } else if (open !== null && /^\s+\S/.test(own) && !SKIPPED.test(own)) open.push(own);
    else if (/^\s*(?:Saved host backtrace|$)/.test(own)) open = null;
  }
  const findings: Finding[] = [];
  for (const finding of blocks.map(findingOf)) {
    const at = findings.findIndex((one) => sameFinding(one, finding));
    const known = findings[at];
    if (known === undefined) findings.push(finding);
    else findings[at] = { ...known, times: known.times + 1 };
  }
  return { findings, errors };
}

const PROGRAM = process.platform === 'win32' ? 'compute-sanitizer.exe' : 'compute-sanitizer';
/** Further errors are counted but not reported. */
const MOST_TOLD = 200;
/** A watched kernel takes ten to a hundred times as long. */
const LIMITS = {
  time_ms: 1_800_000,
  memory_bytes: 2 ** 50,
  file_bytes: 2 ** 40,
  output_bytes: 8 * 2 ** 20,
} as const;

/** Usual locations in a CUDA installation, searched after PATH. */
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

/** Program of the command line: next to the shell's own bundle, or its source. */
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
  // Separate home folder for the run's trust decisions and saved data.
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
