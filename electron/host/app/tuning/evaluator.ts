/** Measures configurations one by one, each as a session of its own, and the best of them against each other. */
import { availableParallelism, freemem } from 'node:os';
import type { SessionEntry } from '../../../contract/bench/session.ts';
import { type Accuracy, correctnessOf, type Session, type SessionReport } from '../../../contract/bench/session.ts';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import {
  type Measure,
  type PlanHead,
  type PlanLine,
  POINT_FORMAT,
  type PointResult,
  STUDY_FOLDER_VERSION,
  type Study,
} from '../../../contract/study/index.ts';
import { configuredName } from '../../../contract/tuning/configured.ts';
import { fromNative } from '../../io/addon/addon.ts';
import { limitsOf, sessionGpus } from '../../model/bench/index.ts';
import { medianInterval } from '../../model/bench/statistics.ts';
import { measureReport, measureSession } from '../../workloads/bench.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { measuresOf, quantityReadouts, sessionEnergy, unitBySuffix } from '../../workloads/measures.ts';
import { type AnyReading, refusalOf } from '../../workloads/scenarios/index.ts';
import { documentOf } from '../studies/documents.ts';
import { whereOf } from '../studies/points/where.ts';
import type { SolvingHost } from '../studies/solving-host.ts';
import { placeOf } from '../user-kernels/user-kernels.ts';
import { variantOf } from './lines.ts';

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

/** Seed of the rounds and of the intervals: the same samples give the same interval. */
const SEED = 1;
/** A session of the best ends by its precision or its time, else here. */
const BEST_ROUNDS = 100;
/** Half width of a ratio that ranks configurations, as a ratio less 1. */
const TUNED_PRECISION = 0.01;
/** A compiler of the largest kernels takes so much. */
const COMPILER_BYTES = 3 * 2 ** 30;
/** Compilers at once. */
const compilersHere = (): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / COMPILER_BYTES)));

/** 1: within every bound. Below: the error that is allowed over the one that was found. */
function withinBounds(accuracy: readonly Accuracy[]): number {
  const shares = accuracy.map(({ holds, value, bound }) => {
    if (holds) return 1;
    return value === null || bound === null || !(value > bound) ? 0 : bound / value;
  });
  return Math.min(1, ...shares);
}

/** Measures of a configuration from its session. Tuning uses only configurations whose `right` is yes. */
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
    ...sessionEnergy(entry.quantities, facts),
  ];
}

/** The samples, which files of other tuners keep. */
const samplesOf = ({ samples }: Extract<SessionEntry, { status: 'measured' }>): PointResult['curves'] => [
  {
    ...{ name: 'samples', unit: 's', axis: 'sample', axis_unit: '' },
    positions: samples.map((_, i) => i),
    values: samples.map(({ time_s }) => time_s),
  },
];

