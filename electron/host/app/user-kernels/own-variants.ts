/** The own variants that this host knows, and the addon as everything else sees it: with them among its variants. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { isOwnId } from '../../../contract/own.ts';
import { scenarioKindNames, valueAt } from '../../../contract/scenario/index.ts';
import type { KernelFolders, NativeAddon } from '../../io/addon/addon.ts';
import { InOrder } from '../../io/flow/in-order.ts';
import type { OwnBase } from '../../model/user-kernels/base.ts';
import { type BuildOptions, type Built, buildOwn, codeOf } from '../../model/user-kernels/build.ts';
import { benchText, type OwnVariant, readOwn } from '../../model/user-kernels/file.ts';
import type { KnownOwn } from '../../model/user-kernels/known.ts';
import { forkChild, type StartChild } from '../../model/user-kernels/process/link.ts';
import { OwnSession } from '../../model/user-kernels/session.ts';
import { hostWorkloads, rulesOf } from '../../workloads/index.ts';

/** Most seconds that one run of an own variant may take unless it is said otherwise. */
export const USUAL_LIMIT_S = 120;

export interface OwnVariantsOptions {
  /** The engine itself. */
  readonly addon: NativeAddon;
  readonly folders: KernelFolders;
  readonly isTrusted: (sha256: string) => boolean;
  readonly startChild?: StartChild;
  readonly limit_s?: number;
}

/** Of a scenario: what its variants must be of. */
export interface Place {
  readonly workload: string;
  /** Empty for a workload that has one. */
  readonly bench: string;
}

export interface Mismatch {
  readonly says: string;
  readonly allowed: string;
}

/** Of a scenario with its defaults. A workload that has several benchmarks names one as the kind of its problem. */
export function placeOf(scenario: { readonly kind: string; readonly problem?: unknown }): Place {
  const bench = valueAt(scenario, ['problem', 'kind']);
  return { workload: scenario.kind, bench: typeof bench === 'string' ? bench : '' };
}

export class OwnVariants {
  /** The engine with own variants among its own. */
  readonly addon: NativeAddon;
  readonly #options: OwnVariantsOptions;
  readonly #known = new Map<string, OwnVariant>();
  readonly #closing = new AbortController();
  readonly #sessions = new Map<string, OwnSession>();
  /** What was asked for last is read last: an older text never takes the place of a newer one. */
  readonly #reading = new InOrder();
  #limit_s: number;

  constructor(options: OwnVariantsOptions) {
    this.#options = options;
    this.#limit_s = options.limit_s ?? USUAL_LIMIT_S;
    const known: KnownOwn = {
      list: (workload) => this.list().filter(({ base }) => base.workload === workload),
      find: (workload, id) => {
        const own = this.find(id);
        return own?.base.workload === workload ? own : null;
      },
      session: (own) => this.#session(own),
    };
    let engine = options.addon;
    for (const kind of scenarioKindNames) {
      engine = { ...engine, ...hostWorkloads[kind].own.among(engine, known) };
    }
    this.addon = engine;
  }

