/** User kernels that this host has opened, and the addon with these kernels among its variants. */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { Code } from '../../../contract/launches.ts';
import { scenarioKindNames, valueAt } from '../../../contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { parseConfigured, variantOfLabel } from '../../../contract/tuning/configured.ts';
import { isUserKernelFile, type PrintedOutput } from '../../../contract/user-kernels.ts';
import type { KernelFolders, NativeAddon } from '../../io/addon/addon.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import { SerialQueue } from '../../io/flow/queues.ts';
import { forkChild, type StartChild } from '../../io/processes/link.ts';
import { compileUserCode, readUserResources } from '../../model/machine-code/index.ts';
import type { ShippedSpace } from '../../model/tuning/space.ts';
import { ReferencePrograms } from '../../model/user-kernels/answer.ts';
import { type BuildOptions, type BuildResult, buildCode, buildUserKernel } from '../../model/user-kernels/build.ts';
import { benchText, readUserKernel, type UserKernel } from '../../model/user-kernels/file.ts';
import { type KnownUserKernels, LoadedUserKernel } from '../../model/user-kernels/loaded.ts';
import { candidateFiles, readProblemFolder, type UserKernelBase } from '../../model/user-kernels/problem-folder.ts';
import { PrintedText } from '../../model/user-kernels/process/user-kernel-process.ts';
import { hostWorkloads, rulesOf } from '../../workloads/index.ts';
import { type ConfiguredParts, configuredKernel, type SpaceSource, spaceOf } from './configured.ts';

/** Default time limit in seconds for one run of a user kernel. */
const DEFAULT_LIMIT_S = 120;

interface UserKernelsOptions {
  /** The addon without user kernels. */
  readonly addon: NativeAddon;
  readonly folders: KernelFolders;
  readonly isTrusted: (sha256: string) => boolean;
  readonly startChild?: StartChild;
  readonly limit_s?: number;
  /** Receives the output of a kernel. */
  readonly onPrinted?: (id: string, text: string) => void;
  /** Returns the tunables of the shipped variants. By default there are none. */
  readonly spaces?: () => Promise<readonly ShippedSpace[]>;
}

/** Workload and benchmark that the variants of a scenario belong to. */
export interface BenchKind {
  readonly workload: string;
  /** Empty for a workload with a single benchmark. */
  readonly bench: string;
}

interface Mismatch {
  readonly says: string;
  readonly allowed: string;
}

/**
 * Returns workload and benchmark of a complete scenario. If the workload has several benchmarks, the kind of the
 * problem selects one.
 */
export function benchKindOf(scenario: {
  readonly kind: string;
  readonly problem?: unknown;
  readonly name?: unknown;
}): BenchKind {
  const bench = valueAt(scenario, scenario.kind === USER_PROBLEM ? ['name'] : ['problem', 'kind']);
  return { workload: scenario.kind, bench: typeof bench === 'string' ? bench : '' };
}

/**
 * Caches the lists of variants. There are hundreds for small workloads, they do not change, and every check of a file
 * requests them.
 */
function withCachedVariants(addon: NativeAddon): NativeAddon {
  const known = new Map<string | undefined, ReturnType<NativeAddon['taskVariants']>>();
  const taskVariants: NativeAddon['taskVariants'] = (workload) => {
    const variants = known.get(workload) ?? addon.taskVariants(workload);
    // An empty list is not cached: the solver is still being compiled on a first start.
    if (variants.length > 0) known.set(workload, variants);
    return variants;
  };
  return { ...addon, taskVariants };
}

export class UserKernels {
  /** The addon with user kernels among its variants. */
  readonly addon: NativeAddon;
  readonly #options: UserKernelsOptions;
  readonly #known = new Map<string, UserKernel>();
  /** Hashes of contents that are trusted only in this process: configurations of trusted sources, and submissions. */
  readonly #configured = new Set<string>();
  readonly #closing = new AbortController();
  readonly #references: ReferencePrograms;
  readonly #loaded = new Map<string, LoadedUserKernel>();
  readonly #printed = new Map<string, PrintedText>();
  /** Reads files in the order of requests, so that an older text never replaces a newer one. */
  readonly #reading = new SerialQueue();
  #limit_s: number;

  constructor(options: UserKernelsOptions) {
    this.#options = options;
    this.#limit_s = options.limit_s ?? DEFAULT_LIMIT_S;
    const { addon, folders } = options;
    this.#references = new ReferencePrograms({ addon, cache: folders.cache, signal: this.#closing.signal });
    const known: KnownUserKernels = {
      list: (workload) => this.list().filter(({ base }) => base.workload === workload),
      find: (workload, id) => {
        const kernel = this.find(id);
        return kernel?.base.workload === workload ? kernel : null;
      },
      loaded: (kernel) => this.#loadedKernel(kernel),
    };
    let engine = withCachedVariants(options.addon);
    for (const kind of scenarioKindNames) {
      engine = { ...engine, ...hostWorkloads[kind].userKernels.extendEngine(engine, known) };
    }
    this.addon = engine;
  }

