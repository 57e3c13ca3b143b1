/** The host: everything behind the page, the same in every shell and on the command line. */
import { totalmem } from 'node:os';
import path from 'node:path';
import type { KeptSession } from '../../contract/bench/kept-session.ts';
import type { Capabilities, Shell } from '../../contract/capabilities.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { MethodName, Params, Result } from '../../contract/wire/methods.ts';
import type { Port } from '../../contract/wire/port.ts';
import { extraStraggling, loadAddon, type NativeAddon } from '../io/addon/addon.ts';
import { chooseGpu, usedGpu } from '../io/addon/gpu.ts';
import { FileAccess } from '../io/files/access.ts';
import { dataFolder } from '../io/files/data-folder.ts';
import { Library } from '../io/files/library.ts';
import { Locks, OWN_FOLDER } from '../io/files/locks.ts';
import { OwnedFolders, removeUnless } from '../io/files/owned-folder.ts';
import { RecentFiles } from '../io/files/recent.ts';
import { HostSettings } from '../io/files/settings.ts';
import { sweepOnce } from '../io/files/temporary.ts';
import { Lanes } from '../io/flow/lanes.ts';
import { kernelFolders } from '../model/bench/ceilings.ts';
import { commitOf } from '../model/bench/commit.ts';
import { copyCeilings } from '../model/timeline/ceilings.ts';
import type { StartChild } from '../model/user-kernels/process/link.ts';
import { allVariants, hostWorkloads } from '../workloads/index.ts';
import { openScenarios, type Scenarios } from '../workloads/scenarios/index.ts';
import { Recomputing } from '../workloads/transport/recompute.ts';
import { Benches } from './benches/benches.ts';
import { measuredRuns } from './benches/measured-runs.ts';
import { StoredSessions } from './benches/stored.ts';
import { benchOnThread, type PerformBench } from './benches/thread.ts';
import { benchHandlers, benchSources } from './handlers/bench.ts';
import { comparisonHandlers } from './handlers/comparison.ts';
import { desktopHandlers } from './handlers/desktop.ts';
import { doseHandlers } from './handlers/dose.ts';
import { figureHandlers } from './handlers/figures.ts';
import { imageHandlers, imageSource } from './handlers/images.ts';
import { launchHandlers } from './handlers/launches.ts';
import { libraryHandlers, librarySource } from './handlers/library.ts';
import { ownHandlers } from './handlers/own.ts';
import { recoveryHandlers } from './handlers/recovery.ts';
import { runHandlers, runSources } from './handlers/runs.ts';
import { scenarioHandlers } from './handlers/scenarios.ts';
import { type ShellHandlers, shellHandlers, shellSource } from './handlers/shell.ts';
import { taskHandlers } from './handlers/tasks.ts';
import { timelineHandlers, timelineSource } from './handlers/timelines.ts';
import { Catalogue } from './library/catalogue.ts';
import { HostLog } from './log.ts';
import { Checkpoints } from './recovery/checkpoints.ts';
import { isKept } from './recovery/kept.ts';
import { Presence } from './recovery/presence.ts';
import { Recovery } from './recovery/recovery.ts';
import { RunPacker } from './run-files/packer.ts';
import { DEFAULT_BOUND_BYTES, RunCache } from './runs/cache.ts';
import { Runs } from './runs/runs.ts';
import { Registry } from './service/registry.ts';
import { Sessions } from './service/sessions.ts';
import { asSession, outlineOf, readKnown } from './sessions/index.ts';
import { Timelines } from './timelines/timelines.ts';
import { Uploads } from './timelines/uploads.ts';
import { OwnVariants, placeOf } from './user-kernels/own-variants.ts';
import { Trust } from './user-kernels/trust.ts';

export interface HostOptions {
  /** Folder with `materials/` and `scenarios/`. */
  readonly assetsFolder: string;
  /** Where recent files and the library are; the user's own by default. */
  readonly dataFolder?: string;
  readonly shell: Omit<Shell, 'libraryFolder'>;
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
  /** How benchmarks run; on a thread of their own by default. */
  readonly performBench?: PerformBench;
  /** How the processes of own variants start; as children of this one by default. */
  readonly startChild?: StartChild;
  /** Check every answer against the contract too; for tests. */
  readonly checkResults?: boolean;
}

