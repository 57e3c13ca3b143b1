/** Parts of `braggbench bench` for all workloads: limits, scenarios of a sweep, saving and printing of sessions. */
import { type Mode, modes } from '../contract/bench/bench-session.ts';
import { type ExpectedTime, suggestedVariants } from '../contract/bench/benches.ts';
import {
  type BenchOption,
  type BenchOptionName,
  type BenchOptions,
  benchOptionEntries,
  defaultBenchOptions,
} from '../contract/bench/options.ts';
import type { Session, SessionReport } from '../contract/bench/session.ts';
import { factorText, measuredTime, speedupOf } from '../domain/measured.ts';
import { buildSweepTable } from '../domain/sweep-table.ts';
import {
  type BenchLimits,
  type BenchProgress,
  type BenchTask,
  benchTaskOfReadings,
  measureSession,
  reportRows,
  sessionText,
  taskOptions,
  type ValidReading,
  withoutRecordings,
} from '../host/api/benches.ts';
import { benchKindOf } from '../host/api/kernels.ts';
import { hostWorkloads, type ScenarioReading } from '../host/api/scenarios.ts';
import { forkChild, type Host } from '../host/index.ts';
import {
  type FlagSpec,
  flagNumber,
  flagSeconds,
  flagValue,
  hasFlag,
  listFlag,
  type ParsedArguments,
  parseSweep,
  UsageError,
} from './arguments.ts';
import { assetsFolder } from './assets-folder.ts';
import { withCounterFiles, withMeasuredCounters } from './counters/index.ts';
import { writeOutput } from './output-file.ts';
import { truncateLine } from './progress-bar.ts';
import { readScenario } from './read-scenario.ts';
import { benchReport } from './reports/bench-report.ts';
import { formatTable } from './table.ts';
import { escapeForTerminal, type Terminal } from './terminal.ts';
import { openRequestedVariants, usableVariants } from './user-kernels.ts';
import { type ExitCode, exitCodes, type VerbContext } from './verb.ts';
import { factorialVariants, type Workload } from './workloads/workload.ts';

/** Intervals of progress output, ms: between two redraws on a terminal, and between two lines in a pipe. */
const [REDRAW_MS, LINE_MS] = [250, 5000] as const;
const ESC = '\u001B';
/** Width in columns if the terminal does not report one. */
const defaultColumns = 80;

const columns = [
  { title: 'Variant' },
  { title: 'Time so far', align: 'right' },
  { title: 'Relative speed', align: 'right' },
] as const;

export class BenchProgressView {
  readonly #terminal: Terminal;
  readonly #mostSeconds: number;
  readonly #timer: NodeJS.Timeout;
  #latest: { readonly progress: BenchProgress; readonly at_ms: number } | null = null;
  #drawn = 0;
  #due_ms = 0;
  #said_ms: number;

  constructor(terminal: Terminal, mostSeconds: number) {
    this.#terminal = terminal;
    this.#mostSeconds = mostSeconds;
    this.#said_ms = performance.now();
    this.#timer = setInterval(() => this.#show(), REDRAW_MS);
    this.#timer.unref();
  }

