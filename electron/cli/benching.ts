/** `braggbench bench` for every workload: limits, the scenarios of a sweep, saving and printing the session. */

import { gainOf, timesText } from '../../renderer/base/measured.ts';
import { type Mode, modes } from '../contract/bench/bench-session.ts';
import type { Session, SessionReport } from '../contract/bench/session.ts';
import { suggestedVariants } from '../contract/bench/suggested.ts';
import { withoutRecordings } from '../host/app/sessions/index.ts';
import { placeOf } from '../host/app/user-kernels/user-kernels.ts';
import type { Host } from '../host/index.ts';
import { forkChild } from '../host/io/processes/link.ts';
import { type BenchLimits, type BenchProgress, limitsOf, mostRounds, sessionText } from '../host/model/bench/index.ts';
import { fewestInstances } from '../host/model/verdicts/levels.ts';
import { measureSession } from '../host/workloads/bench.ts';
import type { BenchTask } from '../host/workloads/benchable.ts';
import { hostWorkloads } from '../host/workloads/index.ts';
import type { AnyReading } from '../host/workloads/scenarios/index.ts';
import { flagNumber, flagSeconds, flagValue, hasFlag, listed, type ParsedArguments, UsageError } from './arguments.ts';
import { assetsFolder } from './assets-folder.ts';
import { withCounterFiles, withOwnCounters } from './counters/index.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { duration } from './numbers.ts';
import { writeOutput } from './output-file.ts';
import { cutLine } from './progress-bar.ts';
import { type KnownReading, readScenario } from './read-scenario.ts';
import { benchReport } from './reports/bench-report.ts';
import { sweepReport } from './reports/sweep-report.ts';
import { parseSweep } from './sweep.ts';
import { table } from './table.ts';
import { shown, type Terminal } from './terminal.ts';
import { openNamed, ours } from './user-kernels.ts';
import type { VerbContext } from './verb.ts';
import { factorialVariants } from './workloads/factorial.ts';
import type { Workload } from './workloads/workload.ts';

// A benchmark as it is measured: a table that grows in place on a terminal, else a line every few seconds.

/** A terminal is redrawn as often, and a pipe gets a line as often. */
const [REDRAW_MS, LINE_MS] = [250, 5000] as const;
const ESC = '\u001B';
/** Width if the terminal does not report one. */
const usualColumns = 80;

