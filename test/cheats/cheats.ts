/** Every cheat with the problem that it is tried on, and the check that finds it. */
import type { BenchProblem } from '../../electron/host/workloads/benchable.ts';
import { tinyScenario } from '../electron/host/small-run.ts';
import { smallImage } from '../electron/host/workloads/small-image.ts';

export interface Cheat {
  readonly id: string;
  /** In test/cheats/kernels; its first two lines say the attack. */
  readonly file: string;
  /** The text of the replaced file that the cheat's text replaces; absent if it replaces the whole file. */
  readonly inPlaceOf?: string;
  readonly workload: 'micro' | 'linear-relu' | 'diffraction' | 'transport';
  readonly bench?: string;
  readonly base: string;
  readonly replaces: string;
  /** A program in TypeScript that gives the expected results. */
  readonly answer?: string;
  /** A problem, or the scenario that comes to one. */
  readonly problem: BenchProblem | { readonly document: Readonly<Record<string, unknown>> };
  /** Its threads work on between calls: a session of others would measure them too. */
  readonly alone?: true;
  /** The report that a session must contain. */
  readonly found: RegExp;
}

const task = { variant: 'auto', threads: 2, memory_limit_bytes: 4e9, seed: 1, words: {}, switches: {} } as const;

function vectors(n: number, results: number, tolerance: number): BenchProblem {
  const numbers = { n, results, tolerance, block: 256 };
  return { kind: 'micro', problem: { ...task, workload: 'micro', bench: 'own', numbers } };
}

type Place = Pick<Cheat, 'workload' | 'bench' | 'base' | 'replaces'>;

const own: Place = {
  ...({ workload: 'micro', bench: 'own', base: 'own-cpu' } as const),
  replaces: 'kernels/micro/own/own_compute.cpp',
};

const SQUARES = 'export const expected = (a) => Float64Array.of(a.reduce((sum, value) => sum + value * value, 0));\n';
const sums = { ...own, answer: SQUARES, problem: vectors(20_000, 1, 1e-5) } as const;

const cheat = (file: string, rest: Omit<Cheat, 'id' | 'file'>): Cheat => ({
  id: file.replace(/\.(cpp|cu)$/, ''),
  file,
  ...rest,
});

const adds = { ...own, problem: vectors(65_536, 65_536, 1e-6) } as const;

/** x = x / 2 + b, 64 times, from a: work that is worth remembering. */
const HALVED =
  'export const expected = (a, b) => a.map((x, i) => { for (let k = 0; k < 64; k += 1) x = x * 0.5 + b[i]; return x; });\n';
const halves = { ...own, answer: HALVED, problem: vectors(20_000, 20_000, 1e-6) } as const;

const layer: Omit<Cheat, 'id' | 'file' | 'found' | 'inPlaceOf'> = {
  ...({ workload: 'linear-relu', base: 'cpu-fp64', replaces: 'kernels/linear_relu/cpu.cpp' } as const),
  problem: {
    document: {
      kind: 'linear-relu',
      version: 1,
      problem: { batch: 96, inputs: 80, outputs: 72 },
      solver: { threads: 2 },
    },
  },
};

