/**
 * Audits of one candidate in a session. In a random repetition of a sample, the engine poisons the outputs before it
 * and compares them after it. Probes then detect whether the candidate caches results by input.
 *
 * Also defines accuracy and terms of small measured workloads.
 */
import { randomInt } from 'node:crypto';
import {
  type Accuracy,
  type AuditCost,
  CACHED_RESULTS_CHECK,
  type SessionTerms,
} from '../../../contract/bench/session.ts';
import { groupedDigits } from '../../../domain/numbers.ts';
import type { HiddenChangeChecks, TaskAudit, TaskCheck, TaskSample, TaskVerdict } from '../../io/addon/task.ts';
import { median } from '../../model/bench/statistics.ts';
import { MemoryEvidence, type MemoryPairs, SUSPECT_RATIO } from '../varied-runs.ts';

/** Terms of the workload for tables. `swept`: path of the scenario value that a sweep changes. */
export const taskSessionTerms = (swept: string | undefined): SessionTerms => ({
  time: 'Time',
  timeTip: 'of one repetition',
  size: swept ?? 'sizes',
  rate: null,
});

/** Column titles of checks by id. The engine's titles are sentences, which become tooltips. */
const heads: Readonly<Record<string, string>> = {
  relative: 'Relative error',
  nan: 'NaN mismatches',
  mask: 'Mask mismatches',
  bits: 'Mask bits',
  largest: 'Largest error',
  l2: 'RMS error',
};

/** Sentences that replace the engine's titles of some checks, by id. */
const sentences: Readonly<Record<string, string>> = { l2: 'RMS error relative to the reference' };

export function taskAccuracy({ checks, compared }: Pick<TaskVerdict, 'checks' | 'compared'>): Accuracy[] {
  return checks.map(({ id, title, value, limit, holds, where }) => ({
    // JSON has no infinity, so an infinite error becomes null, for example after a sum has overflowed.
    ...{ id, value: value !== null && Number.isFinite(value) ? value : null, holds },
    title: heads[id] ?? title,
    tip: `${sentences[id] ?? title}: ${groupedDigits(compared)}${holds || where === '' ? '' : `; ${where}`}`,
    unit: '',
    bound: limit,
  }));
}

/** Maximum share of a candidate's time that audits may use. */
const MAX_SHARE = 0.08;

/**
 * Limits for detecting a slowed clock. The process of a kernel reads the same monotonic clock as this one, so the delay
 * of its messages is their transfer time. If the delay grows steadily, the process has slowed its clock while it
 * measured times. Single delays vary, because load on the machine may delay a message. The shortest delays in the
 * quarters of a session are therefore compared.
 */
const clock = { share: 0.25, slack_s: 0.05, parts: 4, samples: 16 } as const;

/** Number of initial probes, which are made as soon as the time for audits allows. Later probes are made at random. */
const FIRST_PROBES = 12;

/**
 * CPU load in cores that a process may use between calls, for its memory and messages. Less than `cpu_s` in total is no
 * evidence. The limit is low, because a thread that never sleeps gets only 0.1 core if 20 others share two.
 */
const idleLimits = { cores: 0.05, cpu_s: 0.1 } as const;

/**
 * Odds that the evidence from swaps must reach. They are lower than for probes, because each swap starts two processes
 * and is made only after other evidence.
 */
const SWAPPED_ODDS = 1e3;
const MAX_SWAPS = 40;

/** A check by the engine, and a description of the compared results. */
type NamedCheck = TaskCheck & { readonly compared: string };

/**
 * CPU time of an audit in seconds per byte of the state: copies on both sides and the comparison in FP64. Measured on
 * arrays of 64 MB and 537 MB.
 */
const AUDIT_S_PER_BYTE = 3e-9;

/** Properties of a candidate that determine its audits. */
interface AuditedCandidate {
  readonly device: 'cpu' | 'cuda';
  readonly suspected: boolean;
  readonly state_bytes: number;
}

type AuditedSample = Pick<TaskSample, 'audit' | 'hidden' | 'timed_s' | 'ended_ns' | 'received_ns' | 'between'>;

