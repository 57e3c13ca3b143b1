/**
 * The steps in which a block of threads adds its values in a tree, one value per thread, as M. Harris,
 * "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007) has them, and with warp shuffles as in the CUDA
 * C++ Programming Guide. Blocks that are no power of two add what is there.
 */

export const reductionKinds = ['divergent', 'strided', 'sequential', 'shuffle'] as const;
export type ReductionKind = (typeof reductionKinds)[number];

export const reductionTitles: Readonly<Record<ReductionKind, string>> = {
  divergent: 'Interleaved, threads divergent',
  strided: 'Interleaved, index strided',
  sequential: 'Sequential',
  shuffle: 'Warp shuffles',
};

export interface ReductionStep {
  /** What is added: `s[t] += s[t + 8]`. */
  readonly text: string;
  /** Lanes that add, of each warp of the block. */
  readonly lanes: readonly number[];
  readonly threads: number;
  /** Warps with a lane that adds. */
  readonly warps: number;
  /** Warps of which some lanes add and some do not: both ways are run one after the other. */
  readonly divergent: number;
  /** Accesses that fall on one bank of shared memory at once, at worst; 1 is free of conflicts, 0 without it. */
  readonly ways: number;
  /** Whether all threads of the block wait for each other after it. */
  readonly barrier: boolean;
}

export interface Reduction {
  readonly kind: ReductionKind;
  readonly steps: readonly ReductionStep[];
  readonly barriers: number;
  /** Warps over all steps, and those that diverge. */
  readonly warps: number;
  readonly divergent: number;
  readonly worstWays: number;
}

const WARP = 32;

const powerAbove = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)));

/** Worst of the warps: lanes that want different words of one bank. `index` is of the first operand, per active thread. */
function bankWays(active: readonly number[], index: (thread: number) => number): number {
  const words = new Map<string, Set<number>>();
  for (const thread of active) {
    const word = index(thread);
    const bank = `${Math.floor(thread / WARP)}/${word % WARP}`;
    words.set(bank, (words.get(bank) ?? new Set()).add(word));
  }
  return Math.max(1, ...[...words.values()].map(({ size }) => size));
}

function step(
  threads: number,
  text: string,
  adds: (thread: number) => boolean,
  index: ((thread: number) => number) | null,
): ReductionStep {
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
    ways: index === null ? 0 : bankWays(active, index),
    barrier: index !== null,
  };
}

function treeSteps(kind: Exclude<ReductionKind, 'shuffle'>, threads: number): ReductionStep[] {
  const steps: ReductionStep[] = [];
  const strides: number[] = [];
  for (let stride = 1; stride < threads; stride *= 2) strides.push(stride);
  if (kind === 'sequential') strides.reverse();
  for (const s of strides) {
    if (kind === 'divergent') {
      const adds = (t: number): boolean => t % (2 * s) === 0 && t + s < threads;
      steps.push(step(threads, `t % ${2 * s} = 0: s[t] += s[t + ${s}]`, adds, (t) => t));
    } else if (kind === 'strided') {
      const adds = (t: number): boolean => 2 * s * t + s < threads;
      steps.push(step(threads, `s[${2 * s} t] += s[${2 * s} t + ${s}]`, adds, (t) => 2 * s * t));
    } else {
      const adds = (t: number): boolean => t < s && t + s < threads;
      steps.push(step(threads, `t < ${s}: s[t] += s[t + ${s}]`, adds, (t) => t));
    }
  }
  return steps;
}

/** All lanes of a warp take part in a shuffle, whether their sum is wanted or not. */
function shuffleSteps(threads: number): ReductionStep[] {
  const warps = Math.ceil(threads / WARP);
  const steps: ReductionStep[] = [];
  for (let offset = Math.min(WARP, powerAbove(threads)) / 2; offset >= 1; offset /= 2) {
    steps.push(step(threads, `v += shfl_down(v, ${offset})`, () => true, null));
  }
  if (warps === 1) return steps;
  steps.push(
    step(
      threads,
      'lane 0 of each warp: s[warp] = v',
      (t) => t % WARP === 0,
      (t) => t / WARP,
    ),
  );
  for (let offset = powerAbove(warps) / 2; offset >= 1; offset /= 2) {
    steps.push(step(threads, `first warp: v += shfl_down(v, ${offset})`, (t) => t < WARP, null));
  }
  return steps;
}

/** `threads` of a block, 1 to 1024. */
export function reductionOf(kind: ReductionKind, threads: number): Reduction {
  const steps = kind === 'shuffle' ? shuffleSteps(threads) : treeSteps(kind, threads);
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
