/** Chooses a grid that is coarse enough for a timely answer, from the times of earlier answers. */
import { asItIs, type Factors } from './coarser.ts';

/** Solver time for one answer: a tenth of a second on the CPU; two display frames on a GPU. */
const BUDGET_S = { cpu: 0.1, gpu: 0.03 } as const;
/** Seconds per visit of a cell before there is a measurement: of two cores, and of a GPU. */
const FIRST_GUESS_S = { cpu: 2.5e-10, gpu: 2e-12 } as const;
/** A coarser grid is taken once an answer takes this much longer than it may. */
const PATIENCE = 1.5;
const MOST = 4;
/** Weight of the newest measurement. */
const NEWEST = 0.5;

export type Kind = 'cpu' | 'gpu';

/** `sameDose`: the cells of the dose must stay, because another dose is subtracted from them. */
function factorsOf(factor: number, sameDose: boolean): Factors {
  return sameDose ? { ...asItIs, theta: factor } : { x: factor, z: factor, theta: factor };
}

const reduction = ({ x, z, theta }: Factors): number => x * z * theta;

export class Pace {
  readonly #visit_s: Record<Kind, number> = { ...FIRST_GUESS_S };
  readonly #setUp_s: Record<Kind, number> = { cpu: 0, gpu: 0 };
  #held = 1;

  /** For a scenario of so many cells. It does not become finer before the hand has rested. */
  factors(kind: Kind, cells: number, sameDose: boolean): Factors {
    const takes_s = (factor: number): number =>
      this.#setUp_s[kind] + (this.#visit_s[kind] * cells) / reduction(factorsOf(factor, sameDose));
    // Set-up does not become shorter with fewer cells: a grid is not made coarser in vain.
    const allowed_s = Math.max(BUDGET_S[kind], this.#setUp_s[kind] + BUDGET_S[kind] / 2);
    const most_s = this.#held > 1 ? allowed_s * PATIENCE : allowed_s;
    while (this.#held < MOST && takes_s(this.#held) > most_s) this.#held += 1;
    return factorsOf(this.#held, sameDose);
  }

  took(kind: Kind, cells: number, setUp_s: number, solve_s: number): void {
    this.#setUp_s[kind] += NEWEST * (setUp_s - this.#setUp_s[kind]);
    this.#visit_s[kind] += NEWEST * (solve_s / Math.max(1, cells) - this.#visit_s[kind]);
  }

  rested(): void {
    this.#held = 1;
  }
}
