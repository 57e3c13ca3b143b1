/** Opens the host, one subsystem after the other, each with the earlier ones as arguments. */

import { totalmem } from 'node:os';
import path from 'node:path';
import type { Capabilities } from '../../contract/capabilities.ts';
import { USER_PROBLEM } from '../../contract/scenario/user-problem/index.ts';
import { extraStraggling, loadAddon, type NativeAddon, offersOf } from '../io/addon/addon.ts';
import { chooseGpu, usedGpu } from '../io/addon/gpu.ts';
import { FileAccess } from '../io/files/access.ts';
import { dataFolder } from '../io/files/folders.ts';
import { Library } from '../io/files/library.ts';
import { Locks, OWN_FOLDER } from '../io/files/locks.ts';
import { OwnedFolders, removeUnless } from '../io/files/owned-folder.ts';
import { HostSettings, RecentFiles } from '../io/files/state-file.ts';
import { thisMachine } from '../io/files/this-machine.ts';
import { sweepOnce } from '../io/files/write-file.ts';
import { Lanes } from '../io/flow/lanes.ts';
import { once } from '../io/flow/once.ts';
import { commitOf } from '../model/bench/commit.ts';
import { kernelFolders } from '../model/bench/machine.ts';
import { copyCeilings } from '../model/timeline/ceilings.ts';
import { readShippedSpaces } from '../model/tuning/space.ts';
import { allVariants, hostWorkloads, kernelFoldersOf } from '../workloads/index.ts';
import { openScenarios, type Scenarios } from '../workloads/scenarios/scenarios.ts';
import { DoseVolumes } from '../workloads/transport/beams/volume.ts';
import { PlaneRecomputer } from '../workloads/transport/recompute.ts';
import { Batches } from './batches/batches.ts';
import { Benches } from './benches/benches.ts';
import { measuredRuns, StoredSessions } from './benches/stored.ts';
import { benchOnThread } from './benches/thread.ts';
import { ImportedDoses } from './doses/imported.ts';
import { GpuKernels } from './gpu-kernels.ts';
import { placeOf as placeOfFile } from './handlers/scenarios.ts';
import { Host, type HostOptions } from './host.ts';
import { Catalogue } from './library/catalogue.ts';
import { HostLog } from './log.ts';
import { Checkpoints, runForm, sessionForm } from './recovery/checkpoints.ts';
import { PresenceFile } from './recovery/presence.ts';
import { Recovery } from './recovery/recovery.ts';
import { Refinements } from './refining/refinements.ts';
import { runPacker } from './run-files/packer.ts';
import { DEFAULT_BOUND_BYTES, RunCache } from './runs/cache.ts';
import { Runs } from './runs/runs.ts';
import { readCurrent } from './sessions/index.ts';
import { Timelines } from './timelines/timelines.ts';
import { Uploads } from './timelines/uploads.ts';
import { Trust } from './user-kernels/trust.ts';
import { placeOf, UserKernels } from './user-kernels/user-kernels.ts';
import { WhatIfs } from './what-ifs/what-ifs.ts';

/** The remaining memory is for the system, the page and results of earlier runs. */
const SHARE_OF_MEMORY = 0.75;

/** Versions of the program, and properties of the processor. */
function readProgram(addon: NativeAddon): Pick<Capabilities, 'version' | 'build' | 'compiler' | 'cpu'> {
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, memoryBytes, isa, os } = addon.machine();
  return { version, build, compiler, cpu: { name: cpu, logicalCores, isa, memory_bytes: memoryBytes, os } };
}

/** Opens the user's data: log, settings, library, recent files, scratch folders and trust. */
async function openData({ assetsFolder, dataFolder: named, shell }: HostOptions) {
  const data = named ?? dataFolder();
  // The command line prints its own messages.
  const log = new HostLog(shell.kind === 'none' ? null : path.join(data, 'logs'));
  const trouble = (reason: string): void => log.write('warning', reason);
  const locks = new Locks(data);
  const settings = await HostSettings.open(data, locks, trouble);
  const library = new Library(settings.values.libraryFolder ?? path.join(data, 'library'), [
    { folder: path.join(assetsFolder, 'scenarios'), below: '', endings: ['.json', '.yaml', '.yml'] },
    // Recorded sessions are excluded here, because Compare lists them.
    { folder: path.join(assetsFolder, 'runs'), below: 'recorded/', endings: ['.h5'] },
  ]);
  const files = new FileAccess(library, locks);
  const recent = new RecentFiles(data, locks, trouble);
  const scratch = new OwnedFolders(path.join(data, 'scratch'));
  const trust = await Trust.open(data, locks, trouble);
  return { data, log, trouble, locks, settings, library, files, recent, scratch, trust };
}
type Data = Awaited<ReturnType<typeof openData>>;

