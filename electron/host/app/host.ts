/** The host: everything behind the page. All shells and the command line use it. */
import type { Capabilities } from '../../contract/capabilities.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { MethodName, Params, Result } from '../../contract/wire/methods.ts';
import type { Port } from '../../contract/wire/protocol.ts';
import type { ShellHandlers } from './handlers/projects.ts';
import { registryFor } from './handlers/registry.ts';
import { type HostOptions, type HostParts, openParts } from './parts.ts';
import { isNoteName } from './recovery/checkpoints.ts';
import { Remotes } from './remote/remotes.ts';
import { Connections } from './service/connection.ts';
import type { Registry } from './service/service.ts';
import { Clusters } from './studies/cluster/clusters.ts';
import { Studies } from './studies/studies.ts';

/** Accepts the pages of one shell. */
export interface PageAcceptor {
  /**
   * Serves a page on a port. `singleUse`: the port cannot be reopened after a failure, so the connection ends with it.
   */
  accept(port: Port, options?: { readonly singleUse?: boolean }): void;
  /** Closes the connections of the pages. Runs continue. */
  close(reason?: string): void;
}

/** Numbers of unsaved runs and sessions when the program ends. */
export interface UnsavedRuns {
  /** Number of runs that the next start offers for recovery. */
  readonly kept: number;
  /** Number of benchmark sessions that the next start offers for recovery. */
  readonly sessions: number;
  /** Number of unsaved runs that were too short for a checkpoint. */
  readonly lost: number;
}

export class Host {
  readonly scenarios: HostParts['scenarios'];
  readonly runs: HostParts['runs'];
  readonly batches: HostParts['batches'];
  readonly benches: HostParts['benches'];
  readonly files: HostParts['files'];
  readonly log: HostParts['log'];
  /** The addon with all known user kernels. */
  readonly addon: HostParts['addon'];
  /** Commit of the program. Null in a package. */
  readonly commit: string | null;
  readonly userKernels: HostParts['userKernels'];
  readonly trust: HostParts['trust'];
  readonly clusters: Clusters;
  readonly studies: Studies;
  readonly #remotes: Remotes;
  readonly #parts: HostParts;
  readonly #registry: Registry;
  readonly #acceptors = new Set<Connections>();

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.scenarios = parts.scenarios;
    this.runs = parts.runs;
    this.batches = parts.batches;
    this.benches = parts.benches;
    this.files = parts.files;
    this.log = parts.log;
    this.addon = parts.addon;
    this.commit = parts.commit;
    this.userKernels = parts.userKernels;
    this.trust = parts.trust;
    this.clusters = new Clusters(parts.settings);
    this.#remotes = new Remotes(parts.assetsFolder);
    this.studies = new Studies({
      host: () => this,
      assetsFolder: parts.assetsFolder,
      libraryFolder: () => parts.files.library.folder,
      clusters: this.clusters,
    });
    this.#registry = this.#registryFor(null);
  }

  /** Calls a method from within this process. */
  call<M extends MethodName>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>> {
    return this.#registry.call(method, params, signal);
  }

  capabilities(): Capabilities {
    return this.#parts.capabilities();
  }

  /** Allows pages to open and save this file, which the user has selected. */
  grant(file: string): NamedFile {
    return this.files.grant(file);
  }

  /** Whether the address is served by a connected remote machine. */
  isRemotePage(url: string): boolean {
    return this.#remotes.serves(url);
  }

  /** Whether a run or benchmark is computing or waits for a device. */
  get isComputing(): boolean {
    return !this.#parts.lanes.isFree || this.studies.isSolving;
  }

  /** Returns an acceptor for the pages of one shell. Electron has one acceptor per window. */
  pageAcceptor(shell: ShellHandlers | null = null): PageAcceptor {
    const connections = new Connections({
      service: this.#registryFor(shell),
      capabilities: () => this.capabilities(),
      log: (text) => this.log.write('warning', text),
    });
    this.#acceptors.add(connections);
    return {
      accept: (port, options) => connections.accept(port, options),
      close: (reason = 'the window is closed') => {
        this.#acceptors.delete(connections);
        connections.close(reason);
      },
    };
  }

  /**
   * Cancels runs, closes connections and removes temporary data of this process. `unsaved`: whether to retain
   * checkpoints of unsaved runs. Returns the numbers of unsaved runs.
   */
  async close(unsaved: 'keep' | 'drop' = 'keep'): Promise<UnsavedRuns> {
    await Promise.all([
      this.#remotes.close(),
      this.#parts.whatIfs.close(),
      this.studies.close(),
      this.benches.close(),
      this.runs.close(),
    ]);
    const unsavedRuns = this.runs.unsaved;
    this.userKernels.close();
    for (const connections of this.#acceptors) connections.close('the program is closing');
    await this.#parts.catalogue.close();
    await this.#parts.sweeping;
    const kept = await this.#parts.checkpoints.close(unsaved);
    const sessions = await this.#parts.sessionStates.close(unsaved);
    await this.#parts.folders.close(isNoteName);
    await this.#parts.timelines.closeAll();
    await this.#parts.uploads.close();
    await this.#parts.cache.close();
    await this.#parts.scratch.close();
    await this.#parts.recent.settled();
    return { kept, sessions, lost: Math.max(0, unsavedRuns - kept) };
  }

  #registryFor(shell: ShellHandlers | null): Registry {
    const { studies, clusters } = this;
    return registryFor({ ...this.#parts, studies, clusters, remotes: this.#remotes }, shell);
  }
}

/**
 * Loads the solver and the program's data. Throws BraggError if the solver cannot be loaded or the requested GPU cannot
 * be used.
 */
export const openHost = async (options: HostOptions): Promise<Host> => new Host(await openParts(options));
