/**
 * Every cheat, with its problem and the check that must detect it. A cheat and its honest twin are one source file,
 * compiled with and without `CHEAT`. cheats.test.ts judges all cheats once. test/bench/cheats.ts judges each
 * repeatedly, where no packages are installed. This file therefore imports none.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onCpu } from '../bench/aa/session.ts';
import { smallImage } from '../electron/host/workloads/small-image.ts';

/** A problem folder of two vectors. */
interface VectorProblem {
  readonly name: string;
  readonly n: number;
  readonly count: number | 'n';
  /** A function body in JavaScript over the arrays a and b. */
  readonly reference: string;
  readonly tolerance: Readonly<Record<string, number>>;
}

export const shapes = {
  adds: { name: 'adds', n: 65_536, count: 'n', reference: 'a.map((x, i) => x + b[i])', tolerance: { roundings: 16 } },
  sums: {
    ...{ name: 'sums', n: 20_000, count: 1, tolerance: { relative: 1e-5, absolute: 1e-6 } },
    reference: 'Float64Array.of(a.reduce((sum, x) => sum + x * x, 0))',
  },
  /** Computes x = x / 2 + b, 64 times, starting from a. This is enough work for cached results to save time. */
  halves: {
    ...{ name: 'halves', n: 20_000, count: 'n', tolerance: { roundings: 16 } },
    reference: 'a.map((x, i) => { for (let k = 0; k < 64; k += 1) x = x * 0.5 + b[i]; return x; })',
  },
} as const satisfies Readonly<Record<string, VectorProblem>>;

const input = (name: string) => ({
  ...{ name, role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: -1, max: 1 } },
});

export function documentOf({ name, n, count, tolerance }: VectorProblem) {
  return {
    ...{ kind: 'user-problem', version: 1, name, problem: { n } },
    axes: [{ name: 'n', min: 0, try: [0, 1, 1021, 4097] }],
    arrays: [...[input('a'), input('b')], { name: 'results', role: 'output', type: 'fp32', shape: [count], tolerance }],
    reference: 'reference.mjs',
  };
}

/** Writes the document and the reference to a folder. */
export async function writeProblem(folder: string, shape: VectorProblem): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'problem.json'), JSON.stringify(documentOf(shape)));
  await writeFile(path.join(folder, 'reference.mjs'), `export const reference = (a, b) => ${shape.reference};\n`);
}

/** A source file of a shipped variant that a cheat replaces. */
interface ReplacedSource {
  readonly workload: 'micro' | 'linear-relu' | 'diffraction' | 'transport';
  readonly bench?: string;
  readonly base: string;
  readonly replaces: string;
  /** Part of the file that the cheat's text replaces; absent if it replaces the complete file. */
  readonly inPlaceOf?: string;
  readonly document: Readonly<Record<string, unknown>>;
}

export interface Cheat {
  readonly id: string;
  /** File in test/cheats/kernels; its first two lines describe the attack. */
  readonly file: string;
  /** Problem folder that the cheat is a candidate of, or the shipped kernel that it replaces. */
  readonly of: VectorProblem | ReplacedSource;
  /** Runs in a separate session, because its threads work between calls, and would disturb other candidates. */
  readonly alone?: true;
  /**
   * True if the cheat is found by times, or needs its threads to run in time. On busy cores its session may then end
   * with an open doubt.
   */
  readonly timed?: true;
  /** Pattern of the report that a session must contain. */
  readonly found: RegExp;
}

const cheat = (file: string, rest: Omit<Cheat, 'id' | 'file'>): Cheat => ({
  id: file.replace(/\.(cpp|cu)$/, ''),
  file,
  ...rest,
});

const adds = { of: shapes.adds } as const;
const sumProblem = { of: shapes.sums } as const;
const halvingProblem = { of: shapes.halves, timed: true } as const;

const layer = (inPlaceOf: string): Pick<Cheat, 'of'> => ({
  of: {
    ...({ workload: 'linear-relu', base: 'cpu-fp64', replaces: 'kernels/linear_relu/cpu.cpp', inPlaceOf } as const),
    document: {
      kind: 'linear-relu',
      version: 1,
      problem: { batch: 96, inputs: 80, outputs: 72 },
      solver: { threads: 2 },
    },
  },
});

