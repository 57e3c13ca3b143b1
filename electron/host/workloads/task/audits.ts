/**
 * Audits of one candidate in a session. The engine draws one repetition of a sample, poisons the outputs before it and
 * compares them after it. Probes then show whether the candidate remembers its inputs.
 */
import { randomInt } from 'node:crypto';
import type { Accuracy } from '../../../contract/bench/session.ts';
import type { HiddenChanges, TaskAudit, TaskCheck, TaskSample, TaskVerdict } from '../../io/addon/task.ts';
import { median } from '../../model/bench/statistics.ts';
import { MemoryEvidence, REMEMBERS_FROM } from '../memory-evidence.ts';
import { taskAccuracy } from './accuracy.ts';

/** Share of a candidate's time that audits may use. */
const MOST_SHARE = 0.08;

/**
 * A kernel's process reads the same steady clock as this one, so that a message is as late as it was under way. Where it
 * reads less and less, its clock has been slowed by a share of what it timed. The least delays of the quarters of a session
 * are compared, as delays themselves vary: a machine that becomes busy delays messages once, a slow clock in each quarter.
 */
const clock = { share: 0.25, slack_s: 0.05, parts: 4, samples: 16 } as const;

/** Probes that are taken as soon as there is time for them. */
const FIRST_PROBES = 12;

/** Each swap starts two processes, and follows other evidence: fewer decide. */
const SWAPPED_ODDS = 1e3;
const MOST_SWAPS = 40;

/** The engine's check, with what was compared. */
type Named = TaskCheck & { readonly compared: string };

type Audited = Pick<TaskSample, 'audit' | 'hidden' | 'timed_s' | 'ended_ns' | 'received_ns'>;

export interface AuditCost {
  readonly audits_s: number;
  readonly all_s: number;
}

/** Cost of audits in a session, in words; null if there were none. */
export function costText(all: readonly AuditCost[]): string | null {
  const audits_s = all.reduce((sum, one) => sum + one.audits_s, 0);
  const all_s = all.reduce((sum, one) => sum + one.all_s, 0);
  if (audits_s === 0 || all_s === 0) return null;
  return `${audits_s.toPrecision(2)} s, ${((100 * audits_s) / all_s).toFixed(1)} % of the time of all candidates`;
}

interface Delay {
  readonly delay_s: number;
  /** Timed until then. */
  readonly timed_s: number;
}

const times = (value: number): string => `${value.toPrecision(2)} times`;

export class Audits {
  readonly #worst = new Map<string, Named>();
  #probes = 0;
  /** From the same inputs once more. */
  readonly #again: MemoryEvidence;
  /** From changes within a sample, which nothing but the values shows. */
  readonly #hidden: MemoryEvidence;
  /** From the inputs of an instance: as another process has them for the first time, and as it has them in its samples. */
  readonly #swapped: MemoryEvidence;
  /** The same against other inputs, whose computation may be another: no proof. */
  readonly #usual: MemoryEvidence;
  /** Delays of messages. */
  readonly #delays: Delay[] = [];
  readonly #tried = new Set<string>();
  readonly #skipped = new Map<string, string>();
  #compared = '';
  #unwritten: { readonly count: number; readonly outputs: number; readonly first: number } | null = null;
  /** The first result that was poisoned within a sample and not written. */
  #left: number | null = null;
  #inputsChanged = false;
  #audits = 0;
  #swaps = 0;
  #samples = 0;
  #audit_s = 0;
  #timed_s = 0;
  #spent_s = 0;

  /** `device`: where the candidate computes. */
  constructor(device: 'cpu' | 'cuda') {
    this.#again = new MemoryEvidence(device);
    this.#hidden = new MemoryEvidence(device);
    this.#swapped = new MemoryEvidence(device, SWAPPED_ODDS);
    this.#usual = new MemoryEvidence(device);
  }

