/** The host: everything behind the page, the same in every shell and on the command line. */
import type { Capabilities, Shell } from '../../contract/capabilities.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { MethodName, Params, Result } from '../../contract/wire/methods.ts';
import type { Port } from '../../contract/wire/port.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { StagedSolver } from '../io/addon/staged-solver.ts';
import type { FileAccess } from '../io/files/access.ts';
import type { OwnedFolders } from '../io/files/owned-folder.ts';
import type { RecentFiles } from '../io/files/recent.ts';
import type { HostSettings } from '../io/files/settings.ts';
import type { Lanes } from '../io/flow/lanes.ts';
import type { StartChild } from '../io/processes/link.ts';
import type { ClaimCatalogue } from '../model/bench/claims.ts';
import type { AnyRunData } from '../workloads/run-data.ts';
import type { Scenarios } from '../workloads/scenarios/index.ts';
import type { Recomputing } from '../workloads/transport/recompute.ts';
import type { Batches } from './batches/batches.ts';
import type { Benches } from './benches/benches.ts';
import type { StoredSessions } from './benches/stored.ts';
import type { PerformBench } from './benches/thread.ts';
import type { ImportedDoses } from './doses/imported.ts';
import type { GpuKernels } from './gpu-kernels.ts';
import { beamHandlers } from './handlers/beams.ts';
import { benchHandlers, benchSources, comparisonHandlers } from './handlers/bench.ts';
import { ctHandlers, doseHandlers } from './handlers/dose.ts';
import { imageHandlers, imageSource, refiningHandlers, refiningSource } from './handlers/images.ts';
import { launchHandlers } from './handlers/launches.ts';
import { libraryHandlers, librarySource, projectHandlers } from './handlers/projects.ts';
import { desktopHandlers, recoveryHandlers } from './handlers/recovery.ts';
import { figureHandlers, runHandlers, runSources } from './handlers/runs.ts';
import { scenarioHandlers } from './handlers/scenarios.ts';
import { type ShellHandlers, shellHandlers, shellSource } from './handlers/shell.ts';
import { studyHandlers } from './handlers/studies.ts';
import { taskHandlers } from './handlers/tasks.ts';
import { timelineHandlers, timelineSource } from './handlers/timelines.ts';
import { transportRunHandlers, transportRunSources, whatIfHandlers, whatIfSource } from './handlers/transport-runs.ts';
import { userKernelHandlers } from './handlers/user-kernels.ts';
import type { Catalogue } from './library/catalogue.ts';
import type { HostLog } from './log.ts';
import type { Checkpoints, NamedSession } from './recovery/checkpoints.ts';
import { isKept } from './recovery/kept.ts';
import type { Presence } from './recovery/presence.ts';
import type { Recovery } from './recovery/recovery.ts';
import type { Refinements } from './refining/refinements.ts';
import { Remotes } from './remote/remotes.ts';
import type { RunPacker } from './run-files/packer.ts';
import type { RunCache } from './runs/cache.ts';
import type { Runs } from './runs/runs.ts';
import { Connections } from './service/connections.ts';
import { Registry } from './service/registry.ts';
import { Clusters } from './studies/cluster/clusters.ts';
import { Studies } from './studies/studies.ts';
import type { Timelines } from './timelines/timelines.ts';
import type { Uploads } from './timelines/uploads.ts';
import type { Trust } from './user-kernels/trust.ts';
import type { UserKernels } from './user-kernels/user-kernels.ts';
import type { WhatIfs } from './what-ifs/what-ifs.ts';

export interface HostOptions {
  /** Folder with `materials/` and `scenarios/`. */
  readonly assetsFolder: string;
  /** Folder of recent files and the library; the user's data folder by default. */
  readonly dataFolder?: string;
  readonly shell: Omit<Shell, 'libraryFolder' | 'remote'>;
  /** Its pages are on another machine, whose user calls this one so. */
  readonly remote?: string;
  /** Scenario that the first page opens. */
  readonly openFirst?: string;
  /** Run it at once. */
  readonly runFirst?: boolean;
  /** Index or UUID of the GPU that runs use; the first that can be used by default. */
  readonly gpu?: string;
  /** Most state that one run may take; three quarters of the machine's memory by default. */
  readonly memoryLimit_bytes?: number;
  readonly cacheBound_bytes?: number;
  readonly addon?: NativeAddon;
  /** Present where the solver is compiled while pages are served. */
  readonly solver?: StagedSolver | null;
  /** Performs benchmarks; on a dedicated thread by default. */
  readonly performBench?: PerformBench;
  /** Starts the processes of user kernels; as children of this process by default. */
  readonly startChild?: StartChild;
  /** Check every answer against the contract too; for tests. */
  readonly checkResults?: boolean;
}

/** Takes in the pages of one shell. */
export interface Door {
  /** Serves the page behind a port. `singleUse`: the carrier cannot come back, so neither does the connection. */
  accept(port: Port, options?: { readonly singleUse?: boolean }): void;
  /** Ends the pages' connections; runs go on. */
  close(reason?: string): void;
}

/** Runs with a result that was not saved when the program ended. */
export interface UnsavedRuns {
  /** The next start offers them. */
  readonly kept: number;
  /** Benchmarks, which the next start offers too. */
  readonly sessions: number;
  /** Unsaved runs that were too short for a checkpoint. */
  readonly lost: number;
}

