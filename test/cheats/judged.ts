/**
 * Judges a cheat and its honest twin: one file, compiled with and without `CHEAT`, in one session through the door that
 * the page and the command line take.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
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

  constructor(folder: string, addon: NativeAddon = loadAddon()) {
    this.#folder = folder;
    this.#addon = addon;
    // A cheat may know where it would look.
    process.env['BRAGGBENCH_CHEATS_CACHE'] = path.join(folder, 'cache');
    this.#own = new UserKernels({
      addon,
      folders: { ...kernelFolders(), cache: path.join(folder, 'cache') },
      isTrusted: (sha256) => this.#trusted.has(sha256),
      startChild: forkChild,
    });
  }

  async judge(cheat: Cheat, rounds: number): Promise<Pair> {
    const ids = [await this.#made(cheat, true), await this.#made(cheat, false)] as const;
    const { workload, bench = '' } = cheat;
    const refused = await this.#own.prepare([ids[0]], { workload, bench }).then(() => null, String);
    if (refused !== null) {
      // One that is not even built has no session; its twin has.
      const { twin } = await this.#session(cheat, [ids[1]], rounds);
      return { cheat: { word: 'refused', reason: refused, time_s: null }, twin };
    }
    return this.#session(cheat, ids, rounds);
  }

  async #session(cheat: Cheat, ids: readonly string[], rounds: number): Promise<Pair> {
    const { workload, bench = '' } = cheat;
    await this.#own.prepare(ids, { workload, bench });
    const { entries } = await benchHere(this.#own.addon, await this.#problemOf(cheat), {
      ...{ scenario: cheat.id, seed: 1, limits: limitsOf(rounds, 60), variants: [...ids].reverse(), sample_s: 2e-3 },
    });
    const judged = ids.map((id) => judgedOf(entries.find(({ variant }) => variant === id)));
    const [mine] = judged;
    const twin = judged.at(-1);
    if (mine === undefined || twin === undefined) throw new Error(`${cheat.id} was not judged`);
    return { cheat: mine, twin };
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
    const name = `${isCheat ? 'cheat' : 'twin'}-${file}`;
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
