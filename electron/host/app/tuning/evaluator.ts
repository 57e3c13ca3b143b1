/**
 * Measures configurations of a kernel one after another, each in a separate session, and finally the best ones in a
 * common session.
 *
 * Tuning ends when all configurations are measured or its budget is used up.
 */
import { availableParallelism, freemem } from 'node:os';
import path from 'node:path';
import {
  type Accuracy,
  correctnessOf,
  type Session,
  type SessionEntry,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import {
  type Measure,
  type PlanHead,
  type PlanLine,
  POINT_FORMAT,
  type PointResult,
  STUDY_FOLDER_VERSION,
  type Study,
} from '../../../contract/study/index.ts';
import { configuredName, parseConfigured } from '../../../contract/tuning/configured.ts';
import { errorFromNative } from '../../io/addon/addon.ts';
import { writeAtomically } from '../../io/files/write-file.ts';
import { describeGpus } from '../../model/bench/machine.ts';
import { sessionText } from '../../model/bench/session-file.ts';
import { medianInterval } from '../../model/bench/statistics.ts';
import { createLimits } from '../../model/bench/stopping.ts';
import {
  type Candidate,
  makeCandidates,
  type MeasureCandidate as SearchMeasure,
  searchConfigurations,
} from '../../model/tuning/search.ts';
import { measureReport, measureSession } from '../../workloads/bench.ts';
import { benchTaskOf } from '../../workloads/benchable.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { invalidScenarioError, type ScenarioReading } from '../../workloads/scenarios/scenarios.ts';
import { measuresOf, quantityReadouts, sessionEnergyMeasures, unitBySuffix } from '../../workloads/workload.ts';
import { type LocalOptions, runWithProgress, type StudyOutcome } from '../studies/local/engine.ts';
import type { SolvingHost } from '../studies/plan.ts';
import { solverMachine } from '../studies/points/solver.ts';
import { documentOf, readRows } from '../studies/results.ts';
import { benchKindOf } from '../user-kernels/user-kernels.ts';

export function variantOf(head: Pick<PlanHead, 'bases'>, { base, settings }: PlanLine): string {
  const variant = valueAt(documentOf(head.bases[base]?.document, settings), ['solver', 'variant']);
  return typeof variant === 'string' ? variant : 'auto';
}

function candidatesIn(head: Pick<PlanHead, 'bases'>, lines: readonly PlanLine[]): readonly Candidate[] {
  return makeCandidates(
    lines.map((line) => {
      const variant = variantOf(head, line);
      return { id: line.id, ...(parseConfigured(variant) ?? { variant, configuration: {} }) };
    }),
  );
}

/** Returns the measured time in seconds. Null for a failed or wrong result. */
export function timeOf({ status, measures }: Pick<PointResult, 'status' | 'measures'>): number | null {
  const measureOf = (name: string): unknown => measures.find((one) => one.name === name)?.value;
  const time = measureOf('time_s');
  return status === 'done' && measureOf('right') === 'yes' && typeof time === 'number' ? time : null;
}

export type Search = NonNullable<Study['search']>;

interface EvaluatorOptions {
  readonly host: SolvingHost;
  readonly head: PlanHead;
  readonly study: Study;
  readonly search: Search;
  readonly assetsFolder: string;
  readonly signal: AbortSignal;
  readonly job: string | null;
}

/** Seed of rounds and intervals. It is constant, so that equal samples give equal intervals. */
const SEED = 1;
/**
 * Maximum number of rounds for the best configurations. The session usually ends earlier, by its precision or its time.
 */
const BEST_ROUNDS = 100;
/** Precision of ratios at which configurations can be ranked: half width of the interval, as ratio minus 1. */
const TUNED_PRECISION = 0.01;
/** Memory in bytes that a compiler needs for the largest kernels. */
const COMPILER_BYTES = 3 * 2 ** 30;
/** Number of compilers that this machine can run at the same time. */
const maxCompilers = (): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / COMPILER_BYTES)));

/** Returns 1 if every error is within its bound, otherwise the smallest ratio of a bound to its error. */
function withinBounds(accuracy: readonly Accuracy[]): number {
  const shares = accuracy.map(({ holds, value, bound }) => {
    if (holds) return 1;
    return value === null || bound === null || !(value > bound) ? 0 : bound / value;
  });
  return Math.min(1, ...shares);
}

