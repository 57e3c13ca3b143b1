/**
 * Runs a scenario by the command line under compute-sanitizer, which watches all processes, including those of user
 * kernels.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import type { Finding, SanitizerReport, SanitizerTool } from '../../../contract/user-kernels/checks.ts';
import { findNode } from '../../io/programs.ts';
import { findCudaTool } from '../machine-code/tools.ts';
import { runContained } from '../user-kernels/contained.ts';

/** Prefix of the lines that compute-sanitizer prints; the program's own lines lack it. */
const SANITIZER_LINE = /^========= ?(.*)$/;
const SUMMARY = /^(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards?)/;
/**
 * Location of a finding: `at my_kernel(float *)+0x90 in /place/my.cu:18`; in older versions `at 0x90 in
 * /place/my.cu:18:my_kernel(float*)`.
 */
const LOCATION = /\bat (.+?)(?:\+0x[0-9a-f]+)? in ([^\s:][^:]*?):(\d+)(?::(.+))?$/;
/** Location of a finding without source information: `at my_kernel+0x90`. */
const KERNEL = /\bat (.+?)\+0x[0-9a-f]+(?: in (?!.*:\d+).*)?$/;
/** First line of a finding. Hints and backtraces follow with deeper indentation. */
const HEAD =
  /^(?:Invalid |Uninitialized |Error: |Warning: |Barrier error|Misaligned |Race |Leaked |Program hit |Potential |Unused )/;

/** Lines to skip: backtraces of host code, which are long. */
const SKIPPED_LINE = /^\s*(?:Saved host backtrace|Host Frame|\[0x|$)/;

interface SanitizerOutput {
  readonly findings: readonly Finding[];
  readonly errors: number | null;
}

const isSameFinding = (a: Finding, b: Finding): boolean =>
  a.what === b.what && a.kernel === b.kernel && a.file === b.file && a.line === b.line;

/** Name of a kernel without parameters. */
const kernelNameOf = (text: string): string | null => {
  const name = text.replace(/\(.*$/, '').trim();
  return name === '' || /^0x[0-9a-f]+$/.test(name) ? null : name;
};

function parseFinding(lines: readonly string[]): Finding {
  const [what = '', ...rest] = lines;
  // If several lines have a location, as for a race, the first one is used.
  const locationMatch = lines.map((line) => LOCATION.exec(line.trim())).find((match) => match !== null);
  const [, before = '', file = null, line = null, after] = locationMatch ?? [];
  const plain = lines.map((one) => KERNEL.exec(one.trim())?.[1]).find((one) => one !== undefined);
  const more = rest.filter((one) => !LOCATION.test(one.trim()) && !KERNEL.test(one.trim())).map((one) => one.trim());
  return {
    what: what.trim(),
    kernel: kernelNameOf(after ?? before) ?? kernelNameOf(plain ?? ''),
    file,
    line: line === null ? null : Number(line),
    more: more.join('; '),
    times: 1,
  };
}

export function parseSanitizerOutput(output: string): SanitizerOutput {
  const blocks: string[][] = [];
  let errors: number | null = null;
  let open: string[] | null = null;
  for (const text of output.split(/\r?\n/)) {
    const own = SANITIZER_LINE.exec(text)?.[1];
    if (own === undefined) continue;
    const summary = SUMMARY.exec(own);
    if (summary !== null) {
      errors = (errors ?? 0) + Number(summary[1]);
      open = null;
    } else if (HEAD.test(own)) {
      open = [own];
      blocks.push(open);
    } else if (open !== null && /^\s+\S/.test(own) && !SKIPPED_LINE.test(own)) open.push(own);
    else if (/^\s*(?:Saved host backtrace|$)/.test(own)) open = null;
  }
  const findings: Finding[] = [];
  for (const finding of blocks.map(parseFinding)) {
    const at = findings.findIndex((one) => isSameFinding(one, finding));
    const known = findings[at];
    if (known === undefined) findings.push(finding);
    else findings[at] = { ...known, times: known.times + 1 };
  }
  return { findings, errors };
}

const PROGRAM = process.platform === 'win32' ? 'compute-sanitizer.exe' : 'compute-sanitizer';
/** Maximum number of findings to report; further ones are only counted. */
const MAX_FINDINGS = 200;
/** Limits of a run. A kernel under compute-sanitizer runs ten to a hundred times slower. */
const LIMITS = {
  time_ms: 1_800_000,
  memory_bytes: 2 ** 50,
  file_bytes: 2 ** 40,
  output_bytes: 8 * 2 ** 20,
} as const;

/** Path of compute-sanitizer. Throws a BraggError `unsupported` if it is not installed. */
export async function findSanitizer(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const found = findCudaTool(PROGRAM, environment);
  if (found !== null) return found;
  throw new BraggError(
    'unsupported',
    "compute-sanitizer was not found on $PATH or in CUDA's folder: it is part of the CUDA toolkit.",
  );
}

/** File that starts the command line: next to the shell's bundle, or its source in development. */
function commandLineFile(): string {
  const here = import.meta.dirname;
  const places = [path.join(here, '../host/cli.js'), path.join(here, '../../../cli/main.ts')];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new BraggError('unsupported', 'This program does not include the command line.');
  return found;
}

const quoteWord = (word: string): string => (/^[\w./=:@,+-]+$/.test(word) ? word : JSON.stringify(word));

function issuesIn(file: string, { findings }: ReturnType<typeof parseSanitizerOutput>): Issue[] {
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
  /** Arguments for the command line, as for `braggbench run`. */
  readonly args: readonly string[];
  /** Name of the user kernel's file; findings in it become issues. Null for a shipped variant. */
  readonly kernel: string | null;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the command line under compute-sanitizer. Throws a BraggError if that is impossible, or if the run fails before
 * it begins.
 */
export async function runSanitizer({ tool, args: words, kernel, signal }: SanitizeOptions): Promise<SanitizerReport> {
  const program = await findSanitizer();
  const node = await findNode('compute-sanitizer runs the command line, which');
  const ours = ['--tool', tool, '--target-processes', 'all', '--print-limit', String(MAX_FINDINGS)];
  const args = [...ours, node, commandLineFile(), ...words];
  // The run gets its own home folder, for its trust decisions and saved data.
  const home = await mkdtemp(path.join(tmpdir(), 'braggbench-sanitized-'));
  const start = performance.now();
  try {
    const environment = { BRAGGBENCH_HOME: home, BRAGGBENCH_SANITIZED: '1' };
    const { failed, output } = await runContained({
      ...{ title: 'The run under compute-sanitizer', program, args, folder: home, limits: LIMITS },
      ...{ signal, environment },
    });
    const parsed = parseSanitizerOutput(output);
    if (parsed.errors === null && failed) {
      throw new BraggError('device', `The run under compute-sanitizer did not start: ${output.trim().slice(-1000)}`);
    }
    return {
      tool,
      ...{ findings: [...parsed.findings], errors: parsed.errors },
      issues: kernel === null ? [] : issuesIn(kernel, parsed),
      seconds: (performance.now() - start) / 1000,
      command: ['compute-sanitizer', ...ours, 'braggbench', ...words].map(quoteWord).join(' '),
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
