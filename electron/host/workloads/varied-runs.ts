/**
 * Audits a user kernel that solves a complete problem in every sample. The kernel also solves slightly different
 * problems that it cannot know in advance. One of them is compared with FP64, and pairs of times show whether the
 * kernel caches results.
 *
 * A pair consists of two times of the same computation, first with new and then with known inputs. If a kernel computes
 * its results, both times have the same distribution, however busy the machine is. The first and the second time are
 * then much longer equally often, apart from a few pairs in which the order itself matters.
 *
 * The test bets against this hypothesis. A pair counts 1 if the first time is much longer, −1 if the second is, and
 * otherwise 0. For an honest kernel, the mean is at most ALLOWED_EXCESS. A product of factors 1 + λ (count −
 * ALLOWED_EXCESS) then has no expected gain, even if pairs depend on each other. By Ville's inequality it reaches given
 * odds with a probability below one over the odds.
 */
import { randomInt } from 'node:crypto';
import type { Accuracy } from '../../contract/bench/session.ts';
import type { AnswerValues } from '../model/bench/bench-candidate.ts';
import { median } from '../model/bench/statistics.ts';

/** Ratio of the longer to the shorter time of a pair, below which the two count as equal. */
export const SUSPECT_RATIO = 1.5;

/**
 * Share of all pairs by which pairs with a longer first time may outnumber those with a longer second time, for an
 * honest kernel.
 */
const ALLOWED_EXCESS = 0.15;

/**
 * Values of λ that suit kernels which cache seldom, often or always. A busy machine makes caching harder to detect.
 */
const BET_STAKES = [0.25, 0.5, 0.85] as const;

/**
 * Seconds by which a time with known inputs may be shorter without caching. The branch predictor of a CPU learns such
 * inputs, which saves some thousands of mispredictions of about 5 ns. GPUs have none; their value is the resolution of
 * events.
 */
const branchLearning_s = { cpu: 2e-5, cuda: 4e-6 } as const;

/** Pairs that suggest or prove caching. */
export interface MemoryPairs {
  /**
   * Median of the time with new inputs divided by the time with known inputs, over pairs in which the former is much
   * longer.
   */
  readonly ratio: number;
  /** Number of pairs with a much longer first time. The next field is the number of all pairs. */
  readonly longer: number;
  readonly pairs: number;
}

/** Odds above which caching is likely. One in a hundred honest kernels reaches them by chance. */
const LIKELY_ODDS = 100;

export class MemoryEvidence {
  readonly #learned_s: number;
  readonly #odds: number;
  /** Ratios since the odds had their last minimum, because a kernel may begin to cache late. */
  #longer: number[] = [];
  #pairs = 0;
  #stakes: readonly number[] = BET_STAKES.map(() => 1);
  #proven = false;

  /** `odds`: above these odds, caching counts as proven. */
  constructor(device: keyof typeof branchLearning_s, odds = 1e5) {
    this.#learned_s = branchLearning_s[device];
    this.#odds = odds;
  }

  add(fresh_s: number, known_s: number): void {
    if (this.#proven) return;
    const isLonger = this.#isMuchLonger(fresh_s, known_s);
    const count = isLonger ? 1 : this.#isMuchLonger(known_s, fresh_s) ? -1 : 0;
    if (isLonger) this.#longer.push(fresh_s / known_s);
    this.#pairs += 1;
    this.#stakes = this.#stakes.map((stake, i) => stake * (1 + (BET_STAKES[i] ?? 0) * (count - ALLOWED_EXCESS)));
    this.#proven = this.#meanStake >= this.#odds;
    if (this.#meanStake <= 1) this.clear();
  }

  clear(): void {
    this.#longer = [];
    this.#pairs = 0;
    this.#stakes = BET_STAKES.map(() => 1);
    this.#proven = false;
  }

  /** Whether further pairs could prove or refute caching. */
  get isOpen(): boolean {
    return !this.#proven && this.#meanStake > 1;
  }

  /** Whether further pairs are likely to prove caching. */
  get isLikely(): boolean {
    return this.#meanStake >= LIKELY_ODDS;
  }

  /** Pairs that prove caching. Null if it is not proven. */
  get proof(): MemoryPairs | null {
    return this.#proven ? this.#evidence : null;
  }

  /** Pairs that suggest caching. Null if it is proven or refuted. */
  get suspicion(): MemoryPairs | null {
    return this.isOpen ? this.#evidence : null;
  }

  get #evidence(): MemoryPairs {
    return { ratio: median(this.#longer), longer: this.#longer.length, pairs: this.#pairs };
  }

  get #meanStake(): number {
    return this.#stakes.reduce((sum, stake) => sum + stake, 0) / BET_STAKES.length;
  }

  #isMuchLonger(a_s: number, b_s: number): boolean {
    return a_s > SUSPECT_RATIO * b_s && a_s - b_s > this.#learned_s;
  }
}

interface Run {
  readonly values: AnswerValues;
  readonly time_s: number;
}

interface Variation {
  /** Describes the change, for example `a beam energy 0.2 % lower`. */
  readonly title: (share: number) => string;
  /** Solves the problem varied by a share in [0, 1), where 0 means no change. Null if cancelled. */
  readonly run: (share: number) => Promise<Run | null>;
  /** Compares a result of the problem varied by this share with FP64. */
  readonly judge: (run: Run, randomShare: number) => Promise<readonly Accuracy[]>;
}

/** Maximum share of the kernel's time that pairs may use. */
const MAX_SHARE = 0.08;

/** Maximum number of consecutive pairs to decide a suspicion of caching. */
const MAX_DECIDING_PAIRS = 60;

const randomShare = (): number => randomInt(1, 1_000_000) / 1e6;

export class VariedRuns {
  readonly #varied: Variation;
  readonly #failed: Accuracy[] = [];
  readonly #again = new MemoryEvidence('cpu');
  /** Evidence from comparing times of varied problems with times of the session's own problem. */
  readonly #usual = new MemoryEvidence('cpu');
  #pairs = 0;
  #checked: string | null = null;
  #audit_s = 0;
  #spent_s = 0;

  constructor(varied: Variation) {
    this.#varied = varied;
  }

  /** Solves another problem once and checks its result. Returns false if cancelled. */
  async check(): Promise<boolean> {
    const by = randomShare();
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

  /**
   * Call it after each sample. It sometimes compares the time of a new problem with that of its repetition. Returns
   * false if cancelled.
   */
  async afterSample(time_s: number): Promise<boolean> {
    this.#spent_s += time_s;
    if (this.#audit_s > MAX_SHARE * this.#spent_s || randomInt(2) === 0) return true;
    for (let i = 0; i === 0 || (i < MAX_DECIDING_PAIRS && (this.#again.isOpen || this.#usual.isOpen)); i += 1) {
      const by = randomShare();
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
    const tip = `A new problem takes ${value.toPrecision(2)} times as long as a known one, so it remembers results`;
    const remembers = { id: 'remembers', title: 'Time ratio of new to known problems', tip, unit: '', value };
    return [...this.#failed, { ...remembers, bound: SUSPECT_RATIO, holds: false }];
  }

  get summary(): string {
    const pairs = `${this.#pairs} pairs of runs with another problem`;
    return this.#checked === null
      ? `the result was not checked with another problem; ${pairs}`
      : `the result is also checked with ${this.#checked}; ${pairs}`;
  }
}
