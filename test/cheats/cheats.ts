/**
 * Every cheat with its problem and the check that must find it. Each cheat and its honest twin are one file, compiled
 * with and without `CHEAT`. Those of one problem share a session, through the code that page and command line use. The
 * tests: each cheat is found, and its honest twin is correct.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { correctnessOf, reasonOf, type SessionEntry } from '../../electron/contract/bench/session.ts';
import { UserKernels } from '../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, type NativeAddon, offersOf } from '../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../electron/host/model/bench/machine.ts';
import { limitsOf } from '../../electron/host/model/bench/stopping.ts';
import type { BenchProblem } from '../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../electron/host/workloads/index.ts';
import { openScenarios } from '../../electron/host/workloads/scenarios/scenarios.ts';
import { assetsFolder, memoryLimit_bytes, tinyScenario } from '../electron/host/small-run.ts';
import { benchHere } from '../electron/host/test-host.ts';
import { smallImage } from '../electron/host/workloads/small-image.ts';
import { cacheWithUserKernels, sameScratchFolder } from '../scratch-folder.ts';

/** A problem folder of two vectors. */
export interface Shape {
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
  /** x = x / 2 + b, 64 times, starting from a: enough work that caching its results pays. */
  halves: {
    ...{ name: 'halves', n: 20_000, count: 'n', tolerance: { roundings: 16 } },
    reference: 'a.map((x, i) => { for (let k = 0; k < 64; k += 1) x = x * 0.5 + b[i]; return x; })',
  },
} as const satisfies Readonly<Record<string, Shape>>;

const input = (name: string) => ({
  ...{ name, role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: -1, max: 1 } },
});

function documentOf({ name, n, count, tolerance }: Shape) {
  return {
    ...{ kind: 'user-problem', version: 1, name, problem: { n } },
    axes: [{ name: 'n', min: 0, try: [0, 1, 1021, 4097] }],
    arrays: [...[input('a'), input('b')], { name: 'results', role: 'output', type: 'fp32', shape: [count], tolerance }],
    reference: 'reference.mjs',
  };
}

/** Writes the document and the reference to a folder. */
export async function writeProblem(folder: string, shape: Shape): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'problem.json'), JSON.stringify(documentOf(shape)));
  await writeFile(path.join(folder, 'reference.mjs'), `export const reference = (a, b) => ${shape.reference};\n`);
}

/** A source file of a shipped variant that a cheat replaces. */
interface Replaced {
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
  readonly of: Shape | Replaced;
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
  // On a busy machine the threads pile up until the system refuses to start another.
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
    found: /relative to the sum of absolute products|Rectified on one side only/,
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
      document: { ...tinyScenario, solver: { ...tinyScenario.solver, threads: 2 } },
    },
    found: /less beam energy/,
  }),
  cheat('replaces-the-engine.cpp', { ...adds, found: /bb::engine::.*which a kernel must not replace/ }),
];

/**
 * Maximum number of candidates in one session: few enough that a candidate's state is still in a cache at its next
 * slot.
 */
const MAX_TOGETHER = 8;

/**
 * Whether a session has the honest twin of each of its cheats, or only of its first: twins of one problem do the same
 * work.
 */
type Twins = 'each' | 'first';

