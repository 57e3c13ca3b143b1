/**
 * Judges every cheat once, in sessions of one problem with one honest twin, through the code that page and command line
 * use. test/bench/cheats.ts repeats each cheat with its own twin.
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { correctnessOf, correctnessReason, type SessionEntry } from '../../electron/contract/bench/session.ts';
import { UserKernels } from '../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, type NativeAddon, variantOptionsOf } from '../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../electron/host/model/bench/machine.ts';
import { createLimits } from '../../electron/host/model/bench/stopping.ts';
import type { BenchProblem } from '../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../electron/host/workloads/index.ts';
import { openScenarios } from '../../electron/host/workloads/scenarios/scenarios.ts';
import { assetsFolder, memoryLimit_bytes } from '../electron/host/small-run.ts';
import { benchInProcess } from '../electron/host/test-host.ts';
import { cacheWithUserKernels, fixedScratchFolder } from '../scratch-folder.ts';
import {
  type Cheat,
  cheats,
  DETECTED_VERDICTS,
  documentOf,
  isMemoryDoubtful,
  nameOf,
  ROUNDS,
  sessionsOf,
  writeKernel,
  writeProblem,
} from './cheats.ts';

interface CheatVerdict {
  /** Verdict: `correct`, `wrong`, `impossible`, `not checked`, or `refused`. */
  readonly word: string;
  readonly reason: string | null;
  readonly time_s: number | null;
}

interface VerdictPair {
  readonly cheat: CheatVerdict;
  readonly twin: CheatVerdict;
}

const placeOf = ({ of }: Cheat) =>
  'replaces' in of ? { workload: of.workload, bench: of.bench ?? '' } : { workload: 'user-problem', bench: of.name };

function verdictOf(entry: SessionEntry | undefined): CheatVerdict {
  if (entry === undefined) throw new Error('the session has no such entry');
  if (entry.status === 'refused') return { word: 'refused', reason: entry.reason, time_s: null };
  return { word: correctnessOf(entry.accuracy), reason: correctnessReason(entry.accuracy), time_s: entry.time_s };
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
  async compile(sessions: readonly (readonly [Cheat, ...Cheat[]])[]): Promise<void> {
    const cheats = sessions.flat();
    const honest = sessions.map(([first]) => first);
    const shapes = new Set(cheats.flatMap(({ of }) => ('replaces' in of ? [] : [of])));
    for (const shape of shapes) await writeProblem(path.join(this.#folder, shape.name), shape);
    const waiting = [
      ...cheats.map((cheat) => ({ cheat, isCheat: true })),
      ...honest.map((cheat) => ({ cheat, isCheat: false })),
    ];
    const compiling = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const { cheat, isCheat } = one;
        const code = await writeKernel(cheat, isCheat, { folder: this.#folder, sources: kernelFolders().sources });
        this.#trusted.add((await this.#own.open(code)).sha256);
        const id = nameOf(cheat, isCheat);
        await this.#own.prepare([id], placeOf(cheat)).catch((error: unknown) => {
          if (!isCheat) throw error;
          this.#refused.set(cheat.id, String(error));
        });
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, compiling));
  }

  /**
   * Judges cheats of one problem in one session. Cheats that do not compile are left out; the session also contains
   * their twin.
   */
  async judge(
    cheats: readonly [Cheat, ...Cheat[]],
    rounds: number,
    twin: Cheat = cheats[0],
  ): Promise<ReadonlyMap<string, VerdictPair>> {
    const [first] = cheats;
    const honest = nameOf(twin, false);
    const built = cheats.filter((cheat) => !this.#refused.has(cheat.id)).map((cheat) => nameOf(cheat, true));
    const variants = [honest, ...built];
    await this.#own.prepare(variants, placeOf(first));
    const { entries } = await benchInProcess(this.#own.addon, await this.#problemOf(first), {
      ...{ scenario: first.id, seed: 1, limits: createLimits(rounds, 60), variants, sample_s: 2e-3 },
    });
    const of = (variant: string): CheatVerdict => verdictOf(entries.find((entry) => entry.variant === variant));
    const pairOf = (cheat: Cheat): VerdictPair => {
      const reason = this.#refused.get(cheat.id);
      const judged = reason === undefined ? of(nameOf(cheat, true)) : { word: 'refused', reason, time_s: null };
      return { cheat: judged, twin: of(honest) };
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
      offers: variantOptionsOf(this.#own.addon),
      memoryLimit_bytes,
    });
    const document = 'replaces' in of ? of.document : { ...documentOf(of), solver: { threads: 2 } };
    const reading = await scenarios.check(document, { name: 's.json', folder: null });
    if (reading.kind === null || !reading.problem) throw new Error(JSON.stringify(reading.issues));
    return { kind: reading.kind, problem: reading.problem() } as BenchProblem;
  }
}

