/** A variant of a small measured workload in a session: prepared on demand and timed as often as requested. */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { type DeviceTrace, fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { findGpu, usedGpu } from '../../io/addon/gpu.ts';
import type {
  NativeTask,
  TaskPreparation,
  TaskQuantity,
  TaskSample,
  TaskSampling,
  TaskVerdict,
} from '../../io/addon/task.ts';
import type { ColdRun } from '../../model/bench/cold/process.ts';
import type { Contestant, Known, Taken } from '../../model/bench/contestant.ts';
import { keptRecording } from '../../model/recording/kept.ts';
import { type AuditCost, Audits } from './audits.ts';
import type { TaskCandidate } from './candidates.ts';
import type { FurtherProblem } from './further.ts';

/** Long against a clock's steps and a launch, short against a change of the GPU's clock. */
export const usualSample_s = 0.01;

/** Repetitions of a traced sample: few, because a trace is looked at. */
const traced_s = 1e-3;

/** With equal inputs, before the rounds: whether the result is the same every time. */
const checkedRuns = 3;

/** Seconds after one sample. */
const MOST_DECIDING_S = 20;

/** Seconds in which a new process makes up for the calls that the session's own has had. */
const MOST_CATCHING_UP_S = 0.5;

/** Shorter samples for further problems: their probes are what is wanted. */
const furtherSample_s = 1e-3;

/** Set-up and one repetition; null for a user kernel. */
export function coldRunOf({ variant, problem }: TaskCandidate): ColdRun | null {
  if (isUserKernelId(variant.id)) return null;
  const sample = { method: 'sample', args: [{ mode: 'warm', at_least_s: 0 }], reports: false };
  return { factory: 'createTask', problem, calls: [{ method: 'prepare', args: [], reports: false }, sample] };
}

function takenOf(
  { time_s, repetitions, device_s, wall_s, clocks }: TaskSample,
  prepared: TaskPreparation | null,
  told?: readonly TaskQuantity[],
): Taken {
  return {
    ...{ time_s, repetitions, device_s, clocks },
    host_s: wall_s,
    setup_s: prepared?.setup_s ?? null,
    wall_s: null,
    parts: new Map((prepared?.setup_parts ?? []).map(({ name, seconds }) => [name, seconds])),
    values: null,
    ...(told !== undefined && { told }),
  };
}

export interface TaskMeasuring {
  readonly sample_s: number;
  /** Seed of the inputs of an instance. Nobody can know it before; all candidates of a session have the same. */
  readonly seedOf: (instance: number) => number;
  /** Problems that a user kernel must solve correctly too; none for a shipped variant, which the parity tests check. */
  readonly further: readonly FurtherProblem[];
  /** Stays prepared between samples; otherwise every sample is of a state made for it. */
  readonly keep: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Sampled {
  readonly mode: Mode;
  readonly instance: number;
  /** Whether it reports on itself after the timing. */
  readonly tell: boolean;
  readonly keep: boolean;
}

/** Every call gives null once the signal is aborted. Throws BraggErrors. */
export class TaskContestant implements Contestant {
  readonly prepare?: (instance: number) => Promise<boolean>;
  readonly #task: NativeTask;
  readonly #addon: NativeAddon;
  readonly #candidate: TaskCandidate;
  readonly #measuring: TaskMeasuring;
  #prepared: TaskPreparation | null = null;
  /** The last preparation, until the next sample reports it. */
  #untold: TaskPreparation | null = null;
  #isa = '';
  readonly #audits: Audits;
  #verdict: TaskVerdict | null = null;
  #last: Pick<TaskSample, 'spans' | 'origin_ns'> | null = null;
  #trace: DeviceTrace | null = null;
  /** Repetitions in samples so far. */
  #calls = 0;

  constructor(addon: NativeAddon, candidate: TaskCandidate, measuring: TaskMeasuring) {
    try {
      this.#task = addon.createTask(candidate.problem);
    } catch (error) {
      throw fromNative(error);
    }
    this.#addon = addon;
    this.#candidate = candidate;
    this.#audits = new Audits(candidate.variant.device);
    this.#measuring = measuring;
    if (measuring.keep) this.prepare = (instance) => this.#prepareAgain(instance);
  }

  first(): Promise<Taken | null> {
    return this.#sampled({ mode: 'warm', instance: 0, tell: false, keep: true });
  }

  take(mode: Mode, instance = 0): Promise<Taken | null> {
    // Reports are saved for warm samples only.
    return this.#sampled({ mode, instance, tell: mode === 'warm', keep: this.#measuring.keep });
  }

  async answer() {
    const verdict = await this.#ready(0, () => this.#task.check(checkedRuns));
    this.#verdict = verdict;
    if (verdict === null) return null;
    this.#audits.checked(verdict);
    if (!this.#measuring.keep) await this.close();
    for (const further of this.#measuring.further) {
      if (!(await this.#alsoSolves(further))) return null;
    }
    // Its result stays in the engine, which compares it with an FP64 reference.
    return { values: null };
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
    return this.#checked.quantities.map((quantity) => ({ ...quantity }));
  }

  known(): Known {
    const { runs, bitwise, hash, work } = this.#checked;
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
    if (!this.#measuring.keep) await this.close();
    return sample?.traceReason ?? null;
  }

  recording() {
    const last = this.#last;
    if (last === null) return null;
    const head = { label: this.#candidate.label, device: this.#deviceName };
    const recorded = { spans: last.spans, trace: this.#trace };
    return { origin_ns: last.origin_ns, kept: (shift_ns: number) => keptRecording(head, recorded, shift_ns) };
  }

  /** Frees its memory; the next sample prepares it again. */
  async close(): Promise<void> {
    if (this.#prepared === null) return;
    this.#prepared = null;
    await this.#task.close();
  }

  get #deviceName(): string | null {
    const { gpu, variant } = this.#candidate;
    if (variant.device === 'cpu') return null;
    const report = this.#addon.devices();
    const used = gpu === null ? usedGpu(report) : findGpu(report.cuda.devices, String(gpu));
    return used?.name ?? 'GPU';
  }

  get #checked(): TaskVerdict {
    if (this.#verdict === null) throw new Error(`${this.#candidate.label} was asked before it was checked`);
    return this.#verdict;
  }

  /** Checks it on a problem of its own; false when it was cancelled. */
  async #alsoSolves({ title, problem, sameSize, optional }: FurtherProblem): Promise<boolean> {
    let again: NativeTask | null = null;
    const cancel = (): void => again?.cancel();
    const { signal } = this.#measuring;
    signal?.addEventListener('abort', cancel);
    try {
      again = this.#addon.createTask({ ...problem, variant: this.#candidate.variant.id });
      if ((await again.prepare()) === null) return false;
      const verdict = await again.check(1);
      if (verdict === null) return false;
      this.#audits.checked(verdict, title);
      const probe = await again.sample({ mode: 'warm', at_least_s: furtherSample_s, audit: 'judged', probe: true });
      if (probe?.audit != null) this.#audits.checked({ ...probe.audit, audit: probe.audit }, title, sameSize);
      await again.close();
      return true;
    } catch (error) {
      const reason = fromNative(error);
      // A problem that the scenario's program or variant does not know says nothing of the kernel.
      if (!optional(reason)) throw new BraggError(reason.code, `${title}: ${reason.message}`, reason.issues);
      this.#audits.skipped(title, reason.message);
      return true;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Frees its memory and prepares it with the inputs of an instance, wherever that then lies; false when cancelled. */
  async #prepareAgain(instance: number): Promise<boolean> {
    await this.close();
    return (await this.#ready(instance, async () => true)) === true;
  }

  async #sampled({ mode, instance, tell, keep }: Sampled): Promise<Taken | null> {
    const { audited, probed } = this.#audits.next();
    const sample = await this.#sample(instance, {
      ...{ mode, clocks: true, hide: true, at_least_s: this.#measuring.sample_s },
      ...(audited && { audit: 'judged' as const, probe: probed }),
    });
    if (sample !== null) {
      this.#calls += sample.repetitions;
      this.#audits.sampled(sample);
      await this.#decide(instance);
    }
    // After the time: some repeat their work to tell of it.
    const told = sample === null || !tell ? undefined : await this.#ready(instance, () => this.#task.told());
    const prepared = this.#untold;
    this.#untold = null;
    if (!keep) await this.close();
    return sample === null || told === null ? null : takenOf(sample, prepared, told);
  }

  /** Proves or refutes that the kernel remembers results, at once and outside of the timing. */
  async #decide(instance: number): Promise<void> {
    const { seconds } = this.#audits;
    for (let doubt = this.#audits.doubt; doubt !== null; doubt = this.#audits.doubt) {
      if (this.#audits.seconds - seconds > MOST_DECIDING_S) return;
      if (doubt === 'probe') {
        const probing = { mode: 'warm', at_least_s: 0, audit: 'judged', probe: true, hide: true } as const;
        const sample = await this.#sample(instance, probing);
        if (sample?.audit == null) return;
        this.#audits.probed(sample.audit, sample);
        continue;
      }
      // Preparing what is not closed begins another process.
      this.#prepared = null;
      const start = performance.now();
      const swapped = await this.#sample(instance, { mode: 'warm', at_least_s: 0, swapped: true });
      this.#prepared = null;
      const known = await this.#known(instance);
      this.#untold = null;
      if (swapped === null || known?.audit == null) return;
      this.#audits.swapped(swapped.swapped_s, known.audit, (performance.now() - start) / 1000);
    }
  }

  /** A probe in a new process that has had as many calls as the session's own: a kernel may begin to remember late. */
  async #known(instance: number): Promise<TaskSample | null> {
    const until = performance.now() + 1000 * MOST_CATCHING_UP_S;
    const sampling = { mode: 'warm', at_least_s: this.#measuring.sample_s } as const;
    for (let left = this.#calls; left > 0 && performance.now() < until; ) {
      const sample = await this.#sample(instance, sampling);
      if (sample === null) return null;
      left -= sample.repetitions;
    }
    return this.#sample(instance, { ...sampling, audit: 'judged', probe: true });
  }

  #sample(instance: number, options: TaskSampling): Promise<TaskSample | null> {
    return this.#ready(instance, async () => {
      const sample = await this.#task.sample(options);
      this.#last = sample ?? this.#last;
      this.#trace = sample?.trace ?? this.#trace;
      return sample;
    });
  }

  /** An instance that is prepared stays: its inputs change with the next preparation. */
  async #ready<T>(instance: number, work: () => Promise<T | null>): Promise<T | null> {
    const start = performance.now();
    const answered = await this.#call(async () => {
      if (this.#prepared === null) {
        this.#prepared = await this.#task.prepare(this.#measuring.seedOf(instance));
        if (this.#prepared === null) return null;
        this.#untold = this.#prepared;
        this.#isa = this.#prepared.isa;
      }
      return work();
    });
    this.#audits.spent((performance.now() - start) / 1000);
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
      throw fromNative(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }
}