export class Evaluator {
  readonly #options: EvaluatorOptions;
  /** Compile times of configurations, by point id. */
  readonly #compiled_s = new Map<string, number>();

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  async #reading(
    settings: PlanLine['settings'],
  ): Promise<AnyReading & { readonly kind: NonNullable<AnyReading['kind']> }> {
    const { host, head } = this.#options;
    const [base] = head.bases;
    const reading = await host.scenarios.check(documentOf(base?.document, settings), {
      name: base?.name ?? '',
      folder: base?.folder ?? null,
    });
    if (reading.kind === null || reading.issues.some(({ severity }) => severity === 'error'))
      throw refusalOf(reading.issues);
    return reading;
  }

  /**
   * Compiles a configuration and the likely next ones, as many as this machine has cores for. Waits for all, because no
   * compiler may run during a measurement. Compile errors are reported when the configuration is measured.
   */
  async compileAhead(line: PlanLine, next: readonly PlanLine[]): Promise<void> {
    const { host, signal } = this.#options;
    const isNew = ({ id }: PlanLine): boolean => !this.#compiled_s.has(id);
    if (!isNew(line)) return;
    const wave = [line, ...next.filter(isNew)].slice(0, compilersHere());
    await Promise.all(
      wave.map(async (one) => {
        const variant = variantOf(this.#options.head, one);
        try {
          const { kind, scenario } = await this.#reading(one.settings);
          const before = performance.now();
          await host.userKernels.prepare([variant], placeOf(scenario ?? { kind }), signal).catch(() => undefined);
          this.#compiled_s.set(one.id, (performance.now() - before) / 1000);
        } catch {
          this.#compiled_s.set(one.id, 0);
        } finally {
          host.userKernels.forget(variant);
        }
      }),
    );
  }

  /** An error of a configuration becomes its result. Null if it was cancelled. */
  async evaluate(line: PlanLine): Promise<PointResult | null> {
    const { host, head, study, search, signal } = this.#options;
    const started = new Date().toISOString();
    const variant = variantOf(head, line);
    const result = { format: POINT_FORMAT, version: STUDY_FOLDER_VERSION, id: line.id, repeats: 1, started } as const;
    let workload = head.bases[0]?.name ?? '';
    try {
      // An unknown name is reported as such, not as an issue of the scenario.
      const reading = await this.#reading(line.settings);
      workload = reading.kind;
      const place = placeOf(reading.scenario ?? { kind: reading.kind });
      const before = performance.now();
      await host.userKernels.prepare([variant], place, signal);
      const compile_s = this.#compiled_s.get(line.id) ?? (performance.now() - before) / 1000;
      const { benchable } = hostWorkloads[reading.kind];
      const report = await measureReport(host.addon, benchable, benchable.problem(reading), {
        ...{ scenario: head.name, variants: [variant], seed: SEED, signal },
        limits: limitsOf(search.rounds, search.seconds, { precision: TUNED_PRECISION }),
        ...(study.measures.includes('energy') && { energy: true, gpus: sessionGpus(host.capabilities().devices) }),
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
        where: this.#where(entry.device === 'cuda'),
        finished: new Date().toISOString(),
      };
    } catch (thrown) {
      if (signal.aborted) return null;
      const { code, message } = toWireError(fromNative(thrown));
      return {
        ...result,
        ...{ status: 'failed', error: { code, message }, workload, variant, precision: '', threads: null },
        ...{ measures: [], curves: [], where: this.#where(false), finished: new Date().toISOString() },
      };
    } finally {
      host.userKernels.forget(variant);
    }
  }

  #shippedIn(lines: readonly PlanLine[]): readonly string[] {
    return [...new Set(lines.map((line) => variantOf(this.#options.head, line).replace(/\[.*$/, '')))];
  }

  async #usual(shipped: readonly string[], place: ReturnType<typeof placeOf>): Promise<readonly string[]> {
    const found = await Promise.all(
      shipped.map(async (variant) => {
        const configuration = (await this.#options.host.userKernels.space(variant, place))?.space.usual;
        return configuration === undefined ? [] : [configuredName({ variant, configuration })];
      }),
    );
    return found.flat();
  }

  /** The constants of today, as configurations. */
  async usualOf(lines: readonly PlanLine[]): Promise<readonly string[]> {
    const [first] = lines;
    if (first === undefined) return [];
    const reading = await this.#reading(first.settings).catch(() => null);
    if (reading === null) return [];
    return this.#usual(this.#shippedIn(lines), placeOf(reading.scenario ?? { kind: reading.kind }));
  }

  /**
   * Measures configurations against each other and the shipped variants, until the ratios are precise. The usual
   * constants are among them, compiled like the others, so that effects of the compiler are not credited to a constant.
   */
  async best(lines: readonly PlanLine[]): Promise<Session> {
    const { host, head, search, assetsFolder, signal } = this.#options;
    const [first] = lines;
    if (first === undefined) throw new Error('the best of nothing');
    const { kind, scenario, ...reading } = await this.#reading(first.settings);
    const place = placeOf(scenario ?? { kind });
    const chosen = lines.map((line) => variantOf(head, line));
    const shipped = this.#shippedIn(lines);
    const usual = await this.#usual(shipped, place);
    // The usual constants come first: ratios are to them.
    const variants = [...new Set([...usual, ...shipped, ...chosen, ...search.also])];
    for (const variant of variants) await host.userKernels.discover([head.bases[0]?.folder ?? null], variant, place);
    await host.userKernels.prepare(variants, place, signal);
    const { benchable } = hostWorkloads[kind];
    const { session } = await measureSession(
      host.addon,
      benchable,
      {
        ...{
          workload: kind,
          scenario: head.name,
          problems: [benchable.problem({ kind, scenario, ...reading } as AnyReading)],
        },
        ...{ scenarios: [scenario], sweep: null, external: [], variants, modes: [], seed: SEED, processes: 0 },
        ...{ assetsFolder, trace: false, withoutClaims: true },
        documents: [(head.bases[0]?.document ?? {}) as Readonly<Record<string, unknown>>],
        limits: limitsOf(BEST_ROUNDS, search.best_seconds, { precision: TUNED_PRECISION }),
        created: new Date().toISOString(),
        command: `study run ${head.name}`,
        ...{ userKernels: [], userKernelLimit_s: 0 },
      },
      { signal, tell: () => undefined },
    );
    for (const variant of [...usual, ...chosen, ...search.also]) host.userKernels.forget(variant);
    return session;
  }

  #where(onGpu: boolean): PointResult['where'] {
    const { host, job } = this.#options;
    return whereOf({ host, at_once: 1, job }, onGpu);
  }
}
