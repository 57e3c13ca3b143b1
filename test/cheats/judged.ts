/**
 * Judges cheats and their honest twins: each is one file, compiled with and without `CHEAT`. Those of one problem share a
 * session, through the entry point of the page and the command line.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { correctnessOf, reasonOf, type SessionEntry } from '../../electron/contract/bench/session.ts';
import { UserKernels } from '../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, type NativeAddon, offersOf } from '../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../electron/host/model/bench/ceilings.ts';
import { limitsOf } from '../../electron/host/model/bench/stopping.ts';
import type { BenchProblem } from '../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../electron/host/workloads/index.ts';
import { openScenarios } from '../../electron/host/workloads/scenarios/index.ts';
import { benchHere } from '../electron/host/bench-here.ts';
import { assetsFolder, memoryLimit_bytes } from '../electron/host/small-run.ts';
import { cacheWithUserKernels } from '../scratch-folder.ts';
import type { Cheat } from './cheats.ts';

export interface Judged {
  /** `correct`, `wrong`, `impossible`, `not checked`, or `refused`. */
  readonly word: string;
  readonly reason: string | null;
  readonly time_s: number | null;
}

interface Pair {
  readonly cheat: Judged;
  readonly twin: Judged;
}

const kernels = path.join(import.meta.dirname, 'kernels');

const nameOf = ({ file }: Cheat, isCheat: boolean): string => `${isCheat ? 'cheat' : 'twin'}-${file}`;

function judgedOf(entry: SessionEntry | undefined): Judged {
  if (entry === undefined) throw new Error('the session has no such entry');
  if (entry.status === 'refused') return { word: 'refused', reason: entry.reason, time_s: null };
  return { word: correctnessOf(entry.accuracy), reason: reasonOf(entry.accuracy), time_s: entry.time_s };
}

export class Court {
  readonly #folder: string;
  readonly #addon: NativeAddon;
  readonly #own: UserKernels;
  readonly #trusted = new Set<string>();
  /** Reasons by the id of the cheat. */
  readonly #refused = new Map<string, string>();

  constructor(folder: string, addon: NativeAddon = loadAddon()) {
    this.#folder = folder;
    this.#addon = addon;
    // A cheat may know where it would look.
    const cache = cacheWithUserKernels(folder);
    process.env['BRAGGBENCH_CHEATS_CACHE'] = cache;
    this.#own = new UserKernels({
      addon,
      folders: { ...kernelFolders(), cache },
      isTrusted: (sha256) => this.#trusted.has(sha256),
      startChild: forkChild,
    });
  }

  /** Compiles all of them, as many at once as there are cores, and remembers those that are refused. */
  async compile(cheats: readonly Cheat[]): Promise<void> {
    const waiting = cheats.flatMap((cheat) => [true, false].map((isCheat) => ({ cheat, isCheat })));
    const compiling = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const { cheat, isCheat } = one;
        const { workload, bench = '' } = cheat;
        const id = await this.#made(cheat, isCheat);
        await this.#own.prepare([id], { workload, bench }).catch((error: unknown) => {
          if (!isCheat) throw error;
          this.#refused.set(cheat.id, String(error));
        });
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, compiling));
  }

  /** All of one problem, in one session. One that is not even built has no part in it; its twin has. */
  async judge(cheats: readonly [Cheat, ...Cheat[]], rounds: number): Promise<ReadonlyMap<string, Pair>> {
    const [{ id, workload, bench = '' }] = cheats;
    const twins = cheats.map((cheat) => nameOf(cheat, false));
    const built = cheats.filter((cheat) => !this.#refused.has(cheat.id)).map((cheat) => nameOf(cheat, true));
    const variants = [...twins, ...built];
    await this.#own.prepare(variants, { workload, bench });
    const { entries } = await benchHere(this.#own.addon, await this.#problemOf(cheats[0]), {
      ...{ scenario: id, seed: 1, limits: limitsOf(rounds, 60), variants, sample_s: 2e-3 },
    });
    const of = (variant: string): Judged => judgedOf(entries.find((entry) => entry.variant === variant));
    const pairOf = (cheat: Cheat): Pair => {
      const reason = this.#refused.get(cheat.id);
      const judged = reason === undefined ? of(nameOf(cheat, true)) : { word: 'refused', reason, time_s: null };
      return { cheat: judged, twin: of(nameOf(cheat, false)) };
    };
    return new Map(cheats.map((cheat) => [cheat.id, pairOf(cheat)]));
  }

  close(): void {
    this.#own.close();
  }

  async #problemOf({ problem }: Cheat): Promise<BenchProblem> {
    if (!('document' in problem)) return problem;
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
    const reading = await scenarios.check(problem.document, { name: 's.json', folder: null });
    if (reading.kind === null || !reading.problem) throw new Error(JSON.stringify(reading.issues));
    return { kind: reading.kind, problem: reading.problem() } as BenchProblem;
  }

  async #made(cheat: Cheat, isCheat: boolean): Promise<string> {
    const { id, file, inPlaceOf, workload, bench, base, replaces, answer } = cheat;
    const folder = path.join(this.#folder, id);
    await mkdir(folder, { recursive: true });
    const own = await readFile(path.join(kernels, file), 'utf8');
    const text = inPlaceOf === undefined ? own : await this.#patched(replaces, inPlaceOf, own);
    const name = nameOf(cheat, isCheat);
    const code = path.join(folder, name);
    await writeFile(code, `${isCheat ? '#define CHEAT 1\n' : ''}${text}`);
    const description = {
      ...{ kind: 'variant', version: 1, workload, base, replaces, title: name },
      ...(bench !== undefined && { bench }),
      ...(answer !== undefined && { answer: 'answer.ts' }),
    };
    if (answer !== undefined) await writeFile(path.join(folder, 'answer.ts'), answer);
    await writeFile(code.replace(/\.(cpp|cu)$/, '.json'), JSON.stringify(description));
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