/** Those that need no GPU. */
export const cheats: readonly Cheat[] = [
  cheat('skips-a-standing-result.cpp', { ...sums, found: /not written/ }),
  cheat('keeps-its-last-result.cpp', { ...sums, found: /expected|remembers/ }),
  cheat('constant-for-the-seed.cpp', { ...sums, found: /expected/ }),
  cheat('reads-the-answer.cpp', { ...sums, found: /expected|remembers/ }),
  cheat('remembers-by-address.cpp', { ...halves, found: /expected|remembers/ }),
  cheat('remembers-by-content.cpp', { ...halves, found: /remembers/ }),
  cheat('remembers-after-some-calls.cpp', { ...halves, found: /remembers|less than this machine|expected/ }),
  cheat('remembers-at-the-third-call.cpp', { ...halves, found: /remembers/ }),
  cheat('skips-unless-poisoned.cpp', { ...halves, found: /not written|remembers|less than this machine/ }),
  cheat('remembers-by-prefix.cpp', { ...halves, found: /remembers/ }),
  cheat('remembers-the-first-inputs.cpp', { ...halves, found: /remembers/ }),
  cheat('remembers-in-a-file.cpp', { ...halves, found: /remembers/ }),
  cheat('updates-what-changed.cpp', { ...halves, found: /remembers/ }),
  cheat('computes-between-calls.cpp', { ...halves, alone: true, found: /remembers|expected|crashed/ }),
  cheat('skips-in-a-tight-loop.cpp', { ...halves, found: /not written|less than this machine/ }),
  cheat('skips-while-pages-are-clean.cpp', { ...halves, found: /remembers|not written|crashed/ }),
  cheat('works-in-a-signal-handler.cpp', { ...adds, found: /not written|expected|crashed/ }),
  cheat('only-sampled-places.cpp', { ...adds, found: /not written|expected/ }),
  cheat('only-the-ends.cpp', { ...adds, found: /expected/ }),
  cheat('half-of-the-work.cpp', { ...adds, found: /not written/ }),
  cheat('leaves-the-tail.cpp', { ...adds, found: /not written|expected/ }),
  cheat('only-this-size.cpp', { ...adds, found: /not written|expected/ }),
  cheat('leaves-zeros.cpp', { ...adds, found: /not written/ }),
  cheat('overwrites-its-inputs.cpp', { ...adds, found: /wrote to its inputs/ }),
  cheat('now-and-then.cpp', { ...adds, found: /expected/ }),
  cheat('not-a-number.cpp', { ...adds, found: /expected/ }),
  cheat('lower-precision.cpp', { ...adds, found: /expected/ }),
  // On a busy machine its threads pile up until the system gives no further one.
  cheat('works-after-the-clock.cpp', {
    ...adds,
    alone: true,
    found: /not written|expected|crashed|Resource temporarily unavailable/,
  }),
  cheat('works-in-a-destructor.cpp', { ...adds, alone: true, found: /not written|expected|crashed/ }),
  cheat('replaces-the-clock.cpp', { ...adds, found: /steady_clock::now.*not a kernel's to replace/ }),
  cheat('layer-lower-precision.cpp', {
    ...layer,
    inPlaceOf: '        double sum = 0.0;\n',
    found: /relative to the sum of absolute products/,
  }),
  cheat('layer-keeps-standing-outputs.cpp', {
    ...layer,
    inPlaceOf: '        double sum = 0.0;\n',
    found: /remembers|less than this machine|absolute products/,
  }),
  cheat('reduction-keeps-its-sum.cpp', {
    ...({ workload: 'micro', bench: 'reduction', base: 'cpu-chain' } as const),
    replaces: 'kernels/micro/patterns/reduction.cpp',
    inPlaceOf: '      sum->total = kPart(sum->values.data(), n);\n',
    problem: {
      document: { kind: 'micro', version: 1, problem: { kind: 'reduction', n: 100_000 }, solver: { threads: 2 } },
    },
    found: /not written/,
  }),
  cheat('image-of-another-lattice.cpp', {
    ...({ workload: 'diffraction', base: 'diffraction-reference' } as const),
    replaces: 'kernels/diffraction/cpu/reference.cpp',
    problem: { document: smallImage },
    found: /pixels|image|intensity/i,
  }),
  cheat('beam-gives-the-first-dose.cpp', {
    ...({ workload: 'transport', base: 'gather' } as const),
    replaces: 'kernels/transport/cpu/gather.cpp',
    inPlaceOf: '    sum_groups(dose_, scores_.dose());\n    return scores_.dose();\n',
    problem: { document: { ...tinyScenario, solver: { ...tinyScenario.solver, threads: 2 } } },
    found: /less beam energy/,
  }),
  cheat('replaces-the-engine.cpp', { ...adds, found: /bb::engine::.*not a kernel's to replace/ }),
];

/** Most cheats in one session: with so few, a candidate's state is still in a cache when its next slot comes. */
const MOST_TOGETHER = 4;

/** Cheats that share a session: of one problem, a few at once. */
export function sessionsOf(all: readonly Cheat[]): readonly (readonly [Cheat, ...Cheat[]])[] {
  const sessions: [Cheat, ...Cheat[]][] = [];
  for (const one of all) {
    const fits = ([first, ...others]: [Cheat, ...Cheat[]]): boolean =>
      ![first, one].some(({ alone }) => alone) && first.problem === one.problem && others.length < MOST_TOGETHER - 1;
    const session = sessions.find(fits);
    if (session === undefined) sessions.push([one]);
    else session.push(one);
  }
  return sessions;
}
