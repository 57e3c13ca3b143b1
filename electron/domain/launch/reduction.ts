/**
 * Tree reduction by a block of threads, step by step, starting with one value per thread. Its kernels are those of M.
 * Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007), and one with warp shuffles from the CUDA C++
 * Programming Guide. If the number of threads is not a power of two, additions of missing values are skipped.
 */

export const reductionKinds = ['divergent', 'strided', 'sequential', 'shuffle'] as const;
export type ReductionKind = (typeof reductionKinds)[number];

export const reductionTitles: Readonly<Record<ReductionKind, string>> = {
  divergent: 'Interleaved, threads divergent',
  strided: 'Interleaved, index strided',
  sequential: 'Sequential',
  shuffle: 'Warp shuffles',
};

interface ReductionStep {
  /** Source code of the addition, such as `s[t] += s[t + 8]`. */
  readonly text: string;
  /** Number of adding lanes in each warp of the block. */
  readonly lanes: readonly number[];
  readonly threads: number;
  /** Number of warps with at least one adding lane. */
  readonly warps: number;
  /** Number of warps in which only some lanes add. Such a warp executes both branches one after the other. */
  readonly divergent: number;
  /**
   * Degree of bank conflicts: largest number of simultaneous accesses to one bank of shared memory. 1 without
   * conflicts, 0 without shared memory.
   */
  readonly ways: number;
  /** Whether the step ends with a barrier for all threads of the block. */
  readonly barrier: boolean;
}

export interface Reduction {
  readonly kind: ReductionKind;
  readonly steps: readonly ReductionStep[];
  readonly barriers: number;
  /** Number of active warps and of divergent warps, summed over all steps. */
  readonly warps: number;
  readonly divergent: number;
  readonly worstWays: number;
}

const WARP = 32;

const nextPowerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)));

/**
 * Largest number of distinct words in one bank that a warp accesses together. `index` returns the word that a thread
 * accesses.
 */
function bankConflicts(active: readonly number[], index: (thread: number) => number): number {
  const words = new Map<string, Set<number>>();
  for (const thread of active) {
    const word = index(thread);
    const bank = `${Math.floor(thread / WARP)}/${word % WARP}`;
    words.set(bank, (words.get(bank) ?? new Set()).add(word));
  }
  return Math.max(1, ...[...words.values()].map(({ size }) => size));
}

/** Step of a reduction kernel: the additions by all active threads. */
interface Operation {
  readonly text: string;
  readonly adds: (thread: number) => boolean;
  /** Returns the word of shared memory that receives a thread's sum; null if the sum stays in a register. */
  readonly into: ((thread: number) => number) | null;
  /** Distance to the added word or lane; null for a step that copies values. */
  readonly offset: number | null;
}

function reductionStep(threads: number, { text, adds, into }: Operation): ReductionStep {
  const lanes = new Array<number>(Math.ceil(threads / WARP)).fill(0);
  const active: number[] = [];
  for (let thread = 0; thread < threads; thread += 1) {
    if (!adds(thread)) continue;
    active.push(thread);
    lanes[Math.floor(thread / WARP)] = (lanes[Math.floor(thread / WARP)] ?? 0) + 1;
  }
  const size = (warp: number): number => Math.min(WARP, threads - warp * WARP);
  return {
    text,
    lanes,
    threads: active.length,
    warps: lanes.filter((count) => count > 0).length,
    divergent: lanes.filter((count, warp) => count > 0 && count < size(warp)).length,
    ways: into === null ? 0 : bankConflicts(active, into),
    barrier: into !== null,
  };
}

function treeOperations(kind: Exclude<ReductionKind, 'shuffle'>, threads: number): Operation[] {
  const strides: number[] = [];
  for (let stride = 1; stride < threads; stride *= 2) strides.push(stride);
  if (kind === 'sequential') strides.reverse();
  return strides.map((s): Operation => {
    if (kind === 'divergent') {
      const adds = (t: number): boolean => t % (2 * s) === 0 && t + s < threads;
      return { text: `t % ${2 * s} = 0: s[t] += s[t + ${s}]`, adds, into: (t) => t, offset: s };
    }
    if (kind === 'strided') {
      const adds = (t: number): boolean => 2 * s * t + s < threads;
      return { text: `s[${2 * s} t] += s[${2 * s} t + ${s}]`, adds, into: (t) => 2 * s * t, offset: s };
    }
    const adds = (t: number): boolean => t < s && t + s < threads;
    return { text: `t < ${s}: s[t] += s[t + ${s}]`, adds, into: (t) => t, offset: s };
  });
}