/** Groups of cheats that share a session: cheats of one problem, a few at once. */
export function sessionsOf(all: readonly Cheat[], twins: Twins): readonly (readonly [Cheat, ...Cheat[]])[] {
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

interface Judged {
  /** Verdict: `correct`, `wrong`, `impossible`, `not checked`, or `refused`. */
  readonly word: string;
  readonly reason: string | null;
  readonly time_s: number | null;
}

interface Pair {
  readonly cheat: Judged;
  readonly twin: Judged;
}

const kernels = path.join(import.meta.dirname, 'kernels');

const placeOf = ({ of }: Cheat) =>
  'replaces' in of ? { workload: of.workload, bench: of.bench ?? '' } : { workload: 'user-problem', bench: of.name };

const nameOf = ({ file }: Cheat, isCheat: boolean): string => `${isCheat ? 'cheat' : 'twin'}-${file}`;

function judgedOf(entry: SessionEntry | undefined): Judged {
  if (entry === undefined) throw new Error('the session has no such entry');
  if (entry.status === 'refused') return { word: 'refused', reason: entry.reason, time_s: null };
  return { word: correctnessOf(entry.accuracy), reason: reasonOf(entry.accuracy), time_s: entry.time_s };
}

class CheatHarness {
  readonly #folder: string;
  readonly #addon: NativeAddon;
  readonly #own: UserKernels;
  readonly #trusted = new Set<string>();
  /** Reasons why cheats were rejected before their session, by the id of the cheat. */
  readonly #refused = new Map<string, string>();

  constructor(folder: string, addon: NativeAddon = loadAddon()) {
    this.#folder = folder;
    this.#addon = addon;
    // The variable lets a cheat search the cache, as an attacker who knows its location would.
    const cache = cacheWithUserKernels(folder);
    process.env['BRAGGBENCH_CHEATS_CACHE'] = cache;
    this.#own = new UserKernels({
      addon,
      folders: { ...kernelFolders(), cache },
      isTrusted: (sha256) => this.#trusted.has(sha256),
      startChild: forkChild,
    });
  }

  /** Compiles all kernels that the sessions need, one per core at a time, and records the cheats that are rejected. */
  async compile(sessions: readonly (readonly [Cheat, ...Cheat[]])[], twins: Twins): Promise<void> {
    const cheats = sessions.flat();
    const honest = twins === 'each' ? cheats : sessions.map(([first]) => first);
    const shapes = new Set(cheats.flatMap(({ of }) => ('replaces' in of ? [] : [of])));
    for (const shape of shapes) await writeProblem(path.join(this.#folder, shape.name), shape);
    const waiting = [
      ...cheats.map((cheat) => ({ cheat, isCheat: true })),
      ...honest.map((cheat) => ({ cheat, isCheat: false })),
    ];
    const compiling = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const { cheat, isCheat } = one;
        const id = await this.#made(cheat, isCheat);
        await this.#own.prepare([id], placeOf(cheat)).catch((error: unknown) => {
          if (!isCheat) throw error;
          this.#refused.set(cheat.id, String(error));
        });
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, compiling));
  }

  /** Judges cheats of one problem in one session. A cheat that does not compile is left out; its twin is included. */
  async judge(
    cheats: readonly [Cheat, ...Cheat[]],
    rounds: number,
    { twins, twin = cheats[0] }: { readonly twins: Twins; readonly twin?: Cheat },
  ): Promise<ReadonlyMap<string, Pair>> {
    const [first] = cheats;
    const honest = (cheat: Cheat): string => nameOf(twins === 'each' ? cheat : twin, false);
    const built = cheats.filter((cheat) => !this.#refused.has(cheat.id)).map((cheat) => nameOf(cheat, true));
    const variants = [...new Set(cheats.map(honest)), ...built];
    await this.#own.prepare(variants, placeOf(first));
    const { entries } = await benchHere(this.#own.addon, await this.#problemOf(first), {
      ...{ scenario: first.id, seed: 1, limits: limitsOf(rounds, 60), variants, sample_s: 2e-3 },
    });
    const of = (variant: string): Judged => judgedOf(entries.find((entry) => entry.variant === variant));
    const pairOf = (cheat: Cheat): Pair => {
      const reason = this.#refused.get(cheat.id);
      const judged = reason === undefined ? of(nameOf(cheat, true)) : { word: 'refused', reason, time_s: null };
      return { cheat: judged, twin: of(honest(cheat)) };
    };
    return new Map(cheats.map((cheat) => [cheat.id, pairOf(cheat)]));
  }

  close(): void {
    this.#own.close();
  }

  async #problemOf({ of }: Cheat): Promise<BenchProblem> {
    const scenarios = await openScenarios({
      assetsFolder,
      rangeTable: (energies, stopping, at) => this.#addon.rangeTable(energies, stopping, at),
      variants: (workload) => hostWorkloads[workload].variants(this.#own.addon),
      workloads: hostWorkloads,
      mismatch: () => null,
      extraStraggling: () => Promise.resolve(null),
      offers: offersOf(this.#own.addon),
      memoryLimit_bytes,
    });
    const document = 'replaces' in of ? of.document : { ...documentOf(of), solver: { threads: 2 } };
    const reading = await scenarios.check(document, { name: 's.json', folder: null });
    if (reading.kind === null || !reading.problem) throw new Error(JSON.stringify(reading.issues));
    return { kind: reading.kind, problem: reading.problem() } as BenchProblem;
  }

  async #made(cheat: Cheat, isCheat: boolean): Promise<string> {
    const { id, file, of } = cheat;
    const isKernel = 'replaces' in of;
    const folder = path.join(this.#folder, isKernel ? id : of.name);
    await mkdir(folder, { recursive: true });
    const own = await readFile(path.join(kernels, file), 'utf8');
    const text = isKernel && of.inPlaceOf !== undefined ? await this.#patched(of.replaces, of.inPlaceOf, own) : own;
    const name = nameOf(cheat, isCheat);
    const code = path.join(folder, name);
    await writeFile(code, `${isCheat ? '#define CHEAT 1\n' : ''}${text}`);
    if (isKernel) {
      const { workload, bench, base, replaces } = of;
      const description = {
        ...{ kind: 'variant', version: 1, workload, base, replaces, title: name },
        ...(bench !== undefined && { bench }),
      };
      await writeFile(code.replace(/\.(cpp|cu)$/, '.json'), JSON.stringify(description));
    }
    const { sha256 } = await this.#own.open(code);
    this.#trusted.add(sha256);
    return name;
  }

  async #patched(replaces: string, from: string, to: string): Promise<string> {
    const original = path.join(kernelFolders().sources, path.posix.relative('kernels', replaces));
    const parts = (await readFile(original, 'utf8')).split(from);
    if (parts.length !== 2)
      throw new Error(`${replaces} has ${JSON.stringify(from)} ${parts.length - 1} times, not once`);
    return parts.join(to);
  }
}