const WORTH_SAYING_S = 0.005;

/** Sums the cost of the audits of all candidates. Null if there were no audits. */
export function costOf(all: readonly AuditCost[]): AuditCost | null {
  const sum = (of: (one: AuditCost) => number): number => all.reduce((total, one) => total + of(one), 0);
  const [audits_s, others_s, all_s] = [sum((one) => one.audits_s), sum((one) => one.others_s), sum((one) => one.all_s)];
  return audits_s === 0 || all_s === 0 ? null : { audits_s, others_s, all_s };
}

export function costText({ audits_s, others_s, all_s }: AuditCost): string {
  const share = `${audits_s.toPrecision(2)} s, ${((100 * audits_s) / all_s).toFixed(1)} % of the time of all candidates`;
  return others_s < WORTH_SAYING_S ? share : `${share}; other problems before the rounds: ${others_s.toPrecision(2)} s`;
}

interface Delay {
  readonly delay_s: number;
  /** Sum of the timed seconds of all samples up to this message. */
  readonly timed_s: number;
}

const NEW_OVER_KNOWN = 'Time ratio of new to known inputs';

const times = (value: number): string => `${value.toPrecision(2)} times`;

export class Audits {
  readonly #worst = new Map<string, NamedCheck>();
  #probes = 0;
  /** Evidence from pairs of repetitions with the same new inputs: time of the first compared with the second. */
  readonly #again: MemoryEvidence;
  /**
   * Evidence from values that are changed within a sample. The candidate can notice the change only by reading the
   * values.
   */
  readonly #hidden: MemoryEvidence;
  /**
   * Evidence from swapped inputs: the time of an instance's inputs when another process first receives them, compared
   * with their times in samples.
   */
  readonly #swapped: MemoryEvidence;
  /**
   * Evidence from comparing times of new inputs with usual times in samples. It only raises suspicion, because the time
   * may depend on the inputs.
   */
  readonly #usual: MemoryEvidence;
  /** Delays of messages from the candidate's process. */
  readonly #delays: Delay[] = [];
  readonly #tried = new Set<string>();
  readonly #skipped = new Map<string, string>();
  #compared = '';
  #unwritten: { readonly count: number; readonly outputs: number; readonly first: number } | null = null;
  /** Index of the first result that was poisoned within a sample and then not written. Null if all were written. */
  #left: number | null = null;
  #inputsChanged = false;
  #audits = 0;
  /** Number of audits with altered inputs. */
  #altered = 0;
  #swaps = 0;
  /** CPU time of the process between its calls, while other candidates are timed. */
  readonly #between = { cpu_s: 0, elapsed_s: 0 };
  #samples = 0;
  #audit_s = 0;
  /** Cost of the latest audited sample in seconds. Before the first one, it is an estimate. */
  #last_s: number;
  #timed_s = 0;
  #spent_s = 0;
  #others_s = 0;

  /**
   * True for a user kernel. At least one of its samples is audited, and probes test whether it caches results. Shipped
   * variants are checked by the parity tests.
   */
  readonly #suspected: boolean;

  constructor({ device, suspected, state_bytes }: AuditedCandidate) {
    this.#suspected = suspected;
    this.#last_s = AUDIT_S_PER_BYTE * state_bytes;
    this.#again = new MemoryEvidence(device);
    this.#hidden = new MemoryEvidence(device);
    this.#swapped = new MemoryEvidence(device, SWAPPED_ODDS);
    this.#usual = new MemoryEvidence(device);
  }

  /**
   * Decides whether the next sample is audited, has a repetition with altered inputs, and ends with a probe. The choice
   * is random while there is time for audits.
   */
  planNextSample(): { readonly audited: boolean; readonly probed: boolean; readonly altered: boolean } {
    const required = this.#suspected && this.#audits === 0;
    const probed =
      this.#suspected && !this.#isWrong && this.#isAffordable && (this.#probes < FIRST_PROBES || randomInt(2) === 0);
    const audited = this.#isAffordable || required;
    const altered = audited && this.#suspected && (this.#altered === 0 || randomInt(2) === 0);
    return { audited, probed, altered };
  }