/** All lanes of a warp execute a shuffle, even those whose sums are not used. */
function shuffleOperations(threads: number): Operation[] {
  const warps = Math.ceil(threads / WARP);
  const operations: Operation[] = [];
  for (let offset = Math.min(WARP, nextPowerOfTwo(threads)) / 2; offset >= 1; offset /= 2) {
    operations.push({ text: `v += shfl_down(v, ${offset})`, adds: () => true, into: null, offset });
  }
  if (warps === 1) return operations;
  operations.push({
    text: 'lane 0 of each warp: s[warp] = v',
    adds: (t) => t % WARP === 0,
    into: (t) => t / WARP,
    offset: null,
  });
  for (let offset = nextPowerOfTwo(warps) / 2; offset >= 1; offset /= 2) {
    operations.push({
      text: `first warp: v += shfl_down(v, ${offset})`,
      adds: (t) => t < WARP,
      into: null,
      offset,
    });
  }
  return operations;
}

const reductionOperations = (kind: ReductionKind, threads: number): readonly Operation[] =>
  kind === 'shuffle' ? shuffleOperations(threads) : treeOperations(kind, threads);

/** Values after a step, and the positions that the step wrote. */
export interface ReducedValues {
  /** One value per thread: in shared memory, or in a register for kernels with warp shuffles. */
  readonly values: readonly number[];
  /** For each written position, the position whose value was added; null if none was added. */
  readonly wrote: ReadonlyMap<number, number | null>;
}

/**
 * Values before the first step and after each step, starting with one per thread. Missing lanes add nothing. A shuffle
 * from a lane beyond the warp returns the lane's own value, as in hardware.
 */
export function valuesAfterSteps(kind: ReductionKind, start: readonly number[]): readonly ReducedValues[] {
  const threads = start.length;
  const all: ReducedValues[] = [{ values: start, wrote: new Map() }];
  for (const { adds, into, offset } of reductionOperations(kind, threads)) {
    const before = all.at(-1)?.values ?? start;
    const values = [...before];
    const wrote = new Map<number, number | null>();
    for (let thread = 0; thread < threads; thread += 1) {
      if (!adds(thread)) continue;
      if (offset === null) {
        // The lanes of the first warp now have the words of shared memory as values.
        const word = thread / WARP;
        values[word] = before[thread] ?? 0;
        wrote.set(word, null);
      } else if (into === null) {
        const beyond = (thread % WARP) + offset >= WARP;
        const from = beyond ? thread : thread + offset;
        values[thread] = (before[thread] ?? 0) + (before[from] ?? 0);
        wrote.set(thread, from);
      } else {
        const at = into(thread);
        values[at] = (before[at] ?? 0) + (before[at + offset] ?? 0);
        wrote.set(at, at + offset);
      }
    }
    if (offset === null) {
      // Remaining lanes of the first warp start with 0.
      for (let lane = wrote.size; lane < Math.min(WARP, threads); lane += 1) {
        values[lane] = 0;
        wrote.set(lane, null);
      }
    }
    all.push({ values, wrote });
  }
  return all;
}

/** Steps of a reduction by a block of 1 to 1024 threads. */
export function explainReduction(kind: ReductionKind, threads: number): Reduction {
  const steps = reductionOperations(kind, threads).map((operation) => reductionStep(threads, operation));
  const sum = (of: (one: ReductionStep) => number): number => steps.reduce((all, one) => all + of(one), 0);
  return {
    kind,
    steps,
    barriers: steps.filter(({ barrier }) => barrier).length,
    warps: sum(({ warps }) => warps),
    divergent: sum(({ divergent }) => divergent),
    worstWays: Math.max(0, ...steps.map(({ ways }) => ways)),
  };
}