  /** Of runs that are started from now on. */
  set limit_s(seconds: number) {
    this.#limit_s = seconds;
    for (const session of this.#sessions.values()) session.retire();
    this.#sessions.clear();
  }

  get limit_s(): number {
    return this.#limit_s;
  }

  list(): readonly OwnVariant[] {
    return [...this.#known.values()];
  }

  find(id: string): OwnVariant | null {
    return this.#known.get(id) ?? null;
  }

  /** The shipped variants of all workloads. */
  bases(): readonly OwnBase[] {
    return scenarioKindNames.flatMap((kind) => hostWorkloads[kind].own.bases(this.#options.addon));
  }

  /** Why a variant cannot run a scenario, where it is an own one of another workload; null otherwise. */
  mismatch(id: string, { workload, bench }: Place): Mismatch | null {
    const own = this.find(id);
    if (own === null || (own.base.workload === workload && own.base.bench === bench)) return null;
    const { base } = own;
    const here = benchText(workload, bench);
    const from = `${base.id} of ${benchText(base.workload, base.bench)}`;
    return { says: `is made from ${from}, and the scenario is of ${here}`, allowed: `variants of ${here}` };
  }

  /** Throws a BraggError `invalid` for an own variant of another workload. */
  requireFit(id: string, place: Place): void {
    const mismatch = this.mismatch(id, place);
    if (mismatch !== null) throw new BraggError('invalid', `${id} ${mismatch.says}; allowed: ${mismatch.allowed}`);
  }

  /** Reads one from disk, and knows it from now on. Throws a BraggError; then it is not known. */
  open(file: string): Promise<OwnVariant> {
    return this.#reading.do(async () => {
      try {
        const { sources } = this.#options.folders;
        return this.adopt(await readOwn(file, { bases: this.bases(), rulesOf, sources }));
      } catch (error) {
        this.#known.delete(path.basename(file));
        throw error;
      }
    });
  }

  adopt(own: OwnVariant): OwnVariant {
    this.#known.set(own.id, own);
    return own;
  }

  /** Opens the one that a scenario names from the first of the folders that has it. One opened by its path stays. */
  async discover(folders: readonly (string | null)[], id: string): Promise<void> {
    if (!isOwnId(id)) return;
    const files = folders.flatMap((folder) => (folder === null ? [] : [path.join(folder, id)]));
    const file = files.find((one) => existsSync(one));
    if (file !== undefined) await this.open(file);
  }

  /** All of a folder; `troubles` are those that cannot be used. */
  async openAll(folder: string): Promise<{
    readonly variants: readonly OwnVariant[];
    readonly troubles: readonly { readonly id: string; readonly message: string }[];
  }> {
    const names = (await readdir(folder).catch(() => [])).filter(isOwnId).sort();
    const variants: OwnVariant[] = [];
    const troubles: { id: string; message: string }[] = [];
    for (const id of names) {
      try {
        variants.push(await this.open(path.join(folder, id)));
      } catch (error) {
        if (!(error instanceof BraggError)) throw error;
        troubles.push({ id, message: error.message });
      }
    }
    return { variants, troubles };
  }

  isTrusted({ sha256 }: OwnVariant): boolean {
    return this.#options.isTrusted(sha256);
  }

  /**
   * Before variants are run on a scenario: throws a BraggError `untrusted` for an
   * own one that is not trusted, and `invalid` for one of another workload, or
   * with its compiler's messages for one that does not compile. A run's time then
   * holds no compiler.
   */
  async prepare(ids: readonly string[], place: Place, signal?: AbortSignal): Promise<void> {
    const chosen = this.chosen(ids);
    for (const { id } of chosen) this.requireFit(id, place);
    for (const own of chosen) {
      this.#requireTrustOf(own);
      await codeOf(own, this.#buildOptions(signal));
    }
  }

  /** Those of `ids` that are own ones: what another thread needs to run them. */
  chosen(ids: readonly string[]): readonly OwnVariant[] {
    return ids.flatMap((id) => this.#known.get(id.replace(/[@:].*$/, '')) ?? []);
  }

  /** Compiles it and runs nothing of it. Throws a BraggError `untrusted` first: a compiler reads files too. */
  async build(own: OwnVariant, signal?: AbortSignal): Promise<Built> {
    this.#requireTrustOf(own);
    return buildOwn(own, this.#buildOptions(signal));
  }

  #buildOptions(signal?: AbortSignal): BuildOptions {
    const { addon, folders } = this.#options;
    const either = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    return { addon, folders, startChild: this.startChild, signal: either };
  }

  /** Ends every process, compilers too. */
  close(): void {
    this.#closing.abort();
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  get startChild(): StartChild {
    return this.#options.startChild ?? forkChild;
  }

  #requireTrustOf(own: OwnVariant): void {
    if (this.isTrusted(own)) return;
    throw new BraggError(
      'untrusted',
      `${own.id} has not been trusted in this state: it is code that runs with your rights. Read ${own.file}, and say that you trust it`,
    );
  }

  #session(own: OwnVariant): OwnSession {
    const known = this.#sessions.get(own.id);
    if (known?.own.sha256 === own.sha256) return known;
    known?.retire();
    const session = new OwnSession(own, {
      startChild: this.startChild,
      build: (variant) => codeOf(variant, this.#buildOptions()),
      limit_s: this.#limit_s,
      requireTrust: (variant) => this.#requireTrustOf(variant),
    });
    this.#sessions.set(own.id, session);
    return session;
  }
}
