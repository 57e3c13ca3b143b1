/**
 * A variant of a small measured workload in a benchmark session. It is prepared on demand and timed as often as
 * requested.
 */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import type { AuditCost } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { type DeviceTrace, errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { defaultGpu, findGpu } from '../../io/addon/gpu.ts';
import type {
  NativeTask,
  PreparedTask,
  TaskQuantity,
  TaskSample,
  TaskSampleOptions,
  TaskVerdict,
} from '../../io/addon/task.ts';
import type { BenchCandidate, CandidateFacts, TimedRun } from '../../model/bench/bench-candidate.ts';
import type { ColdRunPlan } from '../../model/bench/cold/processes.ts';
import { toSavedRecording } from '../../model/recording/recording.ts';
import { Audits } from './audits.ts';
import type { FurtherProblem, TaskCandidate } from './candidates.ts';

/**
 * Default duration of a sample in seconds. It is long compared with the clock's resolution and the launch time, and
 * short compared with changes of the GPU's clock.
 */
export const defaultSample_s = 0.01;

/** Duration of a traced sample in seconds. It has few repetitions, because people view the trace. */
const traced_s = 1e-3;

/** Number of repetitions with equal inputs before the rounds, to test whether the result is deterministic. */
const checkedRuns = 3;

/** Maximum time in seconds to decide after one sample whether the kernel caches results. */
const MAX_DECIDING_S = 20;

/** Maximum time in seconds for a new process to make as many calls as the session's process. */
const MAX_CATCHING_UP_S = 0.5;

/** Duration of samples for further problems in seconds. They are short, because only their probes matter. */
const furtherSample_s = 1e-3;

/** Calls that a cold process makes: set-up and one repetition. Null for a user kernel. */
export function coldRunOf({ variant, problem }: TaskCandidate): ColdRunPlan | null {
  if (isUserKernelId(variant.id)) return null;
  const sample = { method: 'sample', args: [{ mode: 'warm', at_least_s: 0 }], reports: false };
  return { factory: 'createTask', problem, calls: [{ method: 'prepare', args: [], reports: false }, sample] };
}

function timedRunOf(
  { time_s, repetitions, device_s, wall_s, clocks }: TaskSample,
  prepared: PreparedTask | null,
  told?: readonly TaskQuantity[],
): TimedRun {
  return {
    ...{ time_s, repetitions, device_s, clocks },
    host_s: wall_s,
    setup_s: prepared?.setup_s ?? null,
    wall_s: null,
    parts: new Map((prepared?.setup_parts ?? []).map(({ name, seconds }) => [name, seconds])),
    values: null,
    ...(told !== undefined && { reportedQuantities: told }),
  };
}

export interface TaskMeasurementOptions {
  readonly sample_s: number;
  /**
   * Returns the seed for the inputs of an instance. It cannot be known in advance, and all candidates of a session
   * share it.
   */
  readonly seedOf: (instance: number) => number;
  /** Returns the seed that alters the inputs of an instance. Undefined if the altered problem has no known answer. */
  readonly alterationOf: (instance: number) => number | undefined;
  /**
   * Further problems that a user kernel must solve correctly. Empty for a shipped variant, which the parity tests
   * check.
   */
  readonly further: readonly FurtherProblem[];
  /** Whether the state remains prepared between samples. Otherwise it is prepared again for each sample. */
  readonly staysPrepared: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface SampleOptions {
  readonly mode: Mode;
  readonly instance: number;
  /** Whether to collect the metrics that the variant reports, after the timing. */
  readonly withMetrics: boolean;
  readonly staysPrepared: boolean;
}

/** A candidate in a session. All calls return null after the signal was aborted. They throw BraggErrors. */
export class TaskBenchCandidate implements BenchCandidate {
  readonly prepare?: (instance: number) => Promise<boolean>;
  readonly #task: NativeTask;
  readonly #addon: NativeAddon;
  readonly #candidate: TaskCandidate;
  readonly #measuring: TaskMeasurementOptions;
  #prepared: PreparedTask | null = null;
  /** Latest preparation that no sample has reported yet. */
  #unreported: PreparedTask | null = null;
  #isa = '';
  readonly #audits: Audits;
  #verdict: TaskVerdict | null = null;
  #last: Pick<TaskSample, 'spans' | 'origin_ns'> | null = null;
  #trace: DeviceTrace | null = null;
  /** Number of repetitions in samples so far. */
  #calls = 0;
  /** Instance of the latest sample. */
  #instance = 0;

  constructor(addon: NativeAddon, candidate: TaskCandidate, measuring: TaskMeasurementOptions) {
    try {
      this.#task = addon.createTask(candidate.problem);
    } catch (error) {
      throw errorFromNative(error);
    }
    this.#addon = addon;
    this.#candidate = candidate;
    this.#audits = new Audits({
      device: candidate.variant.device,
      suspected: isUserKernelId(candidate.variant.id),
      state_bytes: this.#task.plan.estimate_bytes,
    });
    this.#measuring = measuring;
    if (measuring.staysPrepared) this.prepare = (instance) => this.#prepareAgain(instance);
  }

  first(): Promise<TimedRun | null> {
    return this.#takeSample({ mode: 'warm', instance: 0, withMetrics: false, staysPrepared: true });
  }

  takeSample(mode: Mode, instance = 0): Promise<TimedRun | null> {
    // Only warm samples store metrics.
    return this.#takeSample({
      mode,
      instance,
      withMetrics: mode === 'warm',
      staysPrepared: this.#measuring.staysPrepared,
    });
  }

  async answer() {
    const verdict = await this.#withPrepared(0, () => this.#task.check(checkedRuns));
    this.#verdict = verdict;
    if (verdict === null) return null;
    this.#audits.addCheck(verdict);
    if (!this.#measuring.staysPrepared) await this.close();
    const start = performance.now();
    for (const further of this.#measuring.further) {
      if (!(await this.#checkFurtherProblem(further))) return null;
    }
    this.#audits.addFurtherTime((performance.now() - start) / 1000);
    // The result remains in the engine, which compares it with an FP64 reference.
    return { values: null };
  }

  async completeChecks(seconds: number): Promise<void> {
    if (this.#audits.nextCheck !== null)
      await this.#decideCaching(this.#instance, Math.min(seconds, MAX_DECIDING_S), true);
  }

  accuracy() {
    return this.#audits.accuracy();
  }

  facts(): readonly (readonly [string, string])[] {
    const { summary } = this.#audits;
    return summary === null ? [] : [[`Audits of ${this.#candidate.label}`, summary]];
  }

  get auditCost(): AuditCost {
    return this.#audits.cost;
  }

  quantities() {
    return this.#requireVerdict.quantities.map((quantity) => ({ ...quantity }));
  }

  properties(): CandidateFacts {
    const { runs, bitwise, hash, work } = this.#requireVerdict;
    const { precision } = this.#candidate.variant;
    const flops = (of: string | null): number | null =>
      precision === of || (of === null && precision !== 'fp32' && precision !== 'fp64') ? work.flops : null;
    return {
      threads: null,
      isa: this.#isa,
      state_bytes: this.#task.plan.estimate_bytes,
      size: null,
      work: {
        bytes: work.bytes,
        fp32_flops: flops('fp32'),
        fp64_flops: flops('fp64'),
        other_flops: flops(null),
      },
      repeats: { runs, bitwise, spread: bitwise ? 0 : null, hash },
      note: null,
      compared: this.#audits.compared,
    };
  }

  async trace(): Promise<string | null> {
    const sample = await this.#sample(0, { mode: 'warm', at_least_s: traced_s, trace: true });
    if (!this.#measuring.staysPrepared) await this.close();
    return sample?.traceReason ?? null;
  }

  recording() {
    const last = this.#last;
    if (last === null) return null;
    const head = { label: this.#candidate.label, device: this.#deviceName };
    const recorded = { spans: last.spans, trace: this.#trace };
    return { origin_ns: last.origin_ns, toSaved: (shift_ns: number) => toSavedRecording(head, recorded, shift_ns) };
  }

  /** Frees the memory of the task. The next sample prepares it again. */
  async close(): Promise<void> {
    if (this.#prepared === null) return;
    this.#prepared = null;
    await this.#task.close();
  }

  get #deviceName(): string | null {
    const { gpu, variant } = this.#candidate;
    if (variant.device === 'cpu') return null;
    const report = this.#addon.devices();
    const used = gpu === null ? defaultGpu(report) : findGpu(report.cuda.devices, String(gpu));
    return used?.name ?? 'GPU';
  }

  get #requireVerdict(): TaskVerdict {
    if (this.#verdict === null) throw new Error(`${this.#candidate.label} was queried before it was checked`);
    return this.#verdict;
  }

  /** Checks the variant on a further problem. Returns false if cancelled. */
  async #checkFurtherProblem({ title, problem, sameSize, optional }: FurtherProblem): Promise<boolean> {
    let again: NativeTask | null = null;
    const cancel = (): void => again?.cancel();
    const { signal } = this.#measuring;
    signal?.addEventListener('abort', cancel);
    try {
      again = this.#addon.createTask({ ...problem, variant: this.#candidate.variant.id });
      if ((await again.prepare()) === null) return false;
      const verdict = await again.check(1);
      if (verdict === null) return false;
      this.#audits.addCheck(verdict, title);
      const probe = await again.sample({ mode: 'warm', at_least_s: furtherSample_s, audit: 'judged', probe: true });
      if (probe?.audit != null) this.#audits.addCheck({ ...probe.audit, audit: probe.audit }, title, sameSize);
      await again.close();
      return true;
    } catch (error) {
      const reason = errorFromNative(error);
      // If the reference program or the shipped variant rejects the problem too, the error says nothing about the
      // kernel.
      if (!optional(reason)) throw new BraggError(reason.code, `${title}: ${reason.message}`, reason.issues);
      this.#audits.addSkipped(title, reason.message);
      return true;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /**
   * Frees the memory of the task and prepares it with the inputs of an instance, usually at another address. Returns
   * false if cancelled.
   */
  async #prepareAgain(instance: number): Promise<boolean> {
    await this.close();
    return (await this.#withPrepared(instance, async () => true)) === true;
  }

  async #takeSample({ mode, instance, withMetrics, staysPrepared }: SampleOptions): Promise<TimedRun | null> {
    const { audited, probed, altered } = this.#audits.planNextSample();
    const alteration = altered ? this.#measuring.alterationOf(instance) : undefined;
    const sample = await this.#sample(instance, {
      ...{ mode, clocks: true, hide: true, at_least_s: this.#measuring.sample_s },
      ...(audited && { audit: 'judged' as const, probe: probed }),
      ...(alteration !== undefined && { altered: alteration }),
    });
    if (sample !== null) {
      this.#calls += sample.repetitions;
      this.#instance = instance;
      this.#audits.addSample(sample);
      await this.#decideCaching(instance, MAX_DECIDING_S);
    }
    // Request metrics after the timing, because some variants repeat their work to report on it.
    const reportedByTask =
      sample === null || !withMetrics ? undefined : await this.#withPrepared(instance, () => this.#task.told());
    const prepared = this.#unreported;
    this.#unreported = null;
    if (!staysPrepared) await this.close();
    return sample === null || reportedByTask === null ? null : timedRunOf(sample, prepared, reportedByTask);
  }

  /**
   * Tries to prove or refute that the kernel caches results, outside of the timing. `regardless`: whether it may exceed
   * the time for audits. If neither succeeds, the kernel counts as not checked.
   */
  async #decideCaching(instance: number, seconds: number, regardless = false): Promise<void> {
    const until = performance.now() + 1000 * seconds;
    for (let doubt = this.#audits.nextCheck; doubt !== null; doubt = this.#audits.nextCheck) {
      if (!regardless && !this.#audits.mayDecide) return;
      if (performance.now() > until) return;
      if (doubt === 'probe') {
        const probing = { mode: 'warm', at_least_s: 0, audit: 'judged', probe: true, hide: true } as const;
        const sample = await this.#sample(instance, probing);
        if (sample?.audit == null) return;
        this.#audits.addProbes(sample.audit, sample);
        continue;
      }
      // Preparing again without closing the old task starts a new process.
      this.#prepared = null;
      const start = performance.now();
      const swapped = await this.#sample(instance, { mode: 'warm', at_least_s: 0, swapped: true });
      this.#prepared = null;
      const known = await this.#probeInNewProcess(instance);
      this.#unreported = null;
      if (swapped === null || known?.audit == null) return;
      this.#audits.addSwap(swapped.swapped_s, known.audit, (performance.now() - start) / 1000);
    }
  }

  /**
   * Makes as many calls in a new process as in the session's process, because a kernel may begin to cache late. Then
   * probes the new process.
   */
  async #probeInNewProcess(instance: number): Promise<TaskSample | null> {
    const until = performance.now() + 1000 * MAX_CATCHING_UP_S;
    const sampling = { mode: 'warm', at_least_s: this.#measuring.sample_s } as const;
    for (let left = this.#calls; left > 0 && performance.now() < until; ) {
      const sample = await this.#sample(instance, sampling);
      if (sample === null) return null;
      left -= sample.repetitions;
    }
    return this.#sample(instance, { ...sampling, audit: 'judged', probe: true });
  }

  #sample(instance: number, options: TaskSampleOptions): Promise<TaskSample | null> {
    return this.#withPrepared(instance, async () => {
      const sample = await this.#task.sample(options);
      this.#last = sample ?? this.#last;
      this.#trace = sample?.trace ?? this.#trace;
      return sample;
    });
  }

  /** Runs `work` on a prepared instance. Prepares it only if necessary. */
  async #withPrepared<T>(instance: number, work: () => Promise<T | null>): Promise<T | null> {
    const start = performance.now();
    const answered = await this.#call(async () => {
      if (this.#prepared === null) {
        this.#prepared = await this.#task.prepare(
          this.#measuring.seedOf(instance),
          this.#measuring.alterationOf(instance),
        );
        if (this.#prepared === null) return null;
        this.#unreported = this.#prepared;
        this.#isa = this.#prepared.isa;
      }
      return work();
    });
    this.#audits.addTime((performance.now() - start) / 1000);
    return answered;
  }

  async #call<T>(work: () => Promise<T | null>): Promise<T | null> {
    const { signal } = this.#measuring;
    if (signal?.aborted === true) return null;
    const cancel = (): void => this.#task.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      return await work();
    } catch (error) {
      throw errorFromNative(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }
}
