/** The host: everything behind the page, common to all shells and the command line. */
import type { Capabilities, Shell } from '../../contract/capabilities.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { MethodName, Params, Result } from '../../contract/wire/methods.ts';
import type { Port } from '../../contract/wire/protocol.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { StagedSolver } from '../io/addon/staged-solver.ts';
import type { FileAccess } from '../io/files/access.ts';
import type { OwnedFolders } from '../io/files/owned-folder.ts';
import type { HostSettings, RecentFiles } from '../io/files/state-file.ts';
import type { Lanes } from '../io/flow/lanes.ts';
import type { StartChild } from '../io/processes/link.ts';
import type { ClaimCatalogue } from '../model/bench/claims.ts';
import type { AnyRunData } from '../workloads/run-data.ts';
import type { Scenarios } from '../workloads/scenarios/scenarios.ts';
import type { DoseVolumes } from '../workloads/transport/beams/volume.ts';
import type { PlaneRecomputer } from '../workloads/transport/recompute.ts';
import type { Batches } from './batches/batches.ts';
import type { Benches } from './benches/benches.ts';
import type { StoredSessions } from './benches/stored.ts';
import type { BenchRunner } from './benches/thread.ts';
import type { ImportedDoses } from './doses/imported.ts';
import type { GpuKernels } from './gpu-kernels.ts';
import { benchHandlers, benchSources } from './handlers/bench.ts';
import { comparisonHandlers } from './handlers/comparison.ts';
import { beamHandlers, ctHandlers, doseHandlers, volumeSource } from './handlers/dose.ts';
import { imageHandlers, imageSource, refiningHandlers, refiningSource } from './handlers/images.ts';
import { launchHandlers } from './handlers/launches.ts';
import {
  desktopHandlers,
  libraryHandlers,
  librarySource,
  projectHandlers,
  recoveryHandlers,
  type ShellHandlers,
  shellHandlers,
  shellSource,
} from './handlers/projects.ts';
import {
  figureHandlers,
  runHandlers,
  runSources,
  taskHandlers,
  transportRunHandlers,
  transportRunSources,
  whatIfHandlers,
  whatIfSource,
} from './handlers/runs.ts';
import { scenarioHandlers } from './handlers/scenarios.ts';
import { studyHandlers } from './handlers/studies.ts';
import { timelineHandlers, timelineSource } from './handlers/timelines.ts';
import { userKernelHandlers } from './handlers/user-kernels.ts';
import type { Catalogue } from './library/catalogue.ts';
import type { HostLog } from './log.ts';
import { type Checkpoints, isSaved, type NamedSession } from './recovery/checkpoints.ts';
import type { PresenceFile } from './recovery/presence.ts';
import type { Recovery } from './recovery/recovery.ts';
import type { Refinements } from './refining/refinements.ts';
import { Remotes } from './remote/remotes.ts';
import type { RunPacker } from './run-files/packer.ts';
import type { RunCache } from './runs/cache.ts';
import type { Runs } from './runs/runs.ts';
import { Connections } from './service/connection.ts';
import { Registry } from './service/service.ts';
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
  /** The user's name for this machine, if pages run on another machine. */
  readonly remote?: string;
  /** Scenario that the first page opens. */
  readonly openFirst?: string;
  /** Whether to run `openFirst` at once. */
  readonly runFirst?: boolean;
  /** Index or UUID of the GPU for runs; by default the first usable one. */
  readonly gpu?: string;
  /** Memory limit for the state of one run; by default three quarters of the machine's memory. */
  readonly memoryLimit_bytes?: number;
  readonly cacheBound_bytes?: number;
  readonly addon?: NativeAddon;
  /** Set if the solver is compiled while pages are served. */
  readonly solver?: StagedSolver | null;
  /** Runs benchmarks; by default on a dedicated thread. */
  readonly performBench?: BenchRunner;
  /** Starts the processes of user kernels; as children of this process by default. */
  readonly startChild?: StartChild;
  /** Validate every response against the contract; for tests. */
  readonly checkResults?: boolean;
}

/** Accepts the pages of one shell. */
export interface PageAcceptor {
  /** Serves the page on a port. `singleUse`: the carrier cannot reconnect, so the connection ends with it. */
  accept(port: Port, options?: { readonly singleUse?: boolean }): void;
  /** Closes the pages' connections; runs continue. */
  close(reason?: string): void;
}

/** Numbers of runs with unsaved results at the end of the program. */
export interface UnsavedRuns {
  /** Number of runs that the next start offers for recovery. */
  readonly kept: number;
  /** Number of benchmark sessions that the next start offers. */
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
  /** Engine with all known user kernels. */
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

  /** Calls a method from within the process. */
  call<M extends MethodName>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>> {
    return this.#registry.call(method, params, signal);
  }

  capabilities(): Capabilities {
    return this.#parts.capabilities();
  }

  /** Allows pages to open and save a file that the user chose. */
  grant(file: string): NamedFile {
    return this.files.grant(file);
  }

  /** Whether a connected remote machine serves this address. */
  isRemotePage(url: string): boolean {
    return this.#remotes.serves(url);
  }

  /** Whether a run or benchmark computes or waits for a device. */
  get isComputing(): boolean {
    return !this.#parts.lanes.isFree || this.studies.isGoing;
  }

  /** Accepts the pages of one shell; Electron has one such acceptor per window. */
  door(shell: ShellHandlers | null = null): PageAcceptor {
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
    await this.#parts.folders.close(isSaved);
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
        ...volumeSource(this.#parts),
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
  readonly presence: PresenceFile;
  readonly packer: RunPacker;
  readonly cache: RunCache;
  readonly runs: Runs;
  readonly lanes: Lanes;
  readonly batches: Batches;
  readonly recomputing: PlaneRecomputer;
  readonly whatIfs: WhatIfs;
  readonly benches: Benches;
  readonly timelines: Timelines;
  readonly uploads: Uploads;
  readonly doses: ImportedDoses;
  readonly volumes: DoseVolumes;
  readonly refinements: Refinements;
  readonly assetsFolder: string;
  readonly stored: StoredSessions;
  readonly claims: ClaimCatalogue;
  readonly log: HostLog;
  /** Queries the devices on the first call. */
  readonly capabilities: () => Capabilities;
  readonly memoryLimit_bytes: number;
  readonly checkResults: boolean;
}