/** The rest is for the system, the page and the results of earlier runs. */
const SHARE_OF_MEMORY = 0.75;

/** Takes in the pages of one shell. */
export interface Door {
  /** Serves the page behind a port. `singleUse`: the carrier cannot come back, so neither does the session. */
  accept(port: Port, options?: { readonly singleUse?: boolean }): void;
  /** Ends the pages' sessions; runs go on. */
  close(reason?: string): void;
}

/** Runs with a result that was not saved when the program ended. */
export interface UnsavedRuns {
  /** The next start offers them. */
  readonly kept: number;
  /** They took less time than what is kept. */
  readonly lost: number;
}

export class Host {
  readonly scenarios: Scenarios;
  readonly runs: Runs;
  readonly benches: Benches;
  readonly files: FileAccess;
  readonly log: HostLog;
  /** The engine, with the own variants that are known. */
  readonly addon: NativeAddon;
  /** Of the program; null in a package. */
  readonly commit: string | null;
  readonly own: OwnVariants;
  readonly trust: Trust;
  readonly #parts: HostParts;
  readonly #registry: Registry;
  readonly #doors = new Set<Sessions>();

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.scenarios = parts.scenarios;
    this.runs = parts.runs;
    this.benches = parts.benches;
    this.files = parts.files;
    this.log = parts.log;
    this.addon = parts.addon;
    this.commit = parts.commit;
    this.own = parts.own;
    this.trust = parts.trust;
    this.#registry = this.#registryFor(null);
  }

  /** A call from within the process. */
  call<M extends MethodName>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>> {
    return this.#registry.call(method, params, signal);
  }

  capabilities(): Capabilities {
    const { capabilities, files } = this.#parts;
    // The folder is the user's to change while the program runs.
    const variants = this.own.list().length === 0 ? capabilities.variants : [...allVariants(this.addon)];
    return { ...capabilities, variants, shell: { ...capabilities.shell, libraryFolder: files.library.folder } };
  }

  /** Lets pages open and save this file: the user chose it. */
  grant(file: string): NamedFile {
    return this.files.grant(file);
  }

  /** A door for the pages of one shell; for Electron one per window. */
  door(shell: ShellHandlers | null = null): Door {
    const sessions = new Sessions({
      service: this.#registryFor(shell),
      capabilities: () => this.capabilities(),
      log: (text) => this.log.write('warning', text),
    });
    this.#doors.add(sessions);
    return {
      accept: (port, options) => sessions.accept(port, options),
      close: (reason = 'the window is closed') => {
        this.#doors.delete(sessions);
        sessions.close(reason);
      },
    };
  }

  /**
   * Cancels runs, ends sessions, and removes what was kept for this process only. `unsaved`: what becomes of runs that
   * were kept against a crash and not saved. What became of them.
   */
  async close(unsaved: 'keep' | 'drop' = 'keep'): Promise<UnsavedRuns> {
    await Promise.all([this.benches.close(), this.runs.close()]);
    const unsavedRuns = this.runs.unsaved;
    this.own.close();
    for (const sessions of this.#doors) sessions.close('the program is closing');
    this.#parts.catalogue.close();
    await this.#parts.sweeping;
    const kept = await this.#parts.checkpoints.close(unsaved);
    await this.#parts.folders.close(isKept);
    await this.#parts.timelines.closeAll();
    await this.#parts.uploads.close();
    await this.#parts.cache.close();
    await this.#parts.scratch.close();
    await this.#parts.packer.close();
    await this.#parts.recent.settled();
    return { kept, lost: Math.max(0, unsavedRuns - kept) };
  }

  #registryFor(shell: ShellHandlers | null): Registry {
    const { files, log, runs, benches, timelines, checkResults } = this.#parts;
    return new Registry(
      {
        capabilities: () => this.capabilities(),
        ...scenarioHandlers(this.#parts),
        ...runHandlers(this.#parts),
        ...imageHandlers(this.#parts),
        ...taskHandlers(this.#parts),
        ...benchHandlers(this.#parts),
        ...comparisonHandlers(this.#parts),
        ...doseHandlers(this.#parts),
        ...figureHandlers(this.#parts),
        ...launchHandlers(this.#parts),
        ...timelineHandlers(this.#parts),
        ...libraryHandlers(this.#parts, shell),
        ...ownHandlers(this.#parts),
        ...recoveryHandlers(this.#parts),
        ...desktopHandlers(this.#parts, shell),
        ...shellHandlers(files, shell),
      },
      {
        ...runSources(runs, this.#parts.recomputing),
        ...imageSource(runs),
        ...benchSources(benches),
        ...timelineSource(timelines),
        ...librarySource(this.#parts.catalogue),
        ...shellSource(shell),
        'host.log': (_params, sink) => log.read(sink),
      },
      { checkResults },
    );
  }
}

interface HostParts {
  readonly addon: NativeAddon;
  readonly commit: string | null;
  readonly own: OwnVariants;
  readonly trust: Trust;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly recent: RecentFiles;
  readonly catalogue: Catalogue;
  readonly settings: HostSettings;
  readonly folders: OwnedFolders;
  readonly scratch: OwnedFolders;
  /** What crashes left behind is swept up while the program starts. */
  readonly sweeping: Promise<void>;
  readonly checkpoints: Checkpoints;
  readonly recovery: Recovery;
  readonly presence: Presence;
  readonly packer: RunPacker;
  readonly cache: RunCache;
  readonly runs: Runs;
  readonly recomputing: Recomputing;
  readonly benches: Benches;
  readonly timelines: Timelines;
  readonly uploads: Uploads;
  readonly assetsFolder: string;
  readonly stored: StoredSessions;
  readonly log: HostLog;
  readonly capabilities: Capabilities;
  readonly memoryLimit_bytes: number;
  readonly checkResults: boolean;
}

function readCapabilities(addon: NativeAddon, options: HostOptions, files: FileAccess, limit: number): Capabilities {
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, isa, memoryBytes, os } = addon.machine();
  return {
    version,
    build,
    compiler,
    cpu: { name: cpu, logicalCores, isa, memory_bytes: memoryBytes, os },
    devices: addon.devices(),
    variants: [...allVariants(addon)],
    shell: { ...options.shell, libraryFolder: files.library.folder },
    memoryLimit_bytes: limit,
    openFirst: options.openFirst === undefined ? null : files.grant(options.openFirst).file,
    runFirst: options.runFirst ?? false,
  };
}

/** What processes that were killed left: half-written files, results that did not fit into memory, empty folders. */
async function sweep(data: string, library: string, scratch: OwnedFolders, recovery: Recovery): Promise<void> {
  for (const folder of [data, library, path.join(library, OWN_FOLDER)]) await sweepOnce(folder);
  for (const folder of await scratch.orphans()) await removeUnless(folder, () => false);
  await recovery.sweep();
}

/** Loads the solver and the program's data. Throws BraggError when the solver cannot be loaded, or no such GPU used. */
export async function openHost(options: HostOptions): Promise<Host> {
  const engine = options.addon ?? loadAddon();
  if (options.gpu !== undefined) chooseGpu(engine.devices(), options.gpu);
  const data = options.dataFolder ?? dataFolder();
  // The command line says what it has to say itself.
  const log = new HostLog(options.shell.kind === 'none' ? null : path.join(data, 'logs'));
  const trouble = (reason: string): void => log.write('warning', reason);
  const locks = new Locks(data);
  const settings = await HostSettings.open(data, locks, trouble);
  const libraryFolder = settings.values.libraryFolder ?? path.join(data, 'library');
  const library = new Library(libraryFolder, [
    { folder: path.join(options.assetsFolder, 'scenarios'), below: '', endings: ['.json', '.yaml', '.yml'] },
    // Sessions among them are those of Compare.
    { folder: path.join(options.assetsFolder, 'runs'), below: 'recorded/', endings: ['.h5'] },
  ]);
  const trust = await Trust.open(data, locks, trouble);
  const own = new OwnVariants({
    addon: engine,
    folders: kernelFolders(),
    isTrusted: (sha256) => trust.has(sha256),
    ...(options.startChild === undefined ? {} : { startChild: options.startChild }),
  });
  const { addon } = own;
  const memoryLimit_bytes = options.memoryLimit_bytes ?? Math.floor(totalmem() * SHARE_OF_MEMORY);
  const scenarios = await openScenarios({
    assetsFolder: options.assetsFolder,
    rangeTable: addon.rangeTable,
    variants: (kind) => hostWorkloads[kind].variants(addon),
    workloads: hostWorkloads,
    discover: (folder, id) => own.discover([folder, library.folder], id),
    mismatch: (id, scenario) => own.mismatch(id, placeOf(scenario)),
    extraStraggling: extraStraggling(addon),
    memoryLimit_bytes,
  });
  const files = new FileAccess(library, locks);
  const packer = new RunPacker();
  const readers = { scenarios, runFacts: packer.facts.bind(packer) };
  const catalogue = new Catalogue({ dataFolder: data, files, locks, readers, onTrouble: trouble });
  const scratch = new OwnedFolders(path.join(data, 'scratch'));
  const cache = new RunCache(scratch, packer, options.cacheBound_bytes ?? DEFAULT_BOUND_BYTES, trouble);
  const capabilities = readCapabilities(engine, options, files, memoryLimit_bytes);
  const started = `Braggbench ${capabilities.version} (${capabilities.build}) on ${capabilities.cpu.os} has started.`;
  if (log.file !== null) log.write('info', started);
  const { version, build, compiler } = capabilities;
  const { name: cpu, logicalCores, memory_bytes, os } = capabilities.cpu;
  const commit = await commitOf(path.dirname(options.assetsFolder));
  const lanes = new Lanes();
  const folders = new OwnedFolders(path.join(data, 'recovery'));
  const checkpoints = new Checkpoints(folders, packer, trouble);
  const gpu = usedGpu(capabilities.devices)?.name ?? null;
  const perform = options.performBench ?? benchOnThread(own.startChild);
  const runs = new Runs({
    addon,
    measure: (task, onProgress, signal, soFar) =>
      perform({ ...task, own: own.chosen(task.variants), ownLimit_s: own.limit_s }, onProgress, signal, soFar),
    assetsFolder: options.assetsFolder,
    cache,
    lanes,
    program: { version, build, compiler, commit },
    machine: { cpu, logicalCores, memory_bytes, os },
    gpu,
    log: log.write,
    // The command line saves what it was told to save.
    checkpoints: options.shell.kind === 'none' ? null : checkpoints,
  });
  const recovery = new Recovery({ folders, files, packer, runs, checkpoints });
  const { imageClaims } = await readKnown(addon, options.assetsFolder);
  const asKnownSession = (kept: KeptSession) => asSession(kept, { variants: allVariants(addon), imageClaims });
  const stored = new StoredSessions({
    recordedFolder: path.join(options.assetsFolder, 'runs'),
    files,
    asSession: asKnownSession,
    outlineOf: (kept) => outlineOf(kept, allVariants(addon)),
    measuredRuns: () => measuredRuns(runs),
    trouble,
  });
  const benches = new Benches({
    lanes,
    files,
    stored,
    asSession: asKnownSession,
    perform,
    machine: gpu ?? cpu,
    log: log.write,
  });
  const timelines = new Timelines(copyCeilings(() => capabilities.devices, path.join(options.assetsFolder, 'runs')));
  const uploads = new Uploads(scratch);
  const recent = new RecentFiles(data, locks, trouble);
  const checkResults = options.checkResults ?? false;
  return new Host({
    addon,
    commit,
    own,
    trust,
    scenarios,
    files,
    recent,
    catalogue,
    settings,
    folders,
    scratch,
    sweeping: sweep(data, libraryFolder, scratch, recovery),
    checkpoints,
    recovery,
    presence: new Presence(data),
    packer,
    cache,
    runs,
    recomputing: new Recomputing({ addon, runs, scenarios, lanes }),
    benches,
    timelines,
    uploads,
    assetsFolder: options.assetsFolder,
    stored,
    log,
    capabilities,
    memoryLimit_bytes,
    checkResults,
  });
}
