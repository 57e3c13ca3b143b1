/** Finds the verb of a command line, runs it, and converts errors to a message and an exit code. */
import { BraggError } from '../contract/errors.ts';
import { suggestSimilarWord } from '../contract/scenario/index.ts';
import { toFileError } from '../host/index.ts';
import { hasFlag, listFlagBefore, parseArguments, UsageError, withHelp } from './arguments.ts';
import { programVersion } from './assets-folder.ts';
import { errorDocument, isBadInput, printIssues } from './read-scenario.ts';
import { formatPairs, wrap } from './table.ts';
import type { Terminal } from './terminal.ts';
import { type ExitCode, exitCodes, type Verb } from './verb.ts';
import { batch } from './verbs/batch.ts';
import { bench } from './verbs/bench.ts';
import { claims } from './verbs/claims.ts';
import { commissionVerb } from './verbs/commission.ts';
import { compare } from './verbs/compare.ts';
import { connectVerb } from './verbs/connect.ts';
import { decide } from './verbs/decide.ts';
import { devices } from './verbs/devices.ts';
import { examplesVerb } from './verbs/examples.ts';
import { explainLaunchVerb } from './verbs/explain-launch.ts';
import { exportVerb } from './verbs/export.ts';
import { exportProblemVerb } from './verbs/export-problem.ts';
import { gammaVerb } from './verbs/gamma.ts';
import { gateVerb } from './verbs/gate.ts';
import { history } from './verbs/history.ts';
import { mcpVerb } from './verbs/mcp.ts';
import { newKernelVerb } from './verbs/new-kernel.ts';
import { newProblemVerb } from './verbs/new-problem.ts';
import { projectVerb } from './verbs/project.ts';
import { replay } from './verbs/replay.ts';
import { report } from './verbs/report.ts';
import { reproduceVerb } from './verbs/reproduce.ts';
import { run } from './verbs/run.ts';
import { sanitizeVerb } from './verbs/sanitize.ts';
import { serveVerb } from './verbs/serve.ts';
import { sobpVerb } from './verbs/sobp.ts';
import { studyVerb } from './verbs/study.ts';
import { traceVerb } from './verbs/trace.ts';
import { validate } from './verbs/validate.ts';
import { variants } from './verbs/variants.ts';
import { pencilsVerb, refineVerb, volumeVerb } from './workloads/index.ts';

/** Width of help texts, columns. */
const width = 88;

/** Wraps a usage line between its parts; a part in brackets is not split. */
function usageLines(usage: string): readonly string[] {
  const parts = usage.replace(/\[[^[\]]*\]/g, (part) => part.replaceAll(' ', '\u00a0'));
  return wrap(`Usage: braggbench ${parts}`, width).map((line, i) =>
    `${i === 0 ? '' : '    '}${line}`.replaceAll('\u00a0', ' '),
  );
}

/** Group of verbs that help shows under one heading. */
interface VerbGroup {
  readonly title: string;
  readonly verbs: readonly Verb[];
}

function programHelp(groups: readonly VerbGroup[], version: string): readonly string[] {
  const widest = Math.max(...groups.flatMap(({ verbs }) => verbs.map(({ name }) => name.length)));
  const list = groups.flatMap(({ title, verbs }) => [
    `${title}:`,
    ...formatPairs(
      verbs.map(({ name, summary }) => [name.padEnd(widest), summary] as const),
      width,
    ),
    '',
  ]);
  return [
    `braggbench ${version}: deterministic proton transport, and a comparison of its kernels.`,
    '',
    'Usage: braggbench VERB [arguments]',
    '',
    ...list,
    'braggbench VERB --help shows its flags. SCENARIO is a JSON or YAML file, or the name of an',
    'example, such as water-70MeV; braggbench examples lists them.',
    'Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted.',
  ];
}

function verbHelp(verb: Verb): readonly string[] {
  const flags = withHelp(verb.flags).map(({ name, short, value, help }) => {
    const words = `${short === undefined || short === 'h' ? '' : `-${short}, `}--${name}`;
    return [value === undefined ? words : `${words} ${value}`, help] as const;
  });
  return [
    ...usageLines(verb.usage),
    '',
    ...verb.details.flatMap((paragraph) => [...wrap(paragraph, width), '']),
    ...formatPairs(flags, width),
    ...(verb.examples.length === 0 ? [] : ['', 'Examples:', ...verb.examples.map((example) => `  ${example}`)]),
  ];
}

