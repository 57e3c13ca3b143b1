/**
 * Audits of a user kernel that solves one problem from its beginning in every sample. It also solves slightly different
 * problems that nobody can know before. One of them is compared with FP64. The times of pairs show whether it remembers.
 */
import { randomInt } from 'node:crypto';
import type { Accuracy } from '../../contract/bench/session.ts';
import type { Values } from '../model/bench/parity.ts';
import { MemoryEvidence, REMEMBERS_FROM } from './memory-evidence.ts';

interface Run {
  readonly values: Values;
  readonly time_s: number;
}

interface Varied {
  /** In words: `a beam energy 0.2 % lower`. */
  readonly title: (share: number) => string;
  /** Solves the problem varied by a share in [0, 1), 0 as it is; null when it was cancelled. */
  readonly run: (share: number) => Promise<Run | null>;
  /** Checks of an answer to the problem varied by that share, against FP64. */
  readonly judge: (run: Run, share: number) => Promise<readonly Accuracy[]>;
}

/** Share of the kernel's time that pairs may use. */
const MOST_SHARE = 0.08;

/** Pairs in one go that decide whether what looks like memory is. */
const MOST_DECIDING = 60;

const share = (): number => randomInt(1, 1_000_000) / 1e6;

export class VariedRuns {
  readonly #varied: Varied;
  readonly #failed: Accuracy[] = [];
  readonly #again = new MemoryEvidence('cpu');
  /** Against the session's own problem. */
  readonly #usual = new MemoryEvidence('cpu');
  #pairs = 0;
  #checked: string | null = null;
  #audit_s = 0;
  #spent_s = 0;

  constructor(varied: Varied) {
    this.#varied = varied;
  }

  /** Solves another problem once and compares it; false when it was cancelled. */
  async check(): Promise<boolean> {
    const by = share();
    const run = await this.#varied.run(by);
    if (run === null) return false;
    const title = this.#varied.title(by);
    const checks = await this.#varied.judge(run, by);
    this.#failed.push(
      ...checks.filter(({ holds }) => !holds).map((one) => ({ ...one, tip: `${one.tip}, with ${title}` })),
    );
    this.#checked = checks.length === 0 ? null : title;
    return true;
  }

  /** After a sample: now and then the time of a new problem is compared with that of the same once more. */
  async sampled(time_s: number): Promise<boolean> {
    this.#spent_s += time_s;
    if (this.#audit_s > MOST_SHARE * this.#spent_s || randomInt(2) === 0) return true;
    for (let i = 0; i === 0 || (i < MOST_DECIDING && (this.#again.isOpen || this.#usual.isOpen)); i += 1) {
      const by = share();
      const fresh = await this.#varied.run(by);
      const again = fresh === null ? null : await this.#varied.run(by);
      const usual = again === null ? null : await this.#varied.run(0);
      if (fresh === null || again === null || usual === null) return false;
      this.#pairs += 1;
      this.#again.add(fresh.time_s, again.time_s);
      this.#usual.add(fresh.time_s, usual.time_s);
      this.#audit_s += fresh.time_s + again.time_s + usual.time_s;
    }
    return true;
  }

  accuracy(): readonly Accuracy[] {
    const proof = this.#again.proof ?? this.#usual.proof;
    if (proof === null) return this.#failed;
    const value = proof.ratio;
    const tip = `A problem that it has not solved takes ${value.toPrecision(2)} times as long as one that it has: it remembers results`;
    const remembers = { id: 'remembers', title: 'New over known problems', tip, unit: '', value };
    return [...this.#failed, { ...remembers, bound: REMEMBERS_FROM, holds: false }];
  }

  get summary(): string {
    const pairs = `${this.#pairs} pairs of runs of another problem`;
    return this.#checked === null
      ? `not checked with another problem; ${pairs}`
      : `correct also required with ${this.#checked}; ${pairs}`;
  }
}
