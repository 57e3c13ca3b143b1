/**
 * Determines the order in which configurations are measured: exhaustive, random, or by local search. Random choices
 * depend only on a seed.
 */
import { type RandomGenerator, seededRandom, shuffle } from '../bench/statistics.ts';

export interface Candidate {
  readonly id: string;
  /** Variant of the candidate. Local search moves only between candidates of the same variant. */
  readonly variant: string;
  /** For each tunable, the index of the candidate's value in the ascending list of values. */
  readonly at: readonly number[];
}

const strategies = ['exhaustive', 'random', 'local'] as const;
export type Strategy = (typeof strategies)[number];

/**
 * Measures a candidate. Returns its time in seconds, or null if it failed or its answer is wrong. Any exception ends
 * the search. `next` contains the most probable next candidates, which can be prepared together with this one.
 */
export type MeasureCandidate = (candidate: Candidate, next: readonly Candidate[]) => Promise<number | null>;

const candidateKey = ({ variant, at }: Pick<Candidate, 'variant' | 'at'>): string => `${variant} ${at.join(' ')}`;

/** Probability that a descent starts near the best candidate so far; otherwise it starts at a random one. */
const NEAR_THE_BEST = 0.7;
/** Number of tunables that are changed at once to leave a local minimum. */
const PERTURBED_TUNABLES = 3;
/** Maximum number of next candidates that are passed to `MeasureCandidate`. */
const MAX_PREPARED = 256;

class LocalSearch {
  readonly #all: readonly Candidate[];
  readonly #byPlace: ReadonlyMap<string, Candidate>;
  readonly #measure: MeasureCandidate;
  readonly #random: RandomGenerator;
  readonly #known = new Map<string, number | null>();
  /** For each variant, the value indices that occur for each tunable. */
  readonly #valueIndices = new Map<string, readonly (readonly number[])[]>();
  #best: Candidate | null = null;
  readonly #unseen: Candidate[];

  constructor(all: readonly Candidate[], seed: number, measure: MeasureCandidate) {
    this.#all = all;
    this.#byPlace = new Map(all.map((one) => [candidateKey(one), one]));
    this.#measure = measure;
    this.#random = seededRandom(seed);
    this.#unseen = shuffle(all, this.#random);
    for (const variant of new Set(all.map((one) => one.variant))) {
      const own = all.filter((one) => one.variant === variant);
      const count = own[0]?.at.length ?? 0;
      const reach = Array.from({ length: count }, (_, i) =>
        [...new Set(own.map(({ at }) => at[i] ?? 0))].sort((a, b) => a - b),
      );
      this.#valueIndices.set(variant, reach);
    }
  }

  async run(starts: readonly Candidate[]): Promise<void> {
    for (const start of starts) await this.#descend(start);
    while (this.#known.size < this.#all.length) {
      const start = this.#nextStart();
      if (start === null) return;
      await this.#descend(start);
    }
  }

  async #valueOf(one: Candidate, next: readonly Candidate[]): Promise<number> {
    const known = this.#known.get(one.id);
    if (known !== undefined) return known ?? Number.POSITIVE_INFINITY;
    const value = await this.#measure(
      one,
      next.filter(({ id }) => !this.#known.has(id)),
    );
    this.#known.set(one.id, value);
    if (value !== null && (this.#best === null || value < (this.#known.get(this.#best.id) ?? Number.POSITIVE_INFINITY)))
      this.#best = one;
    return value ?? Number.POSITIVE_INFINITY;
  }

  /** Local search: moves to the first neighbour that is faster, until no neighbour is. */
  async #descend(start: Candidate): Promise<void> {
    let around = shuffle(this.#neighbours(start), this.#random);
    let value = await this.#valueOf(start, around);
    for (let moved = true; moved; ) {
      moved = false;
      for (const [i, neighbour] of around.entries()) {
        const found = await this.#valueOf(neighbour, around.slice(i + 1));
        if (!(found < value)) continue;
        [value, moved] = [found, true];
        around = shuffle(this.#neighbours(neighbour), this.#random);
        break;
      }
    }
  }

  /** Candidates of the same variant that differ in the value of a single tunable. */
  #neighbours({ variant, at }: Candidate): readonly Candidate[] {
    return (this.#valueIndices.get(variant) ?? []).flatMap((positions, i) =>
      positions.flatMap((position) => {
        if (position === at[i]) return [];
        return this.#byPlace.get(candidateKey({ variant, at: at.with(i, position) })) ?? [];
      }),
    );
  }

  /**
   * Start of the next descent: the best candidate with some tunables changed, or a random candidate that was not
   * measured yet.
   */
  #nextStart(): Candidate | null {
    if (this.#best !== null && this.#random.next() < NEAR_THE_BEST) {
      const near = this.#perturbed(this.#best);
      if (near !== undefined && !this.#known.has(near.id)) return near;
    }
    for (let one = this.#unseen.pop(); one !== undefined; one = this.#unseen.pop())
      if (!this.#known.has(one.id)) return one;
    return null;
  }

  #perturbed({ variant, at }: Candidate): Candidate | undefined {
    const reach = this.#valueIndices.get(variant) ?? [];
    let changed = [...at];
    for (let k = 0; k < Math.min(PERTURBED_TUNABLES, reach.length); k += 1) {
      const i = this.#random.integerBelow(reach.length);
      const positions = reach[i] ?? [];
      changed = changed.with(i, positions[this.#random.integerBelow(positions.length)] ?? 0);
    }
    return this.#byPlace.get(candidateKey({ variant, at: changed }));
  }
}

/**
 * Measures each candidate at most once, until all are measured or `measure` throws. A local search descends from the
 * candidates in `starts` first.
 */
export async function searchConfigurations(
  strategy: Strategy,
  all: readonly Candidate[],
  seed: number,
  measure: MeasureCandidate,
  starts: readonly Candidate[] = [],
): Promise<void> {
  if (strategy === 'local') return new LocalSearch(all, seed, measure).run(starts);
  const order = strategy === 'random' ? shuffle(all, seededRandom(seed)) : all;
  for (const [i, one] of order.entries()) await measure(one, order.slice(i + 1, i + 1 + MAX_PREPARED));
}

/** Makes candidates from configurations. Values of a constant are numbered by size. */
export function makeCandidates(
  points: readonly {
    readonly id: string;
    readonly variant: string;
    readonly configuration: Readonly<Record<string, number>>;
  }[],
): readonly Candidate[] {
  const values = new Map<string, readonly number[]>();
  for (const variant of new Set(points.map((one) => one.variant))) {
    const own = points.filter((one) => one.variant === variant);
    for (const name of new Set(own.flatMap(({ configuration }) => Object.keys(configuration)))) {
      const all = own.flatMap(({ configuration }) => configuration[name] ?? []);
      values.set(
        `${variant} ${name}`,
        [...new Set(all)].sort((a, b) => a - b),
      );
    }
  }
  return points.map(({ id, variant, configuration }) => ({
    id,
    variant,
    at: Object.keys(configuration)
      .sort()
      .map((name) => values.get(`${variant} ${name}`)?.indexOf(configuration[name] ?? 0) ?? 0),
  }));
}