/** Cheats that need no GPU. */
export const cheats: readonly Cheat[] = [
  cheat('skips-a-standing-result.cpp', { ...sumProblem, found: /not written/ }),
  cheat('keeps-its-last-result.cpp', { ...sumProblem, found: /expected|remembers/ }),
  cheat('constant-for-the-seed.cpp', { ...sumProblem, found: /expected/ }),
  cheat('reads-the-answer.cpp', { ...sumProblem, found: /expected|remembers/ }),
  cheat('remembers-by-address.cpp', { ...halvingProblem, found: /expected|remembers/ }),
  cheat('remembers-by-content.cpp', { ...halvingProblem, found: /remembers/ }),
  cheat('remembers-after-some-calls.cpp', { ...halvingProblem, found: /remembers|less than this machine|expected/ }),
  cheat('remembers-at-the-third-call.cpp', { ...halvingProblem, found: /remembers/ }),
  cheat('skips-unless-poisoned.cpp', { ...halvingProblem, found: /not written|remembers|less than this machine/ }),
  cheat('remembers-by-prefix.cpp', { ...halvingProblem, found: /after some of the inputs changed/ }),
  cheat('remembers-the-first-inputs.cpp', { ...halvingProblem, found: /remembers|after some of the inputs changed/ }),
  cheat('remembers-in-a-file.cpp', { ...halvingProblem, found: /remembers/ }),
  cheat('updates-what-changed.cpp', { ...halvingProblem, found: /remembers/ }),
  cheat('computes-between-calls.cpp', {
    ...halvingProblem,
    alone: true,
    found: /remembers|expected|crashed|between its calls/,
  }),
  cheat('skips-in-a-tight-loop.cpp', { ...halvingProblem, found: /not written|less than this machine/ }),
  cheat('skips-while-pages-are-clean.cpp', { ...halvingProblem, found: /remembers|not written|crashed/ }),
  cheat('fills-what-is-poisoned.cpp', { ...halvingProblem, found: /remembers|not written|less than this machine/ }),
  cheat('only-the-drawn-range.cpp', { ...adds, found: /expected/ }),
  cheat('works-in-a-signal-handler.cpp', { ...adds, timed: true, found: /not written|expected|crashed/ }),
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
  // On a busy machine this kernel starts threads faster than they end, until the system refuses to start another.
  cheat('works-after-the-clock.cpp', {
    ...adds,
    alone: true,
    timed: true,
    found: /not written|expected|crashed|Resource temporarily unavailable/,
  }),
  cheat('works-in-a-destructor.cpp', { ...adds, alone: true, timed: true, found: /not written|expected|crashed/ }),
  cheat('replaces-the-clock.cpp', { ...adds, found: /steady_clock::now.*which a kernel must not replace/ }),
  cheat('layer-lower-precision.cpp', {
    ...layer('        double sum = 0.0;\n'),
    found: /relative to the sum of absolute products|rectified only in the result/,
  }),
  cheat('layer-keeps-standing-outputs.cpp', {
    ...layer('        double sum = 0.0;\n'),
    timed: true,
    found: /remembers|less than this machine|absolute products/,
  }),
  cheat('reduction-keeps-its-sum.cpp', {
    of: {
      ...({ workload: 'micro', bench: 'reduction', base: 'cpu-chain' } as const),
      replaces: 'kernels/micro/patterns/reduction.cpp',
      inPlaceOf: '      sum->total = kPart(sum->values.data(), n);\n',
      document: { kind: 'micro', version: 1, problem: { kind: 'reduction', n: 100_000 }, solver: { threads: 2 } },
    },
    found: /not written/,
  }),
  cheat('image-of-another-lattice.cpp', {
    of: {
      ...({ workload: 'diffraction', base: 'diffraction-reference' } as const),
      replaces: 'kernels/diffraction/cpu/reference.cpp',
      document: smallImage,
    },
    found: /pixels|image|intensity/i,
  }),
  cheat('beam-gives-the-first-dose.cpp', {
    of: {
      ...({ workload: 'transport', base: 'gather' } as const),
      replaces: 'kernels/transport/cpu/gather.cpp',
      inPlaceOf: '    sum_groups(dose_, scores_.dose());\n    return scores_.dose();\n',
      document: { ...onCpu.scenario, solver: { threads: 2 } },
    },
    found: /a beam energy \S+ % lower/,
  }),
  cheat('replaces-the-engine.cpp', { ...adds, found: /bb::engine::.*which a kernel must not replace/ }),
];