  /** Whether the next sample is audited and ends with a probe. Both are drawn while the time for them lasts. */
  next(): { readonly audited: boolean; readonly probed: boolean } {
    const affordable = this.#audit_s <= MOST_SHARE * this.#spent_s;
    const probed = affordable && (this.#probes < FIRST_PROBES || randomInt(2) === 0);
    return { audited: affordable || this.#audits === 0, probed };
  }

  /**
   * The check that would decide whether the kernel remembers results: more probes, or its inputs in another process.
   * Null if all is decided.
   */
  get doubt(): 'probe' | 'swap' | null {
    if (this.#proof !== null) return null;
    if (this.#again.isOpen || this.#hidden.isOpen || this.#usual.isOpen) return 'probe';
    return this.#swaps < MOST_SWAPS && (this.#swapped.isOpen || this.#usual.proof !== null) ? 'swap' : null;
  }

  /** One repetition with the inputs of an instance in a process that had others until then, and `known` in one that had not. */
  swapped(first_s: number | null, known: TaskAudit, seconds: number): void {
    this.#swaps += 1;
    this.#audit_s += seconds;
    const usual = known.probes.flatMap(({ usual_s }) => (Number.isNaN(usual_s) ? [] : [usual_s]));
    if (first_s !== null && usual.length > 0) this.#swapped.add(first_s, median(usual));
    this.#take(known.checks, known.compared, '');
    // Its repetitions depend on their data: only other inputs raise the question again.
    if (!this.#swapped.isOpen) this.#usual.clear();
  }

  /** Counts what the candidate's calls took in all. */
  spent(seconds: number): void {
    this.#spent_s += seconds;
  }

  sampled({ audit, hidden, timed_s, ended_ns, received_ns }: Audited): void {
    this.#samples += 1;
    this.#timed_s += timed_s;
    if (received_ns !== undefined) {
      this.#delays.push({ delay_s: (received_ns - ended_ns) * 1e-9, timed_s: this.#timed_s });
    }
    this.#changed(hidden);
    if (audit === null) return;
    this.#audit_s += audit.seconds;
    this.#take(audit.checks, audit.compared, '');
    this.#found(audit, true);
  }

  /** Probes in answer to a doubt, and what their sample took outside of them. */
  probed(audit: TaskAudit, { hidden, timed_s }: Pick<TaskSample, 'hidden' | 'timed_s'>): void {
    this.#audit_s += audit.seconds + timed_s;
    this.#changed(hidden);
    this.#take(audit.checks, audit.compared, '');
    this.#found(audit, true);
  }

  #changed({ probes, unwritten, first_unwritten }: HiddenChanges): void {
    for (const { changed_s, before_s } of probes) this.#hidden.add(changed_s, before_s);
    if (unwritten > 0) this.#left ??= first_unwritten;
  }

  get #proof() {
    return this.#hidden.proof ?? this.#again.proof ?? this.#swapped.proof;
  }

  /** Seconds of audits so far. */
  get seconds(): number {
    return this.#audit_s;
  }

  /** Seconds of audits, and of all calls of the candidate with them. */
  get cost(): AuditCost {
    return { audits_s: this.#audit_s, all_s: this.#spent_s };
  }

  /** A check outside of the rounds; `of` names the problem where it is not the session's own, which may be smaller. */
  checked({ checks, compared, audit }: Pick<TaskVerdict, 'checks' | 'compared' | 'audit'>, of = '', same = true): void {
    this.#take(checks, compared, of);
    if (audit !== null) this.#found(audit, same);
    if (of !== '') this.#tried.add(of);
  }

  /** A problem that could not be tried. */
  skipped(of: string, reason: string): void {
    this.#skipped.set(of, reason);
  }

  /** Judged again after every sample: one audit that fails makes the candidate wrong. */
  accuracy(): readonly Accuracy[] {
    const checks = [...this.#worst.values()].flatMap((check) =>
      taskAccuracy({ checks: [check], compared: check.compared }),
    );
    return [...checks, ...this.#violations()];
  }

  get compared(): string {
    return this.#compared;
  }

  /** Summary of the audits, in words; null before the first sample. */
  get summary(): string | null {
    if (this.#samples === 0) return null;
    const share = this.#spent_s > 0 ? (100 * this.#audit_s) / this.#spent_s : 0;
    const tried = this.#tried.size === 0 ? '' : `; also tried: ${[...this.#tried].join(', ')}`;
    const skipped = [...this.#skipped].map(([of, reason]) => `; not checked: ${of} (${reason})`).join('');
    const audited = `${this.#audits} audits in ${this.#samples} samples, ${this.#probes} probes`;
    return `${audited}, ${share.toFixed(1)} % of its time${tried}${skipped}`;
  }

  #take(checks: readonly TaskCheck[], compared: string, of: string): void {
    if (compared !== '') this.#compared ||= compared;
    for (const check of checks) {
      const before = this.#worst.get(check.id);
      // A failure stays the one that is shown; of two values the larger share of its limit counts.
      const worse =
        before === undefined ||
        (before.holds && !check.holds) ||
        (before.holds === check.holds &&
          (check.value ?? Number.NaN) / check.limit > (before.value ?? 0) / before.limit);
      if (worse) this.#worst.set(check.id, { ...check, compared: of === '' ? compared : `${compared}, ${of}` });
    }
  }

  #found({ unwritten, outputs, first_unwritten, inputs_changed, probes }: TaskAudit, same: boolean): void {
    this.#audits += 1;
    if (unwritten > (this.#unwritten?.count ?? 0)) {
      this.#unwritten = { count: unwritten, outputs, first: first_unwritten };
    }
    this.#inputsChanged ||= inputs_changed;
    // Small problems leave nothing to save by remembering.
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
      const tip = `${Math.min(count, outputs)} of ${outputs} results were not written by an audited repetition, the first at ${first}`;
      add('unwritten', 'Unwritten results', tip, count, 0);
    } else if (this.#left !== null) {
      const tip = `Result ${this.#left} was not written by a repetition within a sample`;
      add('unwritten', 'Unwritten results', tip, 1, 0);
    }
    if (this.#inputsChanged) {
      add('inputs', 'Inputs changed', 'A repetition wrote to its inputs: later repetitions had another problem', 1, 0);
    }
    const proof = this.#proof;
    if (proof !== null) {
      const { ratio, longer, pairs } = proof;
      const tip = `Inputs that it has not seen take ${times(ratio)} as long as inputs that it has: it remembers results`;
      add('remembers', 'New over known inputs', `${tip} (${longer} of ${pairs} probes)`, ratio, REMEMBERS_FROM);
    }
    const slowed_s = this.#slowed();
    if (slowed_s !== null) {
      const tip = `The clock of its process lost ${slowed_s.toPrecision(2)} s against this one's within the samples`;
      add('clock', 'Clock slowed', tip, slowed_s, clock.slack_s);
    }
    return out;
  }

  /** Seconds by which the kernel's clock fell behind in each quarter of the session; null where it did not. */
  #slowed(): number | null {
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