/** Converts a session entry to the measures of a point. Tuning considers only configurations whose `right` is yes. */
function measuresOfEntry(
  entry: Extract<SessionEntry, { status: 'measured' }>,
  compile_s: number,
  facts: SessionReport['facts'],
): readonly Measure[] {
  const times = entry.samples.map(({ time_s }) => time_s);
  const interval = times.length < 5 ? null : medianInterval(times, SEED);
  const checks = entry.accuracy.map(({ id, value }) => [`check.${id}`, value] as const);
  return [
    ...measuresOf('readouts', unitBySuffix, {
      right: correctnessOf(entry.accuracy) === 'correct' ? 'yes' : 'no',
      correctness: withinBounds(entry.accuracy),
      ...Object.fromEntries(checks),
      bitwise: entry.determinism === null ? undefined : entry.determinism.bitwise ? 'yes' : 'no',
    }),
    ...quantityReadouts(entry.quantities),
    { group: 'times', name: 'time_s', unit: 's', value: entry.time_s, ...(interval ?? {}) },
    ...measuresOf('times', unitBySuffix, {
      setup_s: entry.setup_s,
      wall_s: entry.wall_s ?? undefined,
      compile_s,
      spread: entry.spread,
      samples: times.length,
    }),
    ...measuresOf('memory', unitBySuffix, { state_bytes: entry.state_bytes }),
    ...sessionEnergyMeasures(entry.quantities, facts),
  ];
}

/** Stores all samples as a curve, because the file formats of other tuners contain samples. */
const samplesOf = ({ samples }: Extract<SessionEntry, { status: 'measured' }>): PointResult['curves'] => [
  {
    ...{ name: 'samples', unit: 's', axis: 'sample', axis_unit: '' },
    positions: samples.map((_, i) => i),
    values: samples.map(({ time_s }) => time_s),
  },
];