/** Solver with the user's kernels, and the capabilities of the machine. */
async function openEngine(options: HostOptions, { trust, files, log }: Data) {
  const begun_ms = performance.now();
  const solver = options.solver ?? null;
  const engine = options.addon ?? solver?.addon ?? loadAddon();
  const opened = [{ name: 'addon loaded', seconds: (performance.now() - begun_ms) / 1000 }];
  if (options.gpu !== undefined) chooseGpu({ cuda: engine.driverDevices() }, options.gpu);
  const userKernels = new UserKernels({
    addon: engine,
    folders: kernelFolders(),
    isTrusted: (sha256) => trust.has(sha256),
    spaces: once(() => readShippedSpaces(options.assetsFolder)),
    ...(options.startChild === undefined ? {} : { startChild: options.startChild }),
  });
  const memoryLimit_bytes = options.memoryLimit_bytes ?? Math.floor(totalmem() * SHARE_OF_MEMORY);
  const program = readProgram(engine);
  // Compiler and instruction set are known once the solver is ready.
  solver?.watch(() => Object.assign(program, readProgram(engine)));
  const started = `Braggbench ${program.version} (${program.build}) on ${program.cpu.os} has started.`;
  if (log.file !== null) log.write('info', started);
  const commit = await commitOf(path.dirname(options.assetsFolder));
  // Opening a device and its libraries needs 0.5 s and 200 MB, so do it on demand.
  const found = once(() => engine.devices());
  const devices = () => (solver?.state.stage === 'none' ? engine.devices() : found());
  const gpu = once(() => usedGpu({ cuda: engine.driverDevices() })?.name ?? null);
  const { addon } = userKernels;
  const capabilities = (): Capabilities => ({
    ...program,
    devices: devices(),
    variants: [...allVariants(addon)],
    // The user may change the library's folder while the program runs.
    shell: { ...options.shell, libraryFolder: files.library.folder, remote: options.remote ?? null },
    memoryLimit_bytes,
    openFirst: options.openFirst === undefined ? null : files.grant(options.openFirst).file,
    runFirst: options.runFirst ?? false,
  });
  // Pages request the devices on connecting, so query them now, before the event loop serves others.
  if (options.shell.kind !== 'none') devices();
  const gpuKernels = new GpuKernels(addon, log.write);
  if (options.shell.kind !== 'none') {
    const whole = solver?.reach('whole') ?? Promise.resolve();
    // The page reports a solver that cannot be compiled.
    void whole.then(
      () => gpuKernels.compile(kernelFoldersOf(addon, ({ compiledAtStart }) => compiledAtStart)),
      () => undefined,
    );
  }
  return {
    addon,
    solver,
    gpuKernels,
    userKernels,
    memoryLimit_bytes,
    program,
    capabilities,
    devices,
    commit,
    gpu,
    opened,
  };
}
type Engine = Awaited<ReturnType<typeof openEngine>>;

function openReaders(
  { assetsFolder }: HostOptions,
  { library }: Data,
  { addon, userKernels, memoryLimit_bytes }: Engine,
) {
  return openScenarios({
    assetsFolder,
    rangeTable: addon.rangeTable,
    variants: (kind) => hostWorkloads[kind].variants(addon),
    workloads: hostWorkloads,
    discover: async (folder, id, scenario) => {
      // `auto` measures all candidates of a problem, so open them all.
      if (scenario.kind === USER_PROBLEM && folder !== null) await userKernels.openAll(folder);
      await userKernels.discover([folder, library.folder], id, placeOf(scenario));
    },
    mismatch: (id, scenario) => userKernels.mismatch(id, placeOf(scenario)),
    extraStraggling: extraStraggling(addon),
    offers: offersOf(addon),
    memoryLimit_bytes,
  });
}

/** Runs from the queue to their files, with their checkpoints. */
function openRuns(options: HostOptions, { data, scratch, trouble, log }: Data, engine: Engine) {
  const { addon, userKernels, commit, gpu, opened } = engine;
  const packer = runPacker;
  const cache = new RunCache(scratch, packer, options.cacheBound_bytes ?? DEFAULT_BOUND_BYTES, trouble);
  const lanes = new Lanes();
  const folders = new OwnedFolders(path.join(data, 'recovery'));
  const checkpoints = new Checkpoints(folders, runForm(packer), trouble);
  const sessionStates = new Checkpoints(folders, sessionForm, trouble);
  const perform =
    options.performBench ?? benchOnThread(userKernels.startChild, (id, text) => userKernels.addPrinted(id, text));
  const { version, build } = engine.program;
  const { name: cpu, logicalCores, memory_bytes, os } = engine.program.cpu;
  const program = {
    ...{ version, build, commit },
    get compiler() {
      return engine.program.compiler;
    },
  };
  const machine = { id: thisMachine().id, cpu, logicalCores, memory_bytes, os };
  const runs = new Runs({
    addon,
    measure: (task, onProgress, signal, soFar) =>
      perform(
        { ...task, userKernels: userKernels.chosen(task.variants), userKernelLimit_s: userKernels.limit_s },
        onProgress,
        signal,
        soFar,
      ),
    assetsFolder: options.assetsFolder,
    cache,
    lanes,
    program,
    machine,
    gpu,
    opened,
    log: log.write,
    // The command line saves its own results.
    checkpoints: options.shell.kind === 'none' ? null : checkpoints,
  });
  const { memoryLimit_bytes } = engine;
  const batches = new Batches(lanes, { addon, memoryLimit_bytes, program, machine, gpu });
  return { packer, cache, lanes, folders, checkpoints, sessionStates, perform, runs, batches, program, machine };
}
type RunParts = ReturnType<typeof openRuns>;

