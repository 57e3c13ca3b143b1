/** Opens the subsystems of the host one after another. Each receives the earlier ones as arguments. */

import path from 'node:path';
import { USER_PROBLEM } from '../../contract/scenario/user-problem/index.ts';
import { extraStragglingOf, variantOptionsOf } from '../io/addon/addon.ts';
import { ProcessFolders } from '../io/files/owned-folder.ts';
import { identifyThisMachine } from '../io/files/this-machine.ts';
import { LaneQueue } from '../io/flow/lanes.ts';
import { copyCeilings } from '../model/timeline/ceilings.ts';
import { hostWorkloads } from '../workloads/index.ts';
import { openScenarios, type Scenarios } from '../workloads/scenarios/scenarios.ts';
import { DoseVolumes } from '../workloads/transport/beams/volume.ts';
import { PlaneRecomputer } from '../workloads/transport/recompute.ts';
import { Batches } from './batches/batches.ts';
import { Benches } from './benches/benches.ts';
import { measuredRuns, StoredSessions } from './benches/stored.ts';
import { type BenchRunner, benchOnThread } from './benches/thread.ts';
import { ImportedDoses } from './doses/imported.ts';
import { type Engine, type EngineOptions, openEngine } from './engine.ts';
import { originOf } from './handlers/scenarios.ts';
import { Catalogue } from './library/catalogue.ts';
import { Checkpoints, runForm, sessionForm } from './recovery/checkpoints.ts';
import { PresenceFile } from './recovery/presence.ts';
import { Recovery } from './recovery/recovery.ts';
import { Refinements } from './refining/refinements.ts';
import { runPacker } from './run-files/packer.ts';
import { DEFAULT_BOUND_BYTES, RunCache } from './runs/cache.ts';
import { Runs } from './runs/runs.ts';
import { readCurrentRules } from './sessions/index.ts';
import { Timelines } from './timelines/timelines.ts';
import { Uploads } from './timelines/uploads.ts';
import { deleteLeftovers, openUserData, type UserData } from './user-data.ts';
import { benchKindOf } from './user-kernels/user-kernels.ts';
import { WhatIfs } from './what-ifs/what-ifs.ts';

export interface HostOptions extends EngineOptions {
  readonly cacheBound_bytes?: number;
  /** Runs benchmarks. By default each one runs on a dedicated thread. */
  readonly performBench?: BenchRunner;
  /** Whether to validate every response against the contract. For tests. */
  readonly checkResults?: boolean;
}

function openScenarioReaders(
  { assetsFolder }: HostOptions,
  { library }: UserData,
  { addon, userKernels, memoryLimit_bytes }: Engine,
) {
  return openScenarios({
    assetsFolder,
    rangeTable: addon.rangeTable,
    variants: (kind) => hostWorkloads[kind].variants(addon),
    workloads: hostWorkloads,
    discover: async (folder, id, scenario) => {
      // `auto` measures all candidates of a problem, so all must be opened.
      if (scenario.kind === USER_PROBLEM && folder !== null) await userKernels.openAll(folder);
      await userKernels.openFromFolders([folder, library.folder], id, benchKindOf(scenario));
    },
    mismatch: (id, scenario) => userKernels.mismatch(id, benchKindOf(scenario)),
    extraStraggling: extraStragglingOf(addon),
    offers: variantOptionsOf(addon),
    memoryLimit_bytes,
  });
}

/** Describes program and machine, as they are recorded with every result. */
function describeProvenance({ program, commit }: Engine) {
  const { version, build } = program;
  const { name: cpu, logicalCores, memory_bytes, os } = program.cpu;
  return {
    program: {
      ...{ version, build, commit },
      // Use a getter, because the compiler is unknown until the solver is ready.
      get compiler() {
        return program.compiler;
      },
    },
    machine: { id: identifyThisMachine().id, cpu, logicalCores, memory_bytes, os },
  };
}

/** Opens the subsystems for runs: queue, cache, files and checkpoints. */
function openRuns(options: HostOptions, { data, scratch, trouble, log }: UserData, engine: Engine) {
  const { addon, userKernels, gpu, opened } = engine;
  const packer = runPacker;
  const cache = new RunCache(scratch, packer, options.cacheBound_bytes ?? DEFAULT_BOUND_BYTES, trouble);
  const lanes = new LaneQueue();
  const folders = new ProcessFolders(path.join(data, 'recovery'));
  const checkpoints = new Checkpoints(folders, runForm(packer), trouble);
  const sessionStates = new Checkpoints(folders, sessionForm, trouble);
  const perform =
    options.performBench ?? benchOnThread(userKernels.startChild, (id, text) => userKernels.addPrinted(id, text));
  const { program, machine } = describeProvenance(engine);
  const runs = new Runs({
    addon,
    measure: (task, onProgress, signal, soFar) =>
      perform(
        { ...task, userKernels: userKernels.userKernelsAmong(task.variants), userKernelLimit_s: userKernels.limit_s },
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
    // The command line saves sessions itself and needs no checkpoints of them.
    checkpoints: options.shell.kind === 'none' ? null : checkpoints,
  });
  const { memoryLimit_bytes } = engine;
  const batches = new Batches(lanes, { addon, memoryLimit_bytes, program, machine, gpu });
  return { packer, cache, lanes, folders, checkpoints, sessionStates, perform, runs, batches, program, machine };
}
type RunParts = ReturnType<typeof openRuns>;

function openWhatIfs({ files }: UserData, engine: Engine, scenarios: Scenarios, made: RunParts): WhatIfs {
  const { addon, userKernels, memoryLimit_bytes, gpu } = engine;
  const { runs, lanes, program, machine } = made;
  return new WhatIfs({
    ...{ addon, scenarios, memoryLimit_bytes, runs, lanes, program, machine, gpu },
    originOf: (file) => originOf(files, file),
    prepareVariant: (scenario, variant) => userKernels.prepare([variant], benchKindOf(scenario)),
  });
}

/** Opens stored benchmark sessions, and the subsystem that measures new ones. */
async function openBenches({ assetsFolder, shell }: HostOptions, data: UserData, engine: Engine, made: RunParts) {
  const { files, trouble, log } = data;
  const { runs, lanes, perform, sessionStates } = made;
  const { gpu, program } = engine;
  const current = await readCurrentRules(assetsFolder);
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

function openTimelines({ assetsFolder }: HostOptions, { scratch }: UserData, { devices, userKernels }: Engine) {
  const timelines = new Timelines(userKernels.startChild, copyCeilings(devices, path.join(assetsFolder, 'runs')));
  return { timelines, uploads: new Uploads(scratch) };
}

/** Opens all subsystems. Throws BraggError if the solver cannot be loaded or the requested GPU cannot be used. */
export async function openParts(options: HostOptions) {
  const data = await openUserData(options);
  const engine = await openEngine(options, data);
  const scenarios = await openScenarioReaders(options, data, engine);
  const runs = openRuns(options, data, engine);
  const benches = await openBenches(options, data, engine, runs);
  const timelines = openTimelines(options, data, engine);
  const { files, locks, trouble, library, scratch } = data;
  const readers = { scenarios, runFacts: runs.packer.facts };
  return {
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
  };
}
export type HostParts = Awaited<ReturnType<typeof openParts>>;