export class Host {
  readonly scenarios: Scenarios;
  readonly runs: Runs;
  readonly batches: Batches;
  readonly benches: Benches;
  readonly files: FileAccess;
  readonly log: HostLog;
  /** The engine, with the user kernels that are known. */
  readonly addon: NativeAddon;
  /** Commit of the program; null in a package. */
  readonly commit: string | null;
  readonly userKernels: UserKernels;
  readonly trust: Trust;
  readonly clusters: Clusters;
  readonly studies: Studies;
  readonly #remotes: Remotes;
  readonly #parts: HostParts;
  readonly #registry: Registry;
  readonly #doors = new Set<Connections>();

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

  /** A call from within the process. */
  call<M extends MethodName>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>> {
    return this.#registry.call(method, params, signal);
  }

  capabilities(): Capabilities {
    return this.#parts.capabilities();
  }

  /** Lets pages open and save this file: the user chose it. */
  grant(file: string): NamedFile {
    return this.files.grant(file);
  }

  /** Whether a machine that is connected serves that address. */
  isRemotePage(url: string): boolean {
    return this.#remotes.serves(url);
  }

  /** Whether something computes or waits for a device. */
  get isComputing(): boolean {
    return !this.#parts.lanes.isFree || this.studies.isGoing;
  }

  /** A door for the pages of one shell; for Electron one per window. */
  door(shell: ShellHandlers | null = null): Door {
    const connections = new Connections({
      service: this.#registryFor(shell),
      capabilities: () => this.capabilities(),
      log: (text) => this.log.write('warning', text),
    });
    this.#doors.add(connections);
    return {
      accept: (port, options) => connections.accept(port, options),
      close: (reason = 'the window is closed') => {
        this.#doors.delete(connections);
        connections.close(reason);
      },
    };
  }

  /**
   * Cancels runs, closes connections and removes temporary data of this process. `unsaved`: whether checkpoints of
   * unsaved runs are retained. Returns the numbers of unsaved runs.
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
    for (const connections of this.#doors) connections.close('the program is closing');
    await this.#parts.catalogue.close();
    await this.#parts.sweeping;
    const kept = await this.#parts.checkpoints.close(unsaved);
    const sessions = await this.#parts.sessionStates.close(unsaved);
    await this.#parts.folders.close(isKept);
    await this.#parts.timelines.closeAll();
    await this.#parts.uploads.close();
    await this.#parts.cache.close();
    await this.#parts.scratch.close();
    await this.#parts.recent.settled();
    return { kept, sessions, lost: Math.max(0, unsavedRuns - kept) };
  }

  #registryFor(shell: ShellHandlers | null): Registry {
    const { files, log, runs, benches, timelines, checkResults, solver, gpuKernels } = this.#parts;
    return new Registry(
      {
        capabilities: () => this.capabilities(),
        ...scenarioHandlers(this.#parts),
        ...runHandlers(this.#parts),
        ...transportRunHandlers(runs),
        ...imageHandlers(this.#parts),
        ...taskHandlers(this.#parts),
        ...benchHandlers(this.#parts),
        ...comparisonHandlers(this.#parts),
        ...ctHandlers(this.#parts),
        ...doseHandlers(this.#parts),
        ...beamHandlers(this.#parts),
        ...figureHandlers(this.#parts),
        ...launchHandlers(this.#parts),
        ...timelineHandlers(this.#parts),
        ...libraryHandlers(this.#parts, shell),
        ...userKernelHandlers(this.#parts),
        ...whatIfHandlers(this.#parts),
        ...refiningHandlers(this.#parts),
        ...studyHandlers({ studies: this.studies, clusters: this.clusters, files }),
        ...projectHandlers({ ...this.#parts, studies: this.studies, program: () => this.capabilities().version }),
        ...recoveryHandlers(this.#parts),
        ...this.#remotes.handlers(),
        ...desktopHandlers(this.#parts, shell),
        ...shellHandlers(files, shell),
      },
      {
        ...runSources(runs),
        ...transportRunSources(runs, this.#parts.recomputing),
        ...imageSource(runs),
        ...whatIfSource(this.#parts.whatIfs),
        ...refiningSource(this.#parts),
        ...benchSources(benches),
        ...timelineSource(timelines),
        ...librarySource(this.#parts.catalogue),
        ...this.#remotes.source(),
        ...shellSource(shell),
        'host.log': (_params, sink) => log.read(sink),
        solver: (_params, sink) => gpuKernels.stream(solver, sink),
      },
      { checkResults, solver },
    );
  }
}

interface HostParts {
  readonly addon: NativeAddon;
  readonly solver: StagedSolver | null;
  readonly gpuKernels: GpuKernels;
  readonly commit: string | null;
  readonly userKernels: UserKernels;
  readonly trust: Trust;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly recent: RecentFiles;
  readonly catalogue: Catalogue;
  readonly settings: HostSettings;
  readonly folders: OwnedFolders;
  readonly scratch: OwnedFolders;
  /** Leftovers of crashes are deleted during startup. */
  readonly sweeping: Promise<void>;
  readonly checkpoints: Checkpoints<AnyRunData>;
  readonly sessionStates: Checkpoints<NamedSession>;
  readonly recovery: Recovery;
  readonly presence: Presence;
  readonly packer: RunPacker;
  readonly cache: RunCache;
  readonly runs: Runs;
  readonly lanes: Lanes;
  readonly batches: Batches;
  readonly recomputing: Recomputing;
  readonly whatIfs: WhatIfs;
  readonly benches: Benches;
  readonly timelines: Timelines;
  readonly uploads: Uploads;
  readonly doses: ImportedDoses;
  readonly refinements: Refinements;
  readonly assetsFolder: string;
  readonly stored: StoredSessions;
  readonly claims: ClaimCatalogue;
  readonly log: HostLog;
  /** Asks the device when it is first called. */
  readonly capabilities: () => Capabilities;
  readonly memoryLimit_bytes: number;
  readonly checkResults: boolean;
}