/** Verb groups in the order of help. Verbs for beginners come first. */
const groups: readonly VerbGroup[] = [
  { title: 'Solve', verbs: [examplesVerb, run, validate, batch, studyVerb] },
  {
    title: 'Compare kernels',
    verbs: [bench, compare, gateVerb, report, decide, history, claims, replay, variants, devices],
  },
  { title: 'Beams and images', verbs: [sobpVerb, volumeVerb, pencilsVerb, commissionVerb, gammaVerb, refineVerb] },
  {
    title: 'User kernels',
    verbs: [
      newKernelVerb,
      newProblemVerb,
      exportProblemVerb,
      sanitizeVerb,
      reproduceVerb,
      traceVerb,
      explainLaunchVerb,
    ],
  },
  { title: 'Files and window', verbs: [exportVerb, projectVerb, serveVerb, connectVerb, mcpVerb] },
];
const verbs = groups.flatMap((group) => group.verbs);

function findVerb(name: string): Verb {
  const found = verbs.find((verb) => verb.name === name || verb.aliases?.includes(name));
  if (found !== undefined) return found;
  if (name.startsWith('-')) {
    throw new UsageError(`${name} is not a flag of braggbench; allowed: --help, --version. Flags of a verb follow it.`);
  }
  const known = verbs.map((verb) => verb.name);
  const near = suggestSimilarWord(name, known);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  throw new UsageError(`${JSON.stringify(name)} is not a known verb${hint}; allowed: ${known.join(', ')}`);
}

function printLines(terminal: Terminal, lines: readonly string[]): ExitCode {
  for (const line of lines) terminal.print(line);
  return exitCodes.done;
}

async function runVerb(words: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<ExitCode> {
  const [name, ...rest] = words;
  if (name === '--version') return printLines(terminal, [await programVersion()]);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const about = name === 'help' ? rest[0] : undefined;
    if (about !== undefined) return printLines(terminal, verbHelp(findVerb(about)));
    const help = programHelp(groups, await programVersion());
    if (name !== undefined) return printLines(terminal, help);
    for (const line of help) terminal.printNote(line);
    return exitCodes.badInput;
  }
  const verb = findVerb(name);
  const parsed = parseArguments(rest, verb.flags);
  if (hasFlag(parsed, 'help')) return printLines(terminal, verbHelp(verb));
  const { min, max, name: operand } = verb.operands;
  if (parsed.operands.length < min) throw new UsageError(`${name} needs ${operand}; usage: braggbench ${verb.usage}`);
  if (parsed.operands.length > max) {
    const [extra = ''] = parsed.operands.slice(max);
    const list = listFlagBefore(rest, extra, verb.flags);
    const hint = list === null ? '' : `; write a list with commas: --${list.name} ${list.value},${extra}`;
    throw new UsageError(`unexpected argument ${JSON.stringify(extra)}${hint}; usage: braggbench ${verb.usage}`);
  }
  return verb.run({ parsed, words: rest, terminal, signal });
}

/** Converts system errors that the user can resolve, such as too few file descriptors, to a BraggError. */
function toUserError(error: unknown): unknown {
  const { code, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const solvable = ['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'EROFS'].includes(code ?? '');
  return solvable ? toFileError(error, path ?? 'A file') : error;
}

function printError(error: unknown, terminal: Terminal, asJson: boolean): ExitCode {
  if (error instanceof UsageError) {
    terminal.printNote(`${terminal.styleNote('red', 'error')} ${error.message}`);
    if (asJson) terminal.printJson(errorDocument(new BraggError('invalid', error.message)));
    return exitCodes.badInput;
  }
  if (error instanceof BraggError) {
    if (error.issues.length === 0) terminal.printNote(`${terminal.styleNote('red', 'error')} ${error.message}`);
    printIssues(terminal, error.issues);
    if (asJson) terminal.printJson(errorDocument(error));
    return isBadInput(error) ? exitCodes.badInput : exitCodes.failed;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.printNote(`${terminal.styleNote('red', 'error')} this is a bug in the program, please report it:`);
  terminal.printNote(text);
  if (asJson) terminal.printJson(errorDocument(new BraggError('internal', text)));
  return exitCodes.failed;
}

/** Runs a command line. `words` excludes the program's name. Never throws. */
export async function runProgram(words: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<ExitCode> {
  try {
    return await runVerb(words, terminal, signal);
  } catch (error) {
    return printError(toUserError(error), terminal, words.includes('--json'));
  }
}