/**
 * Maximum number of sessions per cheat. On a busy machine a session may end with an open doubt about memory. The
 * verdict is then *not checked*, and another session follows, as the reason of that verdict advises.
 */
const MAX_SESSIONS = 3;

/** Creates a harness with a folder of this name. Call this in a suite, before its tests. */
function useCheatHarness(name: string, tried: readonly Cheat[]): CheatHarness {
  const court = new CheatHarness(fixedScratchFolder(name));
  beforeAll(() => court.compile(sessionsOf(tried, 'first')), 240_000);
  afterAll(() => court.close());
  return court;
}

/**
 * On busy cores a cheat may gain no time, because noise hides the saving or its threads are late. It is then as slow as
 * an honest kernel, or the verdict stays open.
 */
const gainsNothing = (pair: VerdictPair): boolean =>
  isMemoryDoubtful(pair.cheat) ||
  (pair.cheat.time_s !== null && pair.twin.time_s !== null && pair.cheat.time_s > 0.9 * pair.twin.time_s);

function isSettled(of: Cheat, pair: VerdictPair): boolean {
  const timed = of.timed === true;
  return (
    (DETECTED_VERDICTS.includes(pair.cheat.word) || (timed && gainsNothing(pair))) &&
    (timed || !isMemoryDoubtful(pair.twin))
  );
}

/** Defines tests that judge the cheats of a problem in one session, with one honest twin. */
function reportDetection(court: CheatHarness, tried: readonly Cheat[]): void {
  const sessions = sessionsOf(tried, 'first');
  const judging = new Map<readonly Cheat[], ReturnType<CheatHarness['judge']>>();

  /** The verdicts on one cheat and its twin; their session runs only once. */
  async function judgeOnce(one: Cheat) {
    const session = sessions.find((all) => all.includes(one));
    if (session === undefined) throw new Error(`${one.id} has no session`);
    const pairs = judging.get(session) ?? court.judge(session, ROUNDS);
    judging.set(session, pairs);
    let pair = (await pairs).get(one.id);
    for (let i = 1; i < MAX_SESSIONS && pair !== undefined && !isSettled(one, pair); i += 1) {
      pair = (await court.judge([one], ROUNDS, session[0])).get(one.id);
    }
    if (pair === undefined) throw new Error(`${one.id} was not judged`);
    return pair;
  }

  test.each(tried)('$id is detected, and its honest counterpart is correct', { timeout: 240_000 }, async (one) => {
    const pair = await judgeOnce(one);
    const { cheat: found, twin } = pair;
    if (one.timed !== true || !isMemoryDoubtful(twin)) expect(twin).toMatchObject({ word: 'correct', reason: null });
    const says = `${found.reason ?? found.word}: ${found.time_s} s, its twin ${twin.time_s} s`;
    expect(isSettled(one, pair), says).toBe(true);
    if (DETECTED_VERDICTS.includes(found.word)) expect(found.reason).toMatch(one.found);
  });
}

/** One cheat of each kind that needs no separate session. */
const QUICK = [
  ...['skips-a-standing-result', 'keeps-its-last-result', 'constant-for-the-seed', 'remembers-by-content'],
  ...['remembers-the-first-inputs', 'only-sampled-places', 'half-of-the-work', 'only-this-size', 'now-and-then'],
  ...['lower-precision', 'replaces-the-clock'],
];
const quick = cheats.filter(({ id }) => QUICK.includes(id));
const others = cheats.filter((cheat) => !quick.includes(cheat));

test('the quick cheats exist', () => expect(quick).toHaveLength(QUICK.length));

describe('a cheat of each kind', () => reportDetection(useCheatHarness('cheats', quick), quick));

describe('every other cheat', { tags: 'slow' }, () => reportDetection(useCheatHarness('other-cheats', others), others));