/** Rounds that suffice for two instances, with some to spare. */
export const ROUNDS = 5;
export const FOUND = ['wrong', 'impossible', 'refused'];

/**
 * Maximum number of sessions per cheat. On a busy machine a session may end with an open doubt about memory. The
 * verdict is then
 * *not checked*, and another session follows, as the reason of that verdict advises.
 */
const MAX_SESSIONS = 3;
export const isOpen = ({ word, reason }: Pick<Judged, 'word' | 'reason'>): boolean =>
  word === 'not checked' && /may remember/.test(reason ?? '');

/** Creates a harness with a folder of this name. Call it at the top of a test file. */
export function useCheatHarness(name: string, tried: readonly Cheat[], twins: Twins): CheatHarness {
  const court = new CheatHarness(sameScratchFolder(name));
  beforeAll(() => court.compile(sessionsOf(tried, twins), twins), 240_000);
  afterAll(() => court.close());
  return court;
}

/**
 * On busy cores a cheat may gain nothing, because noise hides the saving or its threads are late. Its time is then an
 * honest one, or the doubt stays open.
 */
const gainsNothing = (pair: Pair): boolean =>
  isOpen(pair.cheat) ||
  (pair.cheat.time_s !== null && pair.twin.time_s !== null && pair.cheat.time_s > 0.9 * pair.twin.time_s);

function isSettled(of: Cheat, pair: Pair): boolean {
  const timed = of.timed === true;
  return (FOUND.includes(pair.cheat.word) || (timed && gainsNothing(pair))) && (timed || !isOpen(pair.twin));
}

/** Tests that judge the cheats of a problem in one session, with one honest twin. */
export function reportDetection(court: CheatHarness, tried: readonly Cheat[]): void {
  const sessions = sessionsOf(tried, 'first');
  const judging = new Map<readonly Cheat[], ReturnType<CheatHarness['judge']>>();

  /** The verdicts on one cheat and its twin; their session runs only once. */
  async function judged(one: Cheat) {
    const session = sessions.find((all) => all.includes(one));
    if (session === undefined) throw new Error(`${one.id} has no session`);
    const pairs = judging.get(session) ?? court.judge(session, ROUNDS, { twins: 'first' });
    judging.set(session, pairs);
    let pair = (await pairs).get(one.id);
    for (let i = 1; i < MAX_SESSIONS && pair !== undefined && !isSettled(one, pair); i += 1) {
      pair = (await court.judge([one], ROUNDS, { twins: 'first', twin: session[0] })).get(one.id);
    }
    if (pair === undefined) throw new Error(`${one.id} was not judged`);
    return pair;
  }

  test.each(tried)('$id is detected, and its honest counterpart is correct', { timeout: 240_000 }, async (one) => {
    const pair = await judged(one);
    const { cheat: found, twin } = pair;
    if (one.timed !== true || !isOpen(twin)) expect(twin).toMatchObject({ word: 'correct', reason: null });
    const says = `${found.reason ?? found.word}: ${found.time_s} s, its twin ${twin.time_s} s`;
    expect(isSettled(one, pair), says).toBe(true);
    if (FOUND.includes(found.word)) expect(found.reason).toMatch(one.found);
  });
}