  update(progress: BenchProgress): void {
    this.#latest = { progress, at_ms: performance.now() };
    if (this.#terminal.isErrorTerminal && performance.now() >= this.#due_ms) this.#show();
  }

  /** Clears the table, so that the result starts on an empty line. */
  close(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #show(): void {
    if (this.#latest === null) return;
    const { progress, at_ms } = this.#latest;
    const now_ms = performance.now();
    const line = statusText(progress, progress.elapsed_s + (now_ms - at_ms) / 1000, this.#mostSeconds);
    if (this.#terminal.isErrorTerminal) this.#draw([...progressTable(progress), line]);
    else if (now_ms - this.#said_ms >= LINE_MS) {
      this.#said_ms = now_ms;
      this.#terminal.printNote([line, ...progress.latest.map(rowText)].join('; '));
    }
  }

  #draw(lines: readonly string[]): void {
    const { errorStream } = this.#terminal;
    this.#erase();
    const width = errorStream.columns || defaultColumns;
    errorStream.write(lines.map((line) => escapeForTerminal(truncateLine(line, width))).join('\n'));
    this.#drawn = lines.length;
    this.#due_ms = performance.now() + REDRAW_MS;
  }

  #erase(): void {
    if (this.#drawn === 0) return;
    const up = this.#drawn > 1 ? `${ESC}[${this.#drawn - 1}A` : '';
    this.#terminal.errorStream.write(`\r${up}${ESC}[J`);
    this.#drawn = 0;
  }
}

function statusText({ phase, variant, round }: BenchProgress, elapsed_s: number, mostSeconds: number): string {
  const what = phase === 'rounds' ? `round ${round + 1}` : phase;
  const limit = Number.isFinite(mostSeconds) ? ` of at most ${measuredTime(mostSeconds)}` : '';
  return `${what}: ${variant}, ${measuredTime(elapsed_s)}${limit}`;
}

type ProgressRow = BenchProgress['latest'][number];

const rowText = ({ label, time_s, ratio }: ProgressRow): string =>
  `${label} ${measuredTime(time_s)}${ratio === null ? '' : ` (${factorText(speedupOf(ratio))})`}`;

function progressTable({ latest }: BenchProgress): readonly string[] {
  if (latest.length === 0) return [];
  const rows = latest.map(({ label, time_s, ratio }, i) => [
    label,
    measuredTime(time_s),
    ratio === null ? (i === 0 ? '1' : '–') : factorText(speedupOf(ratio)),
  ]);
  return formatTable(columns, rows);
}

/**
 * Modes from the flag `--modes warm,cold,graph,cold-graph`; only `warm` if the flag is absent. Throws UsageError with
 * the allowed modes.
 */
export function parseModes(parsed: ParsedArguments): readonly Mode[] {
  return (flagValue(parsed, 'modes') ?? 'warm').split(',').map((given) => {
    const mode = modes.find((one) => one === given.trim());
    if (mode === undefined) throw new UsageError(`--modes: ${given.trim()} is not known; allowed: ${modes.join(', ')}`);
    return mode;
  });
}

/** Allowed precision in per cent. Clocks do not resolve narrower intervals, and wider intervals are meaningless. */
const [leastPercent, maxPercent] = [0.01, 50];

function parseOption(parsed: ParsedArguments, { flag, kind, min = 0, max = 0, usual }: BenchOption) {
  if (kind === 'switch') return hasFlag(parsed, flag);
  if (kind === 'percent') return flagPercent(parsed, flag) ?? usual;
  if (kind === 'time') return flagSeconds(parsed, flag, max) ?? usual;
  return flagNumber(parsed, flag, { min, max, whole: kind === 'count' }) ?? usual;
}

/**
 * Parses the benchmark options from flags. Options that are not in `among` get default values. Throws UsageError with
 * the allowed values.
 */
export function parseBenchOptions(
  parsed: ParsedArguments,
  among: readonly BenchOptionName[] | null = null,
): BenchOptions {
  const given = benchOptionEntries.filter(([name]) => among?.includes(name) ?? true);
  return {
    ...defaultBenchOptions,
    ...Object.fromEntries(given.map(([name, option]) => [name, parseOption(parsed, option)])),
  };
}

/** Options of all verbs that measure times. */
const commonOptions = ['seed', 'energy', 'lock_MHz', 'cool_C'] as const;

export const optionSpecs: readonly FlagSpec[] = benchOptionEntries.map(([, { flag, value, help }]) => ({
  ...{ name: flag, help },
  ...(value === undefined ? {} : { value }),
}));

export const parseLimits = (parsed: ParsedArguments): BenchLimits => taskOptions(parseBenchOptions(parsed)).limits;

/** Parses a percentage to a fraction: `0.5%` becomes 0.005. Null if the flag is absent. Throws UsageError. */
function flagPercent(parsed: ParsedArguments, flag: string): number | null {
  const text = flagValue(parsed, flag);
  if (text === undefined) return null;
  const [, number = ''] = /^(\d+(?:\.\d+)?|\.\d+) ?%$/.exec(text.trim()) ?? [];
  const percent = Number(number);
  if (number === '' || percent < leastPercent || percent > maxPercent) {
    throw new UsageError(
      `--${flag}: ${JSON.stringify(text)} is not a percentage from ${leastPercent}% to ${maxPercent}%, such as 0.5%`,
    );
  }
  return percent / 100;
}

export function parseSeed(parsed: ParsedArguments): number {
  return flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1;
}

type Style = (...styled: Parameters<Terminal['style']>) => string;

/** Table of a sweep with its fitted lines; empty if the session is not a sweep. */
export function sweepLines(session: Pick<Session, 'sweep' | 'words' | 'reports'>, style: Style): readonly string[] {
  const swept = buildSweepTable(session);
  if (swept === null) return [];
  const columns = swept.columns.map((title, i) => (i === 0 ? { title } : { title, align: 'right' as const }));
  const rows = formatTable(columns, swept.rows, { styleTitle: (text) => style('bold', text) });
  return ['', style('bold', swept.title), ...rows, '', ...swept.lines, style('dim', swept.note)];
}

/** Prints a session as tables, or with --json as one document. */
export async function printSession({ parsed, terminal }: VerbContext, session: Session): Promise<void> {
  const { reports, sweep, workload } = session;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(sweep === null ? { workload, ...reports[0] } : session);
    return;
  }
  const style: Style = (name, text) => terminal.style(name, text);
  for (const [i, report] of reports.entries()) {
    if (i > 0) terminal.print();
    if (sweep !== null) terminal.print(style('bold', `${sweep.path} = ${sweep.values[i]}`));
    const compared = await reportRows(session, i);
    for (const line of benchReport(report, { style, wide: hasFlag(parsed, 'wide') }, session, compared))
      terminal.print(line);
  }
  for (const line of sweepLines(session, style)) terminal.print(line);
  terminal.print(
    style('dim', `Measured ${session.created.slice(0, 16).replace('T', ' ')} UTC by braggbench ${session.command}`),
  );
}

export function exitCodeOf(reports: readonly Pick<SessionReport, 'stopped'>[]): ExitCode {
  if (reports.some(({ stopped }) => stopped === 'cancelled')) return exitCodes.interrupted;
  return reports.every(({ stopped }) => stopped === 'refused') ? exitCodes.badInput : exitCodes.done;
}

/** Measurement to perform for a verb: scenarios, variants, modes and limits. */
interface MeasurementRequest extends Pick<BenchTask, 'variants' | 'modes' | 'limits' | 'processes'> {
  readonly verb: string;
  /** Scenarios: one, or one for each value of a sweep. */
  readonly readings: readonly ValidReading[];
  readonly sweep: BenchTask['sweep'];
  readonly external?: readonly string[];
  readonly withoutClaims?: boolean;
  /** Seed by which rounds are shuffled; the value of --seed by default. */
  readonly seed?: number;
}

/** Measures in this process, with a progress line. User kernels must be opened in `host` before. */
export async function measureWithProgress(
  { parsed, terminal, signal, words }: VerbContext,
  host: Host,
  requested: MeasurementRequest,
): Promise<Session> {
  const { verb, readings, ...rest } = requested;
  const [first] = readings;
  if (first === undefined) throw new Error('no scenario to measure was given');
  const { benchable } = hostWorkloads[first.kind];
  const progress = new BenchProgressView(terminal, rest.limits.mostSeconds);
  const { session } = await benchTaskOfReadings(benchable, readings, {
    ...taskOptions(parseBenchOptions(parsed, commonOptions)),
    ...rest,
    scenario: first.scenario?.name || (parsed.operands[0] ?? ''),
    assetsFolder: assetsFolder(),
    command: [verb, ...words].join(' '),
    trace: hasFlag(parsed, 'trace'),
  })
    .then((task) =>
      measureSession(host.addon, benchable, task, {
        signal,
        startChild: forkChild,
        warn: (reason) => terminal.printNote(reason),
        onProgress: (latest) => progress.update(latest),
      }),
    )
    .finally(() => progress.close());
  return session;
}

/** Rejects --trace without --out, because the trace would be recorded but not saved. */
export function throwIfTraceUnsaved(parsed: ParsedArguments): void {
  if (hasFlag(parsed, 'trace') && flagValue(parsed, 'out') === undefined)
    throw new UsageError('--trace needs --out: a file for the session, such as run.json');
}

/** Variants to measure by default, and sentences on omitted ones. */
interface SuggestedVariants {
  readonly variants: readonly string[];
  readonly said: readonly string[];
}

/**
 * Selects variants that fit into the time limit. Null if no times are known, as for most small workloads. Then all
 * usable variants are measured.
 */
export async function suggestVariants(
  { parsed }: VerbContext,
  host: Host,
  reading: ScenarioReading,
): Promise<SuggestedVariants | null> {
  const { document } = reading;
  if (document === undefined || document === null || reading.problem === null) return null;
  const { times } = await host.call('bench.expected', { scenario: document, file: null });
  return variantsThatFit(times, parseLimits(parsed).mostSeconds);
}

/**
 * Selects variants by expected times such that the session fits into `budget_s`, in seconds. Includes those without an
 * expected time, for which the time limit applies. Null if no times are known.
 */
export function variantsThatFit(times: readonly ExpectedTime[], budget_s: number): SuggestedVariants | null {
  const able = times.filter((one) => one.able && one.right);
  if (!able.some(({ run_s }) => run_s !== null)) return null;
  const byId = new Map(times.map((one) => [one.variant, one]));
  const ids = times.map(({ variant }) => ({ id: variant, available: true }));
  const fitting = new Set(suggestedVariants(ids, byId, budget_s));
  const [shortest] = able.toSorted((a, b) => (a.run_s ?? Infinity) - (b.run_s ?? Infinity));
  if (fitting.size === 0 && shortest !== undefined) fitting.add(shortest.variant);
  const measured = able.filter(
    ({ variant, run_s }) => fitting.has(variant) || (run_s === null && variant !== 'reference'),
  );
  const variants = measured.map(({ variant }) => variant);
  const slow = able.filter(({ variant }) => variant !== 'reference' && !variants.includes(variant));
  const texts = slow.map(({ variant, run_s }) => `${variant} (about ${measuredTime(run_s ?? 0)} a run)`);
  const unable = times.filter((one) => !one.able && one.variant !== 'reference').map(({ variant }) => variant);
  return {
    // Include variants that cannot run, so that the session reports the reason.
    variants: [...variants, ...unable],
    said: [
      ...(texts.length === 0
        ? []
        : [
            `Omitted, because they do not fit into the session time of ${measuredTime(budget_s)}: ${texts.join(', ')}. Include them with --time or --variants.`,
          ]),
      ...(variants.length > 1
        ? []
        : [
            `Only ${variants[0]} fits into the time, so there is nothing to compare it with: use --time ${Math.ceil(10 * budget_s)} or a coarser grid.`,
          ]),
    ],
  };
}

/** Runs `braggbench bench` on a scenario of any workload. */
export async function benchScenario(
  context: VerbContext,
  host: Host,
  workload: Workload,
  suggested: SuggestedVariants | null,
): Promise<ExitCode> {
  const { parsed } = context;
  throwIfTraceUnsaved(parsed);
  const { limits, processes } = taskOptions(parseBenchOptions(parsed));
  const text = flagValue(parsed, 'sweep');
  const sweep = text === undefined ? null : parseSweep(text);
  const readings: ValidReading[] = [];
  for (const overrides of sweep?.overrides ?? [[]])
    readings.push(await readScenario(context, host, () => workload.adapt, overrides));
  const [first] = readings;
  if (first === undefined) throw new Error('no scenario to measure was given');
  const external = listFlag(parsed, 'external') ?? [];
  const place = benchKindOf(first.scenario ?? { kind: first.kind });
  const timed = await measureWithProgress(context, host, {
    verb: 'bench',
    ...{ readings, limits, external, processes },
    variants:
      (await factorialVariants(parsed, host, place)) ??
      (await openRequestedVariants(context, host, place)) ??
      suggested?.variants ??
      usableVariants(workload.usual(host.addon, first)),
    modes: parseModes(parsed).filter((mode) => mode !== 'warm'),
    sweep: sweep === null ? null : { path: sweep.path, values: sweep.values },
  });
  const session = await withCounterFiles(await withMeasuredCounters(timed, context), parsed);
  const out = flagValue(parsed, 'out');
  try {
    if (out !== undefined) {
      await writeOutput(parsed, out, sessionText(session));
      context.terminal.printNote(`Saved as ${out}`);
    }
  } finally {
    // Print the result first, so that it is shown even if it cannot be saved.
    await printSession(context, withoutRecordings(session));
  }
  return exitCodeOf(session.reports);
}