  /** Sets the time limit in seconds for later runs. */
  set limit_s(seconds: number) {
    this.#limit_s = seconds;
    for (const loaded of this.#loaded.values()) loaded.retire();
    this.#loaded.clear();
  }

  get limit_s(): number {
    return this.#limit_s;
  }

  list(): readonly UserKernel[] {
    return [...this.#known.values()];
  }

  find(id: string): UserKernel | null {
    return this.#known.get(id) ?? null;
  }

  /** Returns the shipped variants of all workloads. */
  bases(): readonly UserKernelBase[] {
    return scenarioKindNames.flatMap((kind) => hostWorkloads[kind].userKernels.bases(this.#options.addon));
  }

  /** Explains why a user kernel of another workload cannot run a scenario. Null for other variants. */
  mismatch(id: string, { workload, bench }: BenchKind): Mismatch | null {
    const kernel = this.find(id);
    if (kernel === null || (kernel.base.workload === workload && kernel.base.bench === bench)) return null;
    const { base } = kernel;
    const here = benchText(workload, bench);
    const from = `${base.id} of ${benchText(base.workload, base.bench)}`;
    return { says: `is based on ${from}, but the scenario is of kind ${here}`, allowed: `variants of ${here}` };
  }

  /** Throws BraggError `invalid` if the variant is a user kernel of another workload. */
  requireMatchingWorkload(id: string, place: BenchKind): void {
    const mismatch = this.mismatch(id, place);
    if (mismatch !== null) throw new BraggError('invalid', `${id} ${mismatch.says}; allowed: ${mismatch.allowed}`);
  }

  /**
   * Reads a kernel from disk and registers it. `text`: submitted code that replaces the file's. Throws BraggError and
   * then does not register the kernel.
   */
  open(file: string, text?: string): Promise<UserKernel> {
    return this.#reading.do(async () => {
      try {
        const { sources } = this.#options.folders;
        return this.register(await readUserKernel(file, { bases: this.bases(), rulesOf, sources }, text));
      } catch (error) {
        this.#known.delete(path.basename(file));
        throw error;
      }
    });
  }

  register(kernel: UserKernel): UserKernel {
    this.#known.set(kernel.id, kernel);
    return kernel;
  }

  /**
   * Opens the kernel that a scenario names, from the first of the folders that contains it. If none contains it, a
   * kernel opened earlier by its path remains registered.
   */
  async openFromFolders(folders: readonly (string | null)[], id: string, place?: BenchKind): Promise<void> {
    const configured = parseConfigured(id);
    if (configured !== null && place !== undefined) {
      await this.openFromFolders(folders, configured.variant);
      const source = await this.space(configured.variant, place);
      if (source === null) throw new BraggError('invalid', `${configured.variant} has no tunables.`);
      this.#registerConfigured(id, source, configuredKernel(source, configured));
    }
    if (!isUserKernelFile(id)) return;
    const files = folders.flatMap((folder) => (folder === null ? [] : [path.join(folder, id)]));
    const file = files.find((one) => existsSync(one));
    if (file !== undefined) await this.open(file);
  }

  /** Returns the tunables of a variant. Null if it has none. Throws BraggError if they do not fit its source. */
  async space(variant: string, place: BenchKind): Promise<SpaceSource | null> {
    const parts: ConfiguredParts = {
      bases: this.bases(),
      shipped: (await this.#options.spaces?.()) ?? [],
      folders: this.#options.folders,
      find: (one) => this.find(one),
    };
    return spaceOf(variant, place, parts);
  }

  /** Registers the kernel under the given id, because its constants may be in another order than in the usual name. */
  #registerConfigured(id: string, { from }: SpaceSource, kernel: UserKernel): void {
    if (from === null || this.isTrusted(from)) this.#configured.add(kernel.sha256);
    this.register({ ...kernel, id });
  }

  /** Ends the processes of a kernel and removes it. */
  remove(id: string): void {
    this.#known.delete(id);
    this.#loaded.get(id)?.close();
    this.#loaded.delete(id);
    this.#printed.delete(id);
  }

  /** Opens all kernels in a folder. `troubles`: errors of those that cannot be used. */
  async openAll(folder: string): Promise<{
    readonly variants: readonly UserKernel[];
    readonly troubles: readonly { readonly id: string; readonly message: string }[];
  }> {
    const names = await this.#namesIn(folder);
    const variants: UserKernel[] = [];
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

  /** Names of the kernels in a folder. Python programs count as kernels only if they are candidates of a problem. */
  async #namesIn(folder: string): Promise<readonly string[]> {
    const problem = await readProblemFolder(folder);
    if (problem !== null) return candidateFiles(problem);
    const names = (await readdir(folder).catch(() => [])).filter(isUserKernelFile);
    return names.filter((name) => !name.endsWith('.py')).sort();
  }

  /** Returns the output of a kernel since it was last prepared. */
  printedOutput(id: string): PrintedOutput {
    return (this.#printed.get(id) ?? new PrintedText()).text;
  }

  addPrinted(id: string, text: string): void {
    const printed = this.#printed.get(id) ?? new PrintedText();
    this.#printed.set(id, printed);
    printed.add(text);
    this.#options.onPrinted?.(id, text);
  }

  isTrusted({ sha256 }: UserKernel): boolean {
    return this.#configured.has(sha256) || this.#options.isTrusted(sha256);
  }

  /**
   * Compiles user kernels, so that times of later runs do not include the compiler. Throws BraggError `untrusted` for
   * an untrusted kernel. Throws `invalid` for one of another workload, or with the compiler's messages.
   */
  async prepare(ids: readonly string[], place: BenchKind, signal?: AbortSignal): Promise<void> {
    const chosen = this.userKernelsAmong(ids);
    for (const { id } of chosen) this.requireMatchingWorkload(id, place);
    for (const kernel of chosen) {
      this.#requireTrustOf(kernel);
      this.#printed.delete(kernel.id);
      await buildCode(kernel, this.#buildOptions(signal));
    }
  }

  /**
   * Trusts a kernel in this process only. The caller must have the user's permission, for example for a complete
   * folder.
   */
  trustInProcess({ sha256 }: UserKernel): void {
    this.#configured.add(sha256);
  }

  /** Returns the user kernels among `ids`. Another thread needs them to run these variants. */
  userKernelsAmong(ids: readonly string[]): readonly UserKernel[] {
    return ids.flatMap((id) => this.#known.get(variantOfLabel(id)) ?? []);
  }

  /** Throws BraggError `untrusted` if the user does not trust the current content. */
  requireTrust(kernel: UserKernel): void {
    this.#requireTrustOf(kernel);
  }

  /**
   * Computes the expected answer with the kernel's program, and returns the path of its file. Throws BraggError
   * `untrusted` first.
   */
  async computeAnswer(kernel: UserKernel, problem: TaskProblem): Promise<string | null> {
    this.#requireTrustOf(kernel);
    return this.#references.answer(kernel, problem);
  }

  /**
   * Compiles the kernel but does not run it. Throws BraggError `untrusted` first, because a compiler reads files too.
   */
  async build(kernel: UserKernel, signal?: AbortSignal): Promise<BuildResult> {
    this.#requireTrustOf(kernel);
    return buildUserKernel(kernel, this.#buildOptions(signal));
  }

  /** Returns PTX or SASS of one CUDA kernel in the file. Throws BraggError `untrusted` first. */
  code(kernel: UserKernel, request: Parameters<typeof compileUserCode>[2]): Promise<Code> {
    this.#requireTrustOf(kernel);
    return compileUserCode(kernel, this.#buildOptions(request.signal), request);
  }

  /**
   * Returns registers, shared memory and spills of the CUDA kernels in the file. Throws BraggError `untrusted` first.
   */
  resources(kernel: UserKernel, architecture: string, signal?: AbortSignal): ReturnType<typeof readUserResources> {
    this.#requireTrustOf(kernel);
    return readUserResources(kernel, this.#buildOptions(signal), { architecture, signal });
  }

  #buildOptions(signal?: AbortSignal): BuildOptions {
    const { addon, folders } = this.#options;
    const either = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    return { addon, folders, startChild: this.startChild, signal: either };
  }

  /** Ends all processes, including compilers. */
  close(): void {
    this.#closing.abort();
    for (const loaded of this.#loaded.values()) loaded.close();
    this.#loaded.clear();
  }

  get startChild(): StartChild {
    return this.#options.startChild ?? forkChild;
  }

  #requireTrustOf(kernel: UserKernel): void {
    if (this.isTrusted(kernel)) return;
    throw new BraggError(
      'untrusted',
      `${kernel.id} is not trusted in its current version: it is code that runs with your rights. Read ${kernel.file}, then confirm that you trust it`,
    );
  }

  #loadedKernel(kernel: UserKernel): LoadedUserKernel {
    const known = this.#loaded.get(kernel.id);
    if (known?.kernel.sha256 === kernel.sha256) return known;
    known?.retire();
    const loaded = new LoadedUserKernel(kernel, {
      startChild: this.startChild,
      build: (variant) => buildCode(variant, this.#buildOptions()),
      limit_s: this.#limit_s,
      answer: (variant, problem) => this.#references.answer(variant, problem),
      onOutput: (text) => this.addPrinted(kernel.id, text),
      requireTrust: (variant) => this.#requireTrustOf(variant),
    });
    this.#loaded.set(kernel.id, loaded);
    return loaded;
  }
}