  /**
   * Whether results or inputs already prove that the candidate is wrong, so that probes for caching cannot change the
   * verdict.
   */
  get #isWrong(): boolean {
    if (this.#unwritten !== null || this.#left !== null || this.#inputsChanged) return true;
    return [...this.#worst.values()].some(({ holds }) => !holds);
  }

  /** Whether a further audit that needs as long as the last one stays within `MAX_SHARE`. */
  get #isAffordable(): boolean {
    return this.#audit_s + this.#last_s <= MAX_SHARE * (this.#spent_s + this.#last_s);
  }

  /**
   * Next check that can decide whether the kernel caches results: a probe, or a swap, which sends its inputs to another
   * process. Null if the verdict is certain.
   */
  get nextCheck(): 'probe' | 'swap' | null {
    if (!this.#suspected || this.#isWrong || this.#proof !== null) return null;
    if (this.#again.isOpen || this.#hidden.isOpen || this.#usual.isOpen) return 'probe';
    return this.#swaps < MAX_SWAPS && (this.#swapped.isOpen || this.#usual.proof !== null) ? 'swap' : null;
  }

  /**
   * Whether `nextCheck` may begin now. If caching is likely, it may exceed the time for audits: honest kernels rarely
   * look suspicious, and a kernel that caches is then detected immediately.
   */
  get mayDecide(): boolean {
    if (this.#isAffordable) return true;
    if (this.#again.isLikely || this.#hidden.isLikely) return true;
    return this.#swaps === 0 ? this.#usual.isLikely : this.#swapped.isOpen;
  }

  /**
   * Adds the time of one repetition with the inputs of an instance, in a process that had only other inputs before.
   * `known`: probes in a process that already had these inputs.
   */
  addSwap(first_s: number | null, known: TaskAudit, seconds: number): void {
    this.#swaps += 1;
    this.#audit_s += seconds;
    const usual = known.probes.flatMap(({ usual_s }) => (Number.isNaN(usual_s) ? [] : [usual_s]));
    if (first_s !== null && usual.length > 0) this.#swapped.add(first_s, median(usual));
    this.#addChecks(known.checks, known.compared, '');
    // A swap showed that times depend on the data, so discard the evidence from other inputs. Only times of new inputs
    // can raise the suspicion again.
    if (!this.#swapped.isOpen) this.#usual.clear();
  }

  /** Adds time that the candidate's calls needed. */
  addTime(seconds: number): void {
    this.#spent_s += seconds;
  }

  /** Adds time that was needed to solve further problems. */
  addFurtherTime(seconds: number): void {
    this.#others_s += seconds;
  }

  addSample({ audit, hidden, timed_s, ended_ns, received_ns, between }: AuditedSample): void {
    this.#between.cpu_s += between?.cpu_s ?? 0;
    this.#between.elapsed_s += between?.elapsed_s ?? 0;
    this.#samples += 1;
    this.#timed_s += timed_s;
    if (received_ns !== undefined) {
      this.#delays.push({ delay_s: (received_ns - ended_ns) * 1e-9, timed_s: this.#timed_s });
    }
    this.#addHiddenProbes(hidden);
    if (audit === null) return;
    this.#last_s = audit.seconds;
    this.#audit_s += audit.seconds;
    this.#addChecks(audit.checks, audit.compared, '');
    this.#addAudit(audit, true);
    if (audit.alteredChecks === undefined) return;
    this.#altered += 1;
    this.#addChecks(audit.alteredChecks, audit.compared, 'after some of the inputs changed');
  }

  /** Adds probes that decide whether the kernel caches, and the time of their sample. */
  addProbes(audit: TaskAudit, { hidden, timed_s }: Pick<TaskSample, 'hidden' | 'timed_s'>): void {
    this.#audit_s += audit.seconds + timed_s;
    this.#addHiddenProbes(hidden);
    this.#addChecks(audit.checks, audit.compared, '');
    this.#addAudit(audit, true);
  }

  #addHiddenProbes({ probes, unwritten, first_unwritten }: HiddenChangeChecks): void {
    for (const { changed_s, before_s } of probes) this.#hidden.add(changed_s, before_s);
    if (unwritten > 0) this.#left ??= first_unwritten;
  }

  get #proof(): MemoryPairs | null {
    if (!this.#suspected) return null;
    return this.#hidden.proof ?? this.#again.proof ?? this.#swapped.proof;
  }

  /** Evidence that neither proves nor refutes caching. */
  get #suspicion(): MemoryPairs | null {
    return (
      this.#hidden.suspicion ??
      this.#again.suspicion ??
      this.#swapped.suspicion ??
      this.#usual.suspicion ??
      this.#usual.proof
    );
  }

  /** Total time of audits in seconds. */
  get seconds(): number {
    return this.#audit_s;
  }

  /** Time of audits, and of all calls of the candidate including audits, in seconds. */
  get cost(): AuditCost {
    return { audits_s: this.#audit_s, others_s: this.#others_s, all_s: this.#spent_s };
  }

  /**
   * Adds a check made outside of the rounds. `of`: title of the problem, or empty for the session's problem. `same`:
   * whether it has the size of the session's problem.
   */
  addCheck(
    { checks, compared, audit }: Pick<TaskVerdict, 'checks' | 'compared' | 'audit'>,
    of = '',
    same = true,
  ): void {
    this.#addChecks(checks, compared, of);
    if (audit !== null) this.#addAudit(audit, same);
    if (of !== '') this.#tried.add(of);
  }

  /** Records a problem that could not be run. */
  addSkipped(of: string, reason: string): void {
    this.#skipped.set(of, reason);
  }

  /**
   * Accuracy columns, updated after every sample. One failed audit makes the candidate wrong. A check without a value
   * makes it not checked.
   */
  accuracy(): readonly Accuracy[] {
    const checks = [...this.#worst.values()].flatMap((check) =>
      taskAccuracy({ checks: [check], compared: check.compared }),
    );
    return [...checks, ...this.#violations(), ...this.#undecidedChecks()];
  }

  get compared(): string {
    return this.#compared;
  }

  /** Describes the audits in one sentence. Null before the first sample. */
  get summary(): string | null {
    if (this.#samples === 0) return null;
    const share = this.#spent_s > 0 ? (100 * this.#audit_s) / this.#spent_s : 0;
    const tried = this.#tried.size === 0 ? '' : `; also tried: ${[...this.#tried].join(', ')}`;
    const skipped = [...this.#skipped].map(([of, reason]) => `; not checked: ${of} (${reason})`).join('');
    const altered = this.#altered === 0 ? '' : `, ${this.#altered} with some inputs changed`;
    const audited = `${this.#audits} audits in ${this.#samples} samples${altered}, ${this.#probes} probes`;
    return `${audited}, ${share.toFixed(1)} % of its time${tried}${skipped}`;
  }

  #addChecks(checks: readonly TaskCheck[], compared: string, of: string): void {
    if (compared !== '') this.#compared ||= compared;
    for (const check of checks) {
      const before = this.#worst.get(check.id);
      // Retain the worse result of a check: a failed one, otherwise the one that is closest to its limit.
      const worse =
        before === undefined ||
        (before.holds && !check.holds) ||
        (before.holds === check.holds &&
          (check.value ?? Number.NaN) / check.limit > (before.value ?? 0) / before.limit);
      if (worse) this.#worst.set(check.id, { ...check, compared: of === '' ? compared : `${compared}, ${of}` });
    }
  }

  #addAudit({ unwritten, outputs, first_unwritten, inputs_changed, probes }: TaskAudit, same: boolean): void {
    this.#audits += 1;
    if (unwritten > (this.#unwritten?.count ?? 0)) {
      this.#unwritten = { count: unwritten, outputs, first: first_unwritten };
    }
    this.#inputsChanged ||= inputs_changed;
    // Ignore times of problems of other sizes, because small ones are too fast for caching to save time.
    if (!same) return;
    this.#probes += probes.length;
    for (const { fresh_s, again_s, usual_s } of probes) {
      this.#again.add(fresh_s, again_s);
      if (!Number.isNaN(usual_s)) this.#usual.add(fresh_s, usual_s);
    }
  }

  #violations(): Accuracy[] {
    const out: Accuracy[] = [];
    const add = (id: string, title: string, tip: string, value: number, bound: number): void => {
      out.push({ id, title, tip, unit: '', value, bound, holds: false });
    };
    if (this.#unwritten !== null) {
      const { count, outputs, first } = this.#unwritten;
      const tip = `${Math.min(count, outputs)} of ${outputs} results were not written in an audited repetition, the first at ${first}`;
      add('unwritten', 'Unwritten results', tip, count, 0);
    } else if (this.#left !== null) {
      const tip = `Result ${this.#left} was not written in a repetition within a sample`;
      add('unwritten', 'Unwritten results', tip, 1, 0);
    }
    if (this.#inputsChanged) {
      add(
        'inputs',
        'Inputs changed',
        'A repetition wrote to its inputs, which changed the problem for later repetitions',
        1,
        0,
      );
    }
    const proof = this.#proof;
    if (proof !== null) {
      const { ratio, longer, pairs } = proof;
      const tip = `New inputs take ${times(ratio)} as long as known inputs, so it remembers results`;
      add(CACHED_RESULTS_CHECK, NEW_OVER_KNOWN, `${tip} (${longer} of ${pairs} probes)`, ratio, SUSPECT_RATIO);
    }
    const { cpu_s, elapsed_s } = this.#between;
    if (cpu_s > idleLimits.cpu_s && cpu_s > idleLimits.cores * elapsed_s) {
      const busy = `${cpu_s.toPrecision(2)} s of CPU time in ${elapsed_s.toPrecision(2)} s`;
      const tip = `Its process was busy between its calls, while others were timed: ${busy}. This inflates their times; end its threads within each call`;
      add('between', 'Cores between calls', tip, cpu_s / elapsed_s, idleLimits.cores);
    }
    const slowed_s = this.#clockLag_s();
    if (slowed_s !== null) {
      const tip = `The clock of its process lost ${slowed_s.toPrecision(2)} s compared with the host's clock within the samples`;
      add('clock', 'Clock slowed', tip, slowed_s, clock.slack_s);
    }
    return out;
  }

  /** Returns a check without a value if caching is neither proven nor refuted. */
  #undecidedChecks(): Accuracy[] {
    const hint = this.#suspicion;
    if (!this.#suspected || this.#proof !== null || hint === null) return [];
    const { ratio, longer, pairs } = hint;
    const tip = `It may remember results: new inputs took ${times(ratio)} as long in ${longer} of ${pairs} probes. A longer session or an idle machine would decide`;
    return [
      {
        id: CACHED_RESULTS_CHECK,
        title: NEW_OVER_KNOWN,
        tip,
        unit: '',
        value: null,
        bound: SUSPECT_RATIO,
        holds: true,
      },
    ];
  }

  /**
   * Seconds by which the kernel's clock fell behind in total. Null unless it fell behind in every quarter of the
   * session.
   */
  #clockLag_s(): number | null {
    const length = Math.floor(this.#delays.length / clock.parts);
    if (this.#delays.length < clock.samples) return null;
    const quarters = Array.from({ length: clock.parts }, (_, i) => {
      const all = this.#delays.slice(i * length, (i + 1) * length);
      return { least_s: Math.min(...all.map(({ delay_s }) => delay_s)), timed_s: all[0]?.timed_s ?? 0 };
    });
    const fell = quarters.slice(1).map((quarter, i) => ({
      lost_s: quarter.least_s - (quarters[i]?.least_s ?? 0),
      timed_s: quarter.timed_s - (quarters[i]?.timed_s ?? 0),
    }));
    const lost_s = fell.reduce((sum, one) => sum + one.lost_s, 0);
    const each = fell.every((one) => one.lost_s > clock.share * one.timed_s);
    return each && lost_s > clock.slack_s ? lost_s : null;
  }
}
