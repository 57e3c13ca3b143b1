/** What `braggbench bench` does alike for every workload: limits, a sweep's reports, the session kept and shown. */
import type { BenchReport } from '../contract/bench/bench.ts';
import { type BenchLimits, limitsOf, sessionText } from '../host/model/bench/index.ts';
import { fewestInstances } from '../host/model/verdicts/levels.ts';
import type { Override } from '../host/workloads/scenarios/index.ts';
import { flagNumber, flagValue, hasFlag, type ParsedArguments, UsageError } from './arguments.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { duration } from './numbers.ts';
import { writeOutput } from './output-file.ts';
import { bar } from './progress-bar.ts';
import { parseSweep } from './sweep.ts';
import type { Terminal } from './terminal.ts';
import type { VerbContext } from './verb.ts';

export const usualMostRounds = 100;
export const usualSeconds = 60;

/** Below it clocks end, above it nothing is known. */
const [leastPercent, mostPercent] = [0.01, 50];

export function roundsAsked(parsed: ParsedArguments): BenchLimits {
  const mostRounds = flagNumber(parsed, 'rounds', { min: 1, max: 100_000, whole: true }) ?? usualMostRounds;
  const mostInstances = flagNumber(parsed, 'instances', { min: fewestInstances, max: 100_000, whole: true });
  const precision = flagPercent(parsed, 'precision');
  const margin = flagPercent(parsed, 'margin');
  return limitsOf(mostRounds, flagNumber(parsed, 'time', { min: 0, max: 86_400 }) ?? usualSeconds, {
    ...(mostInstances === undefined ? {} : { mostInstances }),
    ...(precision === null ? {} : { precision }),
    ...(margin === null ? {} : { margin }),
  });
}

/** `0.5%` as 0.005; null where the flag was not given. Throws a UsageError. */
export function flagPercent(parsed: ParsedArguments, flag: string): number | null {
  const text = flagValue(parsed, flag);
  if (text === undefined) return null;
  const [, number = ''] = /^(\d+(?:\.\d+)?|\.\d+) ?%$/.exec(text.trim()) ?? [];
  const percent = Number(number);
  if (number === '' || percent < leastPercent || percent > mostPercent) {
    throw new UsageError(
      `--${flag}: ${JSON.stringify(text)} is not a percentage from ${leastPercent}% to ${mostPercent}%, such as 0.5%`,
    );
  }
  return percent / 100;
}

export function seedOf(parsed: ParsedArguments): number {
  return flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1;
}

/** Names with commas between them; null where the flag was not given. Throws a UsageError for an empty one. */
export function listed(parsed: ParsedArguments, flag: string): readonly string[] | null {
  const list = flagValue(parsed, flag);
  if (list === undefined) return null;
  const ids = list.split(',').map((id) => id.trim());
  if (ids.some((id) => id === '')) throw new UsageError(`--${flag}: ${JSON.stringify(list)} names nothing in a place`);
  return ids;
}

/** Other programs are compared with on transport alone. */
export function refuseExternal(parsed: ParsedArguments): void {
  if (flagValue(parsed, 'external') !== undefined) throw new UsageError('--external is for transport scenarios');
}

/** Drawn before every sample. */
export function roundLine(what: string, round: number, mostRounds: number, elapsed_s: number): string {
  return `${bar(round / mostRounds)}  round ${round + 1} of at most ${mostRounds}: ${what}  ${duration(elapsed_s)}`;
}

/** How the reports of all workloads tell how they ended. */
interface Ended {
  readonly stopped: BenchReport['stopped'];
}

/** A session but for its format: one report, or with --sweep one per value and the line through them. */
export async function measured<Report, Fit>(
  { parsed, words, signal }: VerbContext,
  measure: (more: readonly Override[]) => Promise<Report>,
  fitsOf: (values: readonly number[], reports: readonly Report[]) => Fit[],
) {
  const text = flagValue(parsed, 'sweep');
  const sweep = text === undefined ? null : parseSweep(text);
  const reports: Report[] = [];
  for (const overrides of sweep?.overrides ?? [[]]) {
    if (signal.aborted && reports.length > 0) break;
    reports.push(await measure(overrides));
  }
  const values = sweep?.values.slice(0, reports.length) ?? [];
  return {
    format_version: 1 as const,
    created: new Date().toISOString(),
    command: ['bench', ...words].join(' '),
    reports,
    sweep: sweep === null ? null : { path: sweep.path, values, fits: fitsOf(values, reports) },
  };
}

export type Style = (...styled: Parameters<Terminal['style']>) => string;

/** What the sessions of all workloads have. */
interface AnySession {
  readonly format: string;
  readonly created: string;
  readonly command: string;
  readonly reports: readonly Ended[];
  readonly sweep: { readonly path: string; readonly values: readonly number[] } | null;
}

/** How a workload's session reads, line by line. */
export interface Lines<Session extends AnySession> {
  readonly report: (report: Session['reports'][number], style: Style, session: Session) => readonly string[];
  readonly sweep: (sweep: NonNullable<Session['sweep']>, style: Style) => readonly string[];
  /** What of it is printed for scripts; all of it where this is not said. */
  readonly document?: (session: Session) => Session;
}

/** One document for scripts, or tables for people. */
export function show<Session extends AnySession>(
  { parsed, terminal }: VerbContext,
  session: Session,
  lines: Lines<Session>,
): void {
  const { reports, sweep } = session;
  if (hasFlag(parsed, 'json')) {
    const shown = lines.document?.(session) ?? session;
    terminal.printJson(sweep === null ? shown.reports[0] : shown);
    return;
  }
  const style: Style = (name, text) => terminal.style(name, text);
  for (const [i, report] of reports.entries()) {
    if (i > 0) terminal.print();
    if (sweep !== null) terminal.print(style('bold', `${sweep.path} = ${sweep.values[i]}`));
    for (const line of lines.report(report, style, session)) terminal.print(line);
  }
  if (sweep !== null) for (const line of lines.sweep(sweep, style)) terminal.print(line);
  terminal.print(
    style('dim', `Measured ${session.created.slice(0, 16).replace('T', ' ')} UTC by braggbench ${session.command}`),
  );
}

/** With --out also kept in a file. */
export async function keepAndShow<Session extends AnySession>(
  context: VerbContext,
  session: Session,
  lines: Lines<Session>,
): Promise<ExitCode> {
  const out = flagValue(context.parsed, 'out');
  try {
    if (out !== undefined) {
      await writeOutput(context.parsed, out, sessionText(session));
      context.terminal.say(`Kept as ${out}`);
    }
  } finally {
    // What was measured is shown also where it cannot be kept.
    show(context, session, lines);
  }
  return exitCodeOf(session.reports);
}

export function exitCodeOf(reports: readonly Ended[]): ExitCode {
  if (reports.some(({ stopped }) => stopped === 'cancelled')) return exitCodes.interrupted;
  return reports.every(({ stopped }) => stopped === 'refused') ? exitCodes.badInput : exitCodes.done;
}