/**
 * Maximum number of candidates in one session. With more, a candidate's state would leave the processor's cache before
 * its next run.
 */
const MAX_TOGETHER = 8;

/**
 * Whether a session has the honest twin of each of its cheats, or only of its first: twins of one problem do the same
 * work.
 */
type TwinsInSession = 'each' | 'first';

/** Groups of cheats that share a session: cheats of one problem, a few at once. */
export function sessionsOf(all: readonly Cheat[], twins: TwinsInSession): readonly (readonly [Cheat, ...Cheat[]])[] {
  const most = twins === 'each' ? MAX_TOGETHER / 2 : MAX_TOGETHER - 1;
  const sessions: [Cheat, ...Cheat[]][] = [];
  for (const one of all) {
    const fits = ([first, ...others]: [Cheat, ...Cheat[]]): boolean =>
      ![first, one].some(({ alone }) => alone) && first.of === one.of && others.length < most - 1;
    const session = sessions.find(fits);
    if (session === undefined) sessions.push([one]);
    else session.push(one);
  }
  return sessions;
}

const kernels = path.join(import.meta.dirname, 'kernels');

export const nameOf = ({ file }: Cheat, isCheat: boolean): string => `${isCheat ? 'cheat' : 'twin'}-${file}`;

/** The first lines of a cheat's file, which describe its attack. */
export async function attackOf({ file }: Cheat): Promise<string> {
  const lines = (await readFile(path.join(kernels, file), 'utf8')).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ (Attack: )?/, ''))
    .join(' ');
}

/**
 * Folder of a cheat's session below `folder`: that of its problem, or a separate one if it replaces a shipped kernel.
 */
export const folderOf = ({ id, of }: Cheat, folder: string): string =>
  path.join(folder, 'replaces' in of ? id : of.name);

/**
 * Writes the source of a cheat or of its twin to its folder and returns the path. A kernel that replaces a shipped one
 * is made from the source of that one, which is below `sources`.
 */
export async function writeKernel(
  cheat: Cheat,
  isCheat: boolean,
  { folder, sources }: { readonly folder: string; readonly sources: string },
): Promise<string> {
  const { file, of } = cheat;
  const at = folderOf(cheat, folder);
  await mkdir(at, { recursive: true });
  const own = await readFile(path.join(kernels, file), 'utf8');
  const text =
    'inPlaceOf' in of && of.inPlaceOf !== undefined ? await patchSource(sources, of, of.inPlaceOf, own) : own;
  const name = nameOf(cheat, isCheat);
  const code = path.join(at, name);
  await writeFile(code, `${isCheat ? '#define CHEAT 1\n' : ''}${text}`);
  if ('replaces' in of) {
    const { workload, bench, base, replaces } = of;
    const description = {
      ...{ kind: 'variant', version: 1, workload, base, replaces, title: name },
      ...(bench !== undefined && { bench }),
    };
    await writeFile(code.replace(/\.(cpp|cu)$/, '.json'), JSON.stringify(description));
  }
  return code;
}

async function patchSource(sources: string, { replaces }: ReplacedSource, from: string, to: string): Promise<string> {
  const original = path.join(sources, path.posix.relative('kernels', replaces));
  const parts = (await readFile(original, 'utf8')).split(from);
  if (parts.length !== 2)
    throw new Error(`${replaces} has ${JSON.stringify(from)} ${parts.length - 1} times, not once`);
  return parts.join(to);
}

/** Number of rounds that two instances need, with some to spare. */
export const ROUNDS = 5;
export const DETECTED_VERDICTS = ['wrong', 'impossible', 'refused'];

/** Whether the verdict is *not checked* because it is still unknown if the kernel remembers results. */
export const isMemoryDoubtful = ({
  word,
  reason,
}: {
  readonly word: string;
  readonly reason: string | null;
}): boolean => word === 'not checked' && /may remember/.test(reason ?? '');
