/**
 * Evidence that a kernel remembers results: pairs of times of the same computation, once with inputs that the kernel has
 * not seen and once with inputs that it has. Both times of a kernel that computes have one distribution, however busy the
 * machine is: as often as the first is much longer, the second is. Only in a few pairs may the order itself matter.
 *
 * The test bets on that. A pair counts 1 where the first is much longer, −1 where the second is, else 0. The mean of an
 * honest kernel is ALLOWED at most. Stakes of (1 + λ (count − ALLOWED)) then win nothing in the long run, also where pairs
 * depend on each other. By Ville's inequality they reach the odds with a probability below one over them.
 */
import { median } from '../model/bench/statistics.ts';

/** Times that differ by less than this ratio are alike. */
export const REMEMBERS_FROM = 1.5;

/** Share of pairs by which longer first times may exceed longer second ones. */
const ALLOWED = 0.15;

/** Bets for a kernel that seldom remembers, on a busy machine; for one that often does; and for one that always does. */
const BETS = [0.25, 0.5, 0.85] as const;

/**
 * Times of known inputs may be shorter by so much, in seconds. A processor learns the branches of inputs that it has seen,
 * some thousands of them, at about 5 ns each. A GPU learns none: there it is the resolution of its events.
 */
const learned_s = { cpu: 2e-5, cuda: 4e-6 } as const;

interface MemoryProof {
  /** Median of new over known inputs, where the new ones took much longer. */
  readonly ratio: number;
  /** Pairs with such a ratio, of all. */
  readonly longer: number;
  readonly pairs: number;
}

export class MemoryEvidence {
  readonly #learned_s: number;
  readonly #odds: number;
  /** Since all evidence was against it: a kernel may begin to remember late. */
  #longer: number[] = [];
  #pairs = 0;
  #stakes: readonly number[] = BETS.map(() => 1);
  #proven = false;

  /** `odds` that a kernel remembers, against one, from which on it is proven. */
  constructor(device: keyof typeof learned_s, odds = 1e5) {
    this.#learned_s = learned_s[device];
    this.#odds = odds;
  }

  add(fresh_s: number, known_s: number): void {
    if (this.#proven) return;
    const isLonger = this.#muchLonger(fresh_s, known_s);
    const count = isLonger ? 1 : this.#muchLonger(known_s, fresh_s) ? -1 : 0;
    if (isLonger) this.#longer.push(fresh_s / known_s);
    this.#pairs += 1;
    this.#stakes = this.#stakes.map((stake, i) => stake * (1 + (BETS[i] ?? 0) * (count - ALLOWED)));
    this.#proven = this.#won >= this.#odds;
    if (this.#won <= 1) this.clear();
  }

  clear(): void {
    this.#longer = [];
    this.#pairs = 0;
    this.#stakes = BETS.map(() => 1);
    this.#proven = false;
  }

  /** More pairs would prove or refute it. */
  get isOpen(): boolean {
    return !this.#proven && this.#won > 1;
  }

  /** Null if nothing is proven. */
  get proof(): MemoryProof | null {
    if (!this.#proven) return null;
    return { ratio: median(this.#longer), longer: this.#longer.length, pairs: this.#pairs };
  }

  get #won(): number {
    return this.#stakes.reduce((sum, stake) => sum + stake, 0) / BETS.length;
  }

  #muchLonger(a_s: number, b_s: number): boolean {
    return a_s > REMEMBERS_FROM * b_s && a_s - b_s > this.#learned_s;
  }
}