function openWhatIfs({ files }: Data, engine: Engine, scenarios: Scenarios, made: RunParts): WhatIfs {
  const { addon, userKernels, memoryLimit_bytes, gpu } = engine;
  const { runs, lanes, program, machine } = made;
  return new WhatIfs({
    ...{ addon, scenarios, memoryLimit_bytes, runs, lanes, program, machine, gpu },
    placeOf: (file) => placeOfFile(files, file),
    prepareVariant: (scenario, variant) => userKernels.prepare([variant], placeOf(scenario)),
  });
}

/** Stored benchmark sessions, and new measurements. */
async function openBenches({ assetsFolder, shell }: HostOptions, data: Data, engine: Engine, made: RunParts) {
  const { files, trouble, log } = data;
  const { runs, lanes, perform, sessionStates } = made;
  const { gpu, program } = engine;
  const current = await readCurrent(assetsFolder);
  const stored = new StoredSessions({
    recordedFolder: path.join(assetsFolder, 'runs'),
    files,
    current,
    measuredRuns: () => measuredRuns(runs),
    trouble,
  });
  const machine = () => gpu() ?? program.cpu.name;
  // The command line saves its own results.
  const checkpoints = shell.kind === 'none' ? null : sessionStates;
  const benches = new Benches({ lanes, files, stored, perform, machine, checkpoints, log: log.write });
  const recovery = new Recovery({ ...made, files, stored, benches });
  return { stored, benches, claims: current.claims, recovery };
}

function openTimelines({ assetsFolder }: HostOptions, { scratch }: Data, { devices, userKernels }: Engine) {
  const timelines = new Timelines(userKernels.startChild, copyCeilings(devices, path.join(assetsFolder, 'runs')));
  return { timelines, uploads: new Uploads(scratch) };
}

/** Deletes leftovers of killed processes: partial files, results that did not fit into memory, empty folders. */
async function deleteLeftovers(
  data: string,
  library: string,
  scratch: OwnedFolders,
  recovery: Recovery,
): Promise<void> {
  const ofOwners = ['recovery', 'scratch'].map((name) => path.join(data, name));
  for (const folder of [data, library, path.join(library, OWN_FOLDER), ...ofOwners]) await sweepOnce(folder);
  for (const folder of await scratch.orphans()) await removeUnless(folder, () => false);
  await recovery.sweep();
}

/**
 * Loads the solver and the program's data. Throws BraggError if the solver cannot be loaded or the requested GPU cannot
 * be used.
 */
export async function openHost(options: HostOptions): Promise<Host> {
  const data = await openData(options);
  const engine = await openEngine(options, data);
  const scenarios = await openReaders(options, data, engine);
  const runs = openRuns(options, data, engine);
  const benches = await openBenches(options, data, engine, runs);
  const timelines = openTimelines(options, data, engine);
  const { files, locks, trouble, library, scratch } = data;
  const readers = { scenarios, runFacts: runs.packer.facts };
  return new Host({
    ...data,
    ...engine,
    scenarios,
    ...runs,
    ...benches,
    ...timelines,
    catalogue: new Catalogue({ dataFolder: data.data, files, locks, readers, onTrouble: trouble }),
    whatIfs: openWhatIfs(data, engine, scenarios, runs),
    recomputing: new PlaneRecomputer({ addon: engine.addon, runs: runs.runs, scenarios, lanes: runs.lanes }),
    presence: new PresenceFile(data.data),
    doses: new ImportedDoses(),
    refinements: new Refinements({ addon: engine.addon, scenarios, lanes: runs.lanes }),
    volumes: new DoseVolumes({ ...engine, lanes: runs.lanes }),
    sweeping: deleteLeftovers(data.data, library.folder, scratch, benches.recovery),
    assetsFolder: options.assetsFolder,
    checkResults: options.checkResults ?? false,
  });
}