const columns = [
  { title: 'Variant' },
  { title: 'Time so far', align: 'right' },
  { title: 'Times as fast', align: 'right' },
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
    if (this.#terminal.isLive && performance.now() >= this.#due_ms) this.#show();
  }

  /** Leaves an empty line for the result. */
  close(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #show(): void {
    if (this.#latest === null) return;
    const { progress, at_ms } = this.#latest;
    const now_ms = performance.now();
    const line = statusText(progress, progress.elapsed_s + (now_ms - at_ms) / 1000, this.#mostSeconds);
    if (this.#terminal.isLive) this.#draw([...tableOf(progress), line]);
    else if (now_ms - this.#said_ms >= LINE_MS) {
      this.#said_ms = now_ms;
      this.#terminal.say([line, ...progress.latest.map(rowText)].join('; '));
    }
  }

  #draw(lines: readonly string[]): void {
    const { live } = this.#terminal;
    this.#erase();
    const width = live.columns || usualColumns;
    live.write(lines.map((line) => shown(cutLine(line, width))).join('\n'));
    this.#drawn = lines.length;
    this.#due_ms = performance.now() + REDRAW_MS;
  }

  #erase(): void {
    if (this.#drawn === 0) return;
    const up = this.#drawn > 1 ? `${ESC}[${this.#drawn - 1}A` : '';
    this.#terminal.live.write(`\r${up}${ESC}[J`);
    this.#drawn = 0;
  }
}

function statusText({ phase, variant, round }: BenchProgress, elapsed_s: number, mostSeconds: number): string {
  const what = phase === 'rounds' ? `round ${round + 1}` : phase;
  const limit = Number.isFinite(mostSeconds) ? ` of at most ${duration(mostSeconds)}` : '';
  return `${what}: ${variant}, ${duration(elapsed_s)}${limit}`;
}

type Row = BenchProgress['latest'][number];

const rowText = ({ label, time_s, ratio }: Row): string =>
  `${label} ${duration(time_s)}${ratio === null ? '' : ` (${timesText(gainOf(ratio))})`}`;

function tableOf({ latest }: BenchProgress): readonly string[] {
  if (latest.length === 0) return [];
  const rows = latest.map(({ label, time_s, ratio }, i) => [
    label,
    duration(time_s),
    ratio === null ? (i === 0 ? '1' : '–') : timesText(gainOf(ratio)),
  ]);
  return table(columns, rows);
}

// `--modes warm,cold,graph` of every workload's benchmark.

/** Warm alone where the flag is not given. Throws a UsageError that says what is allowed. */
export function modesOf(parsed: ParsedArguments): readonly Mode[] {
  return (flagValue(parsed, 'modes') ?? 'warm').split(',').map((given) => {
    const mode = modes.find((one) => one === given.trim());
    if (mode === undefined) throw new UsageError(`--modes: ${given.trim()} is not known; allowed: ${modes.join(', ')}`);
    return mode;
  });
}

export const usualSeconds = 60;

/** Below it clocks end, above it nothing is known. */
const [leastPercent, mostPercent] = [0.01, 50];

export function roundsAsked(parsed: ParsedArguments): BenchLimits {
  const rounds = flagNumber(parsed, 'rounds', { min: 1, max: mostRounds, whole: true }) ?? mostRounds;
  const mostInstances = flagNumber(parsed, 'instances', { min: fewestInstances, max: 100_000, whole: true });
  const precision = flagPercent(parsed, 'precision');
  const margin = flagPercent(parsed, 'margin');
  return limitsOf(rounds, flagSeconds(parsed, 'time', 86_400) ?? usualSeconds, {
    ...(mostInstances === undefined ? {} : { mostInstances }),
    ...(precision === null ? {} : { precision }),
    ...(margin === null ? {} : { margin }),
  });
}

/** `0.5%` as 0.005; null where the flag was not given. Throws a UsageError. */
function flagPercent(parsed: ParsedArguments, flag: string): number | null {
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

/** Null if the flag is missing: the workload's usual number applies. */
const processesOf = (parsed: ParsedArguments): number | null =>
  flagNumber(parsed, 'processes', { min: 0, max: 100, whole: true }) ?? null;

export function seedOf(parsed: ParsedArguments): number {
  return flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1;
}

type Style = (...styled: Parameters<Terminal['style']>) => string;

/** One document for scripts, or tables for people. */
export function show({ parsed, terminal }: VerbContext, session: Session): void {
  const { reports, sweep, workload } = session;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(sweep === null ? { workload, ...reports[0] } : session);
    return;
  }
  const style: Style = (name, text) => terminal.style(name, text);
  for (const [i, report] of reports.entries()) {
    if (i > 0) terminal.print();
    if (sweep !== null) terminal.print(style('bold', `${sweep.path} = ${sweep.values[i]}`));
    for (const line of benchReport(report, { style, wide: hasFlag(parsed, 'wide') }, session)) terminal.print(line);
  }
  if (sweep !== null) for (const line of sweepReport(sweep, session, style)) terminal.print(line);
  terminal.print(
    style('dim', `Measured ${session.created.slice(0, 16).replace('T', ' ')} UTC by braggbench ${session.command}`),
  );
}

export function exitCodeOf(reports: readonly Pick<SessionReport, 'stopped'>[]): ExitCode {
  if (reports.some(({ stopped }) => stopped === 'cancelled')) return exitCodes.interrupted;
  return reports.every(({ stopped }) => stopped === 'refused') ? exitCodes.badInput : exitCodes.done;
}

/** Measurement requested by a verb: scenarios, variants, modes and limits. */
interface Asked extends Pick<BenchTask, 'variants' | 'modes' | 'limits' | 'processes'> {
  readonly verb: string;
  /** One; of a sweep one per value. */
  readonly readings: readonly KnownReading[];
  readonly sweep: BenchTask['sweep'];
  readonly external?: readonly string[];
  readonly withoutClaims?: boolean;
  /** Seed of the shuffles; by default that of --seed. */
  readonly seed?: number;
}

/** Measures with a progress line, in this process: user kernels are known to its host already. */
export async function measured(
  { parsed, terminal, signal, words }: VerbContext,
  host: Host,
  asked: Asked,
): Promise<Session> {
  const { verb, readings, external = [], ...rest } = asked;
  const [first] = readings;
  if (first === undefined) throw new Error('there is no scenario to measure');
  const { benchable } = hostWorkloads[first.kind];
  const progress = new BenchProgressView(terminal, rest.limits.mostSeconds);
  const { session } = await measureSession(
    host.addon,
    benchable,
    {
      ...rest,
      workload: first.kind,
      scenario: first.scenario?.name || (parsed.operands[0] ?? ''),
      problems: readings.map((reading) => benchable.problem(reading)),
      documents: readings.map(({ document }) => document ?? {}),
      scenarios: readings.map(({ scenario }) => scenario),
      external,
      seed: asked.seed ?? seedOf(parsed),
      assetsFolder: assetsFolder(),
      created: new Date().toISOString(),
      command: [verb, ...words].join(' '),
      userKernels: [],
      userKernelLimit_s: 0,
      trace: hasFlag(parsed, 'trace'),
      energy: hasFlag(parsed, 'energy'),
      steadied: {
        lock_MHz: flagNumber(parsed, 'lock-clocks', { min: 1, max: 10_000, whole: true }) ?? null,
        cool_C: flagNumber(parsed, 'cool', { min: 20, max: 120 }) ?? null,
      },
    },
    {
      signal,
      startChild: forkChild,
      warn: (reason) => terminal.say(reason),
      tell: (latest) => progress.update(latest),
    },
  ).finally(() => progress.close());
  return session;
}

/** Rejects a trace that would not be saved: it would only cost time. */
export function refuseUnkeptTrace(parsed: ParsedArguments): void {
  if (hasFlag(parsed, 'trace') && flagValue(parsed, 'out') === undefined)
    throw new UsageError('--trace needs --out: a name for the session that keeps it, such as run.json');
}

/** Those that are measured where nobody names them, and those that are not, for a reader. */
interface Suggested {
  readonly variants: readonly string[];
  readonly said: readonly string[];
}

/**
 * Variants that fit into the time limit. Null if no time is known, as for most small workloads: then all that can run.
 */
export async function suggestedFor(
  { parsed }: VerbContext,
  host: Host,
  reading: AnyReading,
): Promise<Suggested | null> {
  const { document } = reading;
  if (document === undefined || document === null || reading.problem === null) return null;
  const { times } = await host.call('bench.expected', { scenario: document, file: null });
  const able = times.filter((one) => one.able && one.right);
  if (!able.some(({ run_s }) => run_s !== null)) return null;
  const budget_s = roundsAsked(parsed).mostSeconds;
  const byId = new Map(times.map((one) => [one.variant, one]));
  const ids = times.map(({ variant }) => ({ id: variant, available: true }));
  const fitting = suggestedVariants(ids, byId, budget_s);
  const slow = able.filter(({ variant }) => variant !== 'reference' && !fitting.includes(variant));
  const [shortest] = able.toSorted((a, b) => (a.run_s ?? Infinity) - (b.run_s ?? Infinity));
  const variants = fitting.length > 0 ? fitting : [shortest?.variant ?? ''];
  const texts = slow
    .filter(({ variant }) => !variants.includes(variant))
    .map(
      ({ variant, run_s }) => `${variant} (${run_s === null ? 'time not known' : `about ${duration(run_s)} a run`})`,
    );
  const unable = times.filter((one) => !one.able && one.variant !== 'reference').map(({ variant }) => variant);
  return {
    // The session says why these cannot run.
    variants: [...variants, ...unable],
    said: [
      ...(texts.length === 0
        ? []
        : [
            `Left out, as they do not fit into ${duration(budget_s)}: ${texts.join(', ')}. --time or --variants takes them.`,
          ]),
      ...(variants.length > 1
        ? []
        : [
            `Only ${variants[0]} fits, so there is nothing to compare it with: --time ${Math.ceil(10 * budget_s)} or a coarser grid lets others take part.`,
          ]),
    ],
  };
}

/** `braggbench bench` of a scenario of any workload. */
export async function benchScenario(
  context: VerbContext,
  host: Host,
  workload: Workload,
  suggested: Suggested | null,
): Promise<ExitCode> {
  const { parsed } = context;
  refuseUnkeptTrace(parsed);
  const limits = roundsAsked(parsed);
  const text = flagValue(parsed, 'sweep');
  const sweep = text === undefined ? null : parseSweep(text);
  const readings: KnownReading[] = [];
  for (const overrides of sweep?.overrides ?? [[]])
    readings.push(await readScenario(context, host, () => workload.fit, overrides));
  const [first] = readings;
  if (first === undefined) throw new Error('there is no scenario to measure');
  const external = listed(parsed, 'external') ?? [];
  const place = placeOf(first.scenario ?? { kind: first.kind });
  const timed = await measured(context, host, {
    verb: 'bench',
    ...{ readings, limits, external, processes: processesOf(parsed) },
    variants:
      (await factorialVariants(parsed, host, place)) ??
      (await openNamed(context, host, place)) ??
      suggested?.variants ??
      ours(workload.usual(host.addon, first)),
    modes: modesOf(parsed).filter((mode) => mode !== 'warm'),
    sweep: sweep === null ? null : { path: sweep.path, values: sweep.values },
  });
  const session = await withCounterFiles(await withOwnCounters(timed, context), parsed);
  const out = flagValue(parsed, 'out');
  try {
    if (out !== undefined) {
      await writeOutput(parsed, out, sessionText(session));
      context.terminal.say(`Kept as ${out}`);
    }
  } finally {
    // Print the result even if it cannot be saved.
    show(context, withoutRecordings(session));
  }
  return exitCodeOf(session.reports);
}
