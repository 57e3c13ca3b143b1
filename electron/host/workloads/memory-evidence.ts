/**
 * Evidence that a kernel remembers results: pairs of times of the same computation, once with inputs that the kernel has
 * not seen and once with inputs that it has. Both times of a kernel that computes have one distribution, however busy the
 * machine is. At most every second pair has the first much longer then. Wald's sequential test of that against seventeen
 * of twenty accuses such a kernel with a probability below one over the odds.
 */
import { median } from '../model/bench/statistics.ts';

/** What saves less than a third of the time is not found. */
export const REMEMBERS_FROM = 1.5;

/**
 * Times of known inputs may be shorter by so much, in seconds. A processor learns the branches of inputs that it has seen,
 * some thousands of them, at about 5 ns each. A GPU learns none: there it is what its events do not resolve.
 */
const learned_s = { cpu: 2e-5, cuda: 4e-6 } as const;

const longer = Math.log(0.85 / 0.5);
const alike = Math.log(0.15 / 0.5);

export class MemoryEvidence {
  readonly #learned_s: number;
  readonly #enough: number;
  /** Since all evidence was against it: a kernel may begin to remember late. */
  #ratios: number[] = [];
  #log = 0;
  #proven = false;

  /** `odds` that a kernel remembers, against one, from which on it is proven. */
  constructor(device: keyof typeof learned_s, odds = 1e5) {
    this.#learned_s = learned_s[device];
    this.#enough = Math.log(odds);
  }

  add(fresh_s: number, known_s: number): void {
    if (this.#proven) return;
    const isLonger = fresh_s > REMEMBERS_FROM * known_s && fresh_s - known_s > this.#learned_s;
    this.#ratios.push(fresh_s / known_s);
    this.#log += isLonger ? longer : alike;
    this.#proven = this.#log >= this.#enough;
    if (this.#log <= 0) this.clear();
  }

  clear(): void {
    this.#ratios = [];
    this.#log = 0;
    this.#proven = false;
  }

  /** More pairs would prove or refute it. */
  get isOpen(): boolean {
    return !this.#proven && this.#log > 0;
  }

  /** The median ratio and its number of pairs; null where nothing is proven. */
  get proof(): { readonly ratio: number; readonly pairs: number } | null {
    return this.#proven ? { ratio: median(this.#ratios), pairs: this.#ratios.length } : null;
  }
}