class Evaluator {
  readonly #options: EvaluatorOptions;
  /** Compile times of configurations in seconds, by point id. */
  readonly #compiled_s = new Map<string, number>();

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  async #reading(
    settings: PlanLine['settings'],
  ): Promise<ScenarioReading & { readonly kind: NonNullable<ScenarioReading['kind']> }> {
    const { host, head } = this.#options;
    const [base] = head.bases;
    const reading = await host.scenarios.check(documentOf(base?.document, settings), {
      name: base?.name ?? '',
      folder: base?.folder ?? null,
    });
    if (reading.kind === null || reading.issues.some(({ severity }) => severity === 'error'))
      throw invalidScenarioError(reading.issues);
    return reading;
  }

  /**
   * Compiles a configuration and the ones that probably follow, at most one per core. Waits for all compilers, because
   * none may run during a measurement.
   *
   * Compile errors are ignored here and reported when the configuration is measured.
   */
  async compileAhead(line: PlanLine, next: readonly PlanLine[]): Promise<void> {
    const { host, signal } = this.#options;
    const isNew = ({ id }: PlanLine): boolean => !this.#compiled_s.has(id);
    if (!isNew(line)) return;
    const wave = [line, ...next.filter(isNew)].slice(0, maxCompilers());
    await Promise.all(
      wave.map(async (one) => {
        const variant = variantOf(this.#options.head, one);
        try {
          const { kind, scenario } = await this.#reading(one.settings);
          const before = performance.now();
          await host.userKernels.prepare([variant], benchKindOf(scenario ?? { kind }), signal).catch(() => undefined);
          this.#compiled_s.set(one.id, (performance.now() - before) / 1000);
        } catch {
          this.#compiled_s.set(one.id, 0);
        } finally {
          host.userKernels.remove(variant);
        }
      }),
    );
  }

  /** Measures one configuration. Its errors become its result. Null if it was cancelled. */
  async evaluate(line: PlanLine): Promise<PointResult | null> {
    const { host, head, study, search, signal } = this.#options;
    const started = new Date().toISOString();
    const variant = variantOf(head, line);
    const result = { format: POINT_FORMAT, version: STUDY_FOLDER_VERSION, id: line.id, repeats: 1, started } as const;
    let workload = head.bases[0]?.name ?? '';
    try {
      // Report an unknown name as such, not as an issue of the scenario.
      const reading = await this.#reading(line.settings);
      workload = reading.kind;
      const place = benchKindOf(reading.scenario ?? { kind: reading.kind });
      const before = performance.now();
      await host.userKernels.prepare([variant], place, signal);
      const compile_s = this.#compiled_s.get(line.id) ?? (performance.now() - before) / 1000;
      const { benchable } = hostWorkloads[reading.kind];
      const report = await measureReport(host.addon, benchable, benchable.problem(reading), {
        ...{ scenario: head.name, variants: [variant], seed: SEED, signal },
        limits: createLimits(search.rounds, search.seconds, { precision: TUNED_PRECISION }),
        ...(study.measures.includes('energy') && { energy: true, gpus: describeGpus(host.capabilities().devices) }),
      });
      if (signal.aborted) return null;
      const [entry] = report.entries;
      if (entry === undefined) throw new Error('a session without an entry');
      if (entry.status === 'refused') throw new BraggError('unsupported', entry.reason);
      return {
        ...result,
        ...{ status: 'done', error: null, workload, variant, precision: entry.precision, threads: entry.threads },
        measures: measuresOfEntry(entry, compile_s, report.facts),
        curves: samplesOf(entry),
        where: this.#machine(entry.device === 'cuda'),
        finished: new Date().toISOString(),
      };
    } catch (thrown) {
      if (signal.aborted) return null;
      const { code, message } = toWireError(errorFromNative(thrown));
      return {
        ...result,
        ...{ status: 'failed', error: { code, message }, workload, variant, precision: '', threads: null },
        ...{ measures: [], curves: [], where: this.#machine(false), finished: new Date().toISOString() },
      };
    } finally {
      host.userKernels.remove(variant);
    }
  }

  #shippedVariants(lines: readonly PlanLine[]): readonly string[] {
    return [...new Set(lines.map((line) => variantOf(this.#options.head, line).replace(/\[.*$/, '')))];
  }

  async #defaultConfigurations(
    shipped: readonly string[],
    place: ReturnType<typeof benchKindOf>,
  ): Promise<readonly string[]> {
    const found = await Promise.all(
      shipped.map(async (variant) => {
        const configuration = (await this.#options.host.userKernels.space(variant, place))?.space.usual;
        return configuration === undefined ? [] : [configuredName({ variant, configuration })];
      }),
    );
    return found.flat();
  }

  /** Returns the configurations with the default constants of the shipped variants. */
  async defaultsOf(lines: readonly PlanLine[]): Promise<readonly string[]> {
    const [first] = lines;
    if (first === undefined) return [];
    const reading = await this.#reading(first.settings).catch(() => null);
    if (reading === null) return [];
    return this.#defaultConfigurations(
      this.#shippedVariants(lines),
      benchKindOf(reading.scenario ?? { kind: reading.kind }),
    );
  }

  /**
   * Measures configurations and shipped variants in one session until the ratios are precise.
   *
   * The default constants are included and compiled like the others, so that effects of the compiler are not attributed
   * to a constant.
   */
  async measureBest(lines: readonly PlanLine[]): Promise<Session> {
    const { host, head, search, assetsFolder, signal } = this.#options;
    const [first] = lines;
    if (first === undefined) throw new Error('there is no measured configuration to select');
    const { kind, scenario, ...reading } = await this.#reading(first.settings);
    const place = benchKindOf(scenario ?? { kind });
    const chosen = lines.map((line) => variantOf(head, line));
    const shipped = this.#shippedVariants(lines);
    const usual = await this.#defaultConfigurations(shipped, place);
    // Put the default constants first, because ratios are relative to the first entry.
    const variants = [...new Set([...usual, ...shipped, ...chosen, ...search.also])];
    for (const variant of variants)
      await host.userKernels.openFromFolders([head.bases[0]?.folder ?? null], variant, place);
    await host.userKernels.prepare(variants, place, signal);
    const { benchable } = hostWorkloads[kind];
    const problem = benchable.problem({ kind, scenario, ...reading } as ScenarioReading);
    const document = (head.bases[0]?.document ?? {}) as Readonly<Record<string, unknown>>;
    const task = benchTaskOf(
      { workload: kind, problems: [problem], documents: [document], scenarios: [scenario] },
      {
        ...{ scenario: head.name, variants, seed: SEED, processes: 0, assetsFolder, withoutClaims: true },
        limits: createLimits(BEST_ROUNDS, search.best_seconds, { precision: TUNED_PRECISION }),
        command: `study run ${head.name}`,
      },
    );
    const { session } = await measureSession(host.addon, benchable, task, { signal, onProgress: () => undefined });
    for (const variant of [...usual, ...chosen, ...search.also]) host.userKernels.remove(variant);
    return session;
  }

  #machine(onGpu: boolean): PointResult['where'] {
    const { host, job } = this.#options;
    return solverMachine({ host, at_once: 1, job }, onGpu);
  }
}

/** Name of the file with the session of the best configurations, next to the plan. */
export const BEST_FILE = 'best.json';

/** Thrown when the search ends because of its budget, a stop request or a cancellation. */
class SearchEndedError extends Error {}

interface TuneOptions extends Omit<LocalOptions, 'share' | 'lines'> {
  readonly search: Search;
  /** Whether to measure failed points again. */
  readonly retry: boolean;
  /** External search strategy that replaces the built-in one. It receives all points that it may request. */
  readonly steer?: (lines: readonly PlanLine[], measure: PointMeasurer) => Promise<void>;
  readonly onMeasured?: (result: PointResult) => void;
}

/** Measures a point. Returns null if the search has ended. */
export type PointMeasurer = (line: PlanLine) => Promise<PointResult | null>;

export interface TuneOutcome extends StudyOutcome {
  /** Session of the best configurations. Null if none was correct or none was requested. */
  readonly best: Session | null;
}

/** Returns the fastest correct results, fastest first. */
function bestOf(results: readonly PointResult[], count: number): readonly PointResult[] {
  return results
    .flatMap((result) => {
      const time = timeOf(result);
      return time === null ? [] : [{ result, time }];
    })
    .toSorted((a, b) => a.time - b.time)
    .slice(0, count)
    .map(({ result }) => result);
}

/**
 * Runs a tuning search on this machine. Throws errors that prevent every point from being measured, such as a full
 * disk. Existing results remain.
 */
export async function tuneLocally(options: TuneOptions): Promise<TuneOutcome> {
  const { folder, retry, steer, onMeasured } = options;
  const lines = await folder.readLines();
  const byId = new Map(lines.map((line) => [line.id, line]));
  const known = new Map((await readRows(folder)).rows.map(({ line, result }) => [line.id, result]));
  for (const [id, result] of known) if (retry && result.status === 'failed') known.delete(id);
  const left = lines.length - known.size;
  return runWithProgress({ ...options, left }, async (go) => {
    const evaluator = new Evaluator({ ...options, head: folder.head, study: folder.study, signal: go.signal });
    const measure: PointMeasurer = async (line) => {
      const before = known.get(line.id);
      if (before !== undefined) return before;
      if (!go.mayBegin()) return null;
      const result = await evaluator.evaluate(line);
      if (result === null) return null;
      await folder.writeResult(result);
      known.set(line.id, result);
      go.ended(result.status);
      onMeasured?.(result);
      return result;
    };
    try {
      if (steer !== undefined) await steer(lines, measure);
      else {
        const candidates = candidatesIn(folder.head, lines);
        const usual = await evaluator.defaultsOf(lines);
        const measured: SearchMeasure = async ({ id }, next) => {
          const line = byId.get(id);
          if (line === undefined) throw new SearchEndedError();
          const open = next.flatMap((one) => (known.has(one.id) ? [] : (byId.get(one.id) ?? [])));
          if (!known.has(id) && go.mayBegin()) await evaluator.compileAhead(line, open.slice(0, go.maxRemaining() - 1));
          const result = await measure(line);
          if (result === null) throw new SearchEndedError();
          return timeOf(result);
        };
        const starts = candidates.filter(({ id }) => {
          const line = byId.get(id);
          return line !== undefined && usual.includes(variantOf(folder.head, line));
        });
        await searchConfigurations(options.search.strategy, candidates, folder.study.seed, measured, starts);
      }
    } catch (error) {
      if (!(error instanceof SearchEndedError)) throw error;
    }
    const best = bestOf([...known.values()], options.search.best).flatMap(({ id }) => byId.get(id) ?? []);
    if (best.length === 0 || go.signal.aborted) return { best: null };
    const session = await evaluator.measureBest(best);
    await writeAtomically(path.join(folder.folder, BEST_FILE), sessionText(session), 'replace');
    return { best: session };
  });
}
