/**
 * Audits of one candidate in a session. The engine draws one repetition of a sample, poisons the outputs before it and
 * compares them after it. Probes then show whether the candidate remembers its inputs.
 */
import { randomInt } from 'node:crypto';
import type { Accuracy } from '../../../contract/bench/session.ts';
import type { MemoryProbe, TaskAudit, TaskCheck, TaskSample, TaskVerdict } from '../../io/addon/task.ts';
import { median } from '../../model/bench/statistics.ts';
import { taskAccuracy } from './accuracy.ts';

/** Share of a candidate's time that audits may use. */
const MOST_SHARE = 0.08;

/** An implementation that computes needs equally long for inputs that it has seen; noise stays well below this. */
const REMEMBERS_FROM = 1.5;

/** Repetitions that depend on their data take different times for different inputs: only far more is evidence. */
const SKIPS_FROM = 4;

/**
 * A processor learns the branches of inputs that it has seen, some thousands of them, at about 5 ns each. A kernel that
 * remembers saves more than that, in seconds.
 */
const LEARNED_S = 2e-5;

/** A few long repetitions decide, and many short ones, whose single times vary. */
const enough = { long_s: 1e-4, long: 3, short: 12 } as const;

/**
 * A kernel's process reads the same steady clock as this one, so that a message is as late as it was under way. Where it
 * reads less and less, its clock has been slowed by a share of what it timed. The least delays of both halves of a session
 * are compared, as delays themselves vary.
 */
const clock = { share: 0.25, slack_s: 0.05, samples: 16 } as const;

/** The engine's check, with what was compared. */
type Named = TaskCheck & { readonly compared: string };

const lowerQuartile = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN;

type Audited = Pick<TaskSample, 'audit' | 'timed_s' | 'ended_ns' | 'received_ns'>;

interface Delay {
  readonly delay_s: number;
  /** Timed until then. */
  readonly timed_s: number;
}

const times = (value: number): string => `${value.toPrecision(2)} times`;

export class Audits {
  readonly #worst = new Map<string, Named>();
  readonly #probes: MemoryProbe[] = [];
  /** Delays of messages. */
  readonly #delays: Delay[] = [];
  readonly #tried = new Set<string>();
  readonly #skipped = new Map<string, string>();
  #compared = '';
  #unwritten: { readonly count: number; readonly outputs: number; readonly first: number } | null = null;
  #inputsChanged = false;
  #audits = 0;
  #samples = 0;
  #audit_s = 0;
  #timed_s = 0;
  #spent_s = 0;

  /** Whether the next sample is audited and ends with a probe. Both are drawn while the time for them lasts. */
  next(): { readonly audited: boolean; readonly probed: boolean } {
    const affordable = this.#audit_s <= MOST_SHARE * this.#spent_s;
    const probed = affordable && (this.#probes.length < enough.short || randomInt(2) === 0);
    return { audited: affordable || this.#audits === 0, probed };
  }

  /** Counts what the candidate's calls took in all. */
  spent(seconds: number): void {
    this.#spent_s += seconds;
  }

  sampled({ audit, timed_s, ended_ns, received_ns }: Audited): void {
    this.#samples += 1;
    this.#timed_s += timed_s;
    if (received_ns !== undefined) {
      this.#delays.push({ delay_s: (received_ns - ended_ns) * 1e-9, timed_s: this.#timed_s });
    }
    if (audit === null) return;
    this.#audit_s += audit.seconds;
    this.#take(audit.checks, audit.compared, '');
    this.#found(audit, true);
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

  /** What was audited, in words; null before the first sample. */
  get summary(): string | null {
    if (this.#samples === 0) return null;
    const share = this.#spent_s > 0 ? (100 * this.#audit_s) / this.#spent_s : 0;
    const tried = this.#tried.size === 0 ? '' : `; also tried: ${[...this.#tried].join(', ')}`;
    const skipped = [...this.#skipped].map(([of, reason]) => `; not checked: ${of} (${reason})`).join('');
    const audited = `${this.#audits} audits in ${this.#samples} samples, ${this.#probes.length} probes`;
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
    if (same) this.#probes.push(...probes);
  }

  #violations(): Accuracy[] {
    const out: Accuracy[] = [];
    const add = (id: string, title: string, tip: string, value: number, bound: number): void => {
      out.push({ id, title, tip, unit: '', value, bound, holds: false });
    };
    if (this.#unwritten !== null) {
      const { count, outputs, first } = this.#unwritten;
      const tip = `${count} of ${outputs} results were not written by an audited repetition, the first at ${first}`;
      add('unwritten', 'Unwritten results', tip, count, 0);
    }
    if (this.#inputsChanged) {
      add('inputs', 'Inputs changed', 'A repetition wrote to its inputs: later repetitions had another problem', 1, 0);
    }
    const ratio = (fresh_s: number, known_s: number): number => (fresh_s - known_s < LEARNED_S ? 1 : fresh_s / known_s);
    const again = this.#ratios(({ fresh_s, again_s }) => ratio(fresh_s, again_s));
    const usual = this.#ratios(({ fresh_s, usual_s }) => ratio(fresh_s, usual_s));
    const remembers = again !== null && median(again) > REMEMBERS_FROM && lowerQuartile(again) > 1.25;
    const skips = usual !== null && median(usual) > SKIPS_FROM && lowerQuartile(usual) > SKIPS_FROM / 2;
    if (remembers || skips) {
      const [all, limit] = remembers ? [again, REMEMBERS_FROM] : [usual ?? [], SKIPS_FROM];
      const value = median(all);
      const tip = `Inputs that it has not seen take ${times(value)} as long as inputs that it has: it remembers results`;
      add('remembers', 'New over known inputs', `${tip} (median of ${all.length} probes)`, value, limit);
    }
    const slowed_s = this.#slowed();
    if (slowed_s !== null) {
      const tip = `The clock of its process lost ${slowed_s.toPrecision(2)} s against this one's within the samples`;
      add('clock', 'Clock slowed', tip, slowed_s, clock.slack_s);
    }
    return out;
  }

  /** Seconds by which the kernel's clock fell behind between the halves of the session; null where it did not. */
  #slowed(): number | null {
    const middle = Math.floor(this.#delays.length / 2);
    if (this.#delays.length < clock.samples) return null;
    const least = (all: readonly Delay[]): number => Math.min(...all.map(({ delay_s }) => delay_s));
    const lost_s = least(this.#delays.slice(middle)) - least(this.#delays.slice(0, middle));
    const timed_s = (this.#delays[middle]?.timed_s ?? 0) - (this.#delays[0]?.timed_s ?? 0);
    return lost_s > clock.slack_s && lost_s > clock.share * timed_s ? lost_s : null;
  }

  /** Null before there are enough of them. */
  #ratios(of: (probe: MemoryProbe) => number): readonly number[] | null {
    const typical_s = this.#probes.length === 0 ? 0 : median(this.#probes.map(({ fresh_s }) => fresh_s));
    const wanted = typical_s >= enough.long_s ? enough.long : enough.short;
    return this.#probes.length < wanted ? null : this.#probes.map(of);
  }
}
