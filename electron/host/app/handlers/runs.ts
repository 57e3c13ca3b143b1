/** Handles calls and streams about runs: of every workload, of transport, and of small measured workloads. */
import { BraggError } from '../../../contract/errors.ts';
import { isTaskKind, type StoredTask } from '../../../contract/task.ts';
import { exportsOf } from '../../../contract/workload.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { arrayBytesIn } from '../../io/threads/shared.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { Scenarios } from '../../workloads/scenarios/scenarios.ts';
import { storedPairs } from '../../workloads/transport/display/maps.ts';
import {
  depthDoseOfRun,
  lateralCurvesOfRun,
  ledgerOfRun,
  momentsOfRun,
  summaryOfRun,
} from '../../workloads/transport/readouts.ts';
import type { PlaneRecomputer } from '../../workloads/transport/recompute.ts';
import { TransportWorkloadRun } from '../../workloads/transport/running.ts';
import type { StoredSession, StoredSessions } from '../benches/stored.ts';
import { exportRun, type RunPacker } from '../run-files/packer.ts';
import { changesOf, type Runs } from '../runs/runs.ts';
import { mapsOf, transportRun } from '../runs/transport-maps.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { benchKindOf, type UserKernels } from '../user-kernels/user-kernels.ts';
import type { WhatIfs } from '../what-ifs/what-ifs.ts';
import { originOf } from './scenarios.ts';

/** Handles the call that packs a figure exported by the page. */
export function figureHandlers({ packer }: { readonly packer: RunPacker }): Pick<Handlers, 'figure.pack'> {
  return { 'figure.pack': async (figure) => ({ bytes: await packer.figure(figure) }) };
}

interface RunParts {
  readonly runs: Runs;
  readonly userKernels: UserKernels;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly packer: RunPacker;
}

/** Size in bytes below which a run is converted to a table within milliseconds. */
const SMALL_BYTES = 2 ** 20;

type RunMethod = 'start' | 'cancel' | 'list' | 'forget' | 'scenario' | 'save' | 'open' | 'export';
type RunHandlers = Pick<Handlers, `run.${RunMethod}`>;

export function runHandlers({ runs, userKernels, scenarios, files, packer }: RunParts): RunHandlers {
  return {
    'run.start': async ({ scenario, file, name, saved, trace }) => {
      const reading = await scenarios.check(scenario, await originOf(files, file));
      const { scenario: complete } = reading;
      if (complete !== null) await userKernels.prepare([complete.solver.variant], benchKindOf(complete));
      // A scenario with errors has no list of changes. `runs.start` then rejects it and reports its issues.
      const changes = saved === null || complete === null ? [] : await changesOf(saved, scenario);
      return runs.start({ reading, name, trace, changes });
    },
    'run.cancel': ({ run }) => runs.cancel(run),
    'run.list': () => ({ runs: runs.list() }),
    'run.forget': async ({ run }) => {
      await runs.forget(run);
      return {};
    },
    'run.scenario': ({ run }) => ({ scenario: { ...runs.scenario(run) } }),

    'run.save': async ({ run, file, ifExists }) => {
      const begun_ms = performance.now();
      const named = await files.write(file, await packer.write(await runs.data(run)), ifExists);
      await runs.markSaved(run, named, (performance.now() - begun_ms) / 1000);
      return named;
    },
    'run.open': async ({ source }) => {
      if (source.kind === 'bytes') return runs.addFromFile(await packer.read(source.bytes, source.name), null);
      const named = files.nameOf(source.file);
      return runs.addFromFile(await packer.read(await files.read(source.file), named.name), named);
    },
    'run.export': async ({ run, what }) => {
      const data = await runs.data(run);
      const known = exportsOf(data.workload).map(({ id }) => id);
      if (!known.includes(what)) {
        throw new BraggError(
          'unsupported',
          `A run of ${data.workload} has no ${what}; available: ${known.join(', ')}.`,
        );
      }
      // Tables and images are as large as the run, so those of large runs are made on a worker thread. Run files always
      // are.
      if (what !== 'run' && arrayBytesIn(data) > SMALL_BYTES) return exportRun({ run: data, what });
      return hostWorkloads[data.workload].exportFile(data, what, packer);
    },
  };
}

export function runSources(runs: Runs): Pick<Sources, 'runs' | 'run.progress'> {
  return {
    runs: (_params, sink) => runs.watch(sink),
    'run.progress': ({ run }, sink) => runs.watchProgress(run, sink),
  };
}

/** Handles the call of a Live session, which recomputes a run while the user edits its scenario. */
export function whatIfHandlers({ whatIfs }: { readonly whatIfs: WhatIfs }): Pick<Handlers, 'whatIf.ask'> {
  return {
    'whatIf.ask': ({ session, ...asked }) => {
      whatIfs.request(session, asked);
      return {};
    },
  };
}

export function whatIfSource(whatIfs: WhatIfs): Pick<Sources, 'whatIf'> {
  return { whatIf: ({ session }, sink) => whatIfs.open(session, sink) };
}

type TransportRunMethod =
  | 'summary'
  | 'depthDose'
  | 'lateral'
  | 'moments'
  | 'maps'
  | 'keyframes'
  | 'keyframe'
  | 'ledger';

export function transportRunHandlers(runs: Runs): Pick<Handlers, `run.${TransportRunMethod}`> {
  return {
    'run.summary': async ({ run }) => summaryOfRun(await transportRun(runs, run)),
    'run.depthDose': async ({ run }) => depthDoseOfRun(await transportRun(runs, run)),
    'run.lateral': async ({ run, depths_mm }) => ({
      curves: await lateralCurvesOfRun(await transportRun(runs, run), depths_mm),
    }),
    'run.moments': async ({ run }) => momentsOfRun(await transportRun(runs, run)),
    'run.maps': async ({ run, maps }) => {
      const data = await transportRun(runs, run);
      return mapsOf(runs, run, data, data.keyframes.length - 1, maps, true);
    },
    'run.keyframes': async ({ run }) => {
      const { keyframes } = await transportRun(runs, run);
      return { frames: keyframes.map(({ step, depth_mm }) => ({ step, depth_mm })), pairs: storedPairs(keyframes[0]) };
    },
    'run.keyframe': async ({ run, index, maps }) => {
      const data = await transportRun(runs, run);
      if (index >= data.keyframes.length) {
        throw new BraggError('not-found', `There is no keyframe ${index}; this run has ${data.keyframes.length}.`);
      }
      return mapsOf(runs, run, data, index, maps, false);
    },
    'run.ledger': async ({ run, rows }) => ledgerOfRun(await transportRun(runs, run), rows),
  };
}

export function transportRunSources(runs: Runs, recomputing: PlaneRecomputer): Pick<Sources, 'run.live' | 'run.cuts'> {
  return {
    'run.cuts': (request, sink) => recomputing.watch(request, sink),
    'run.live': ({ run, maps, depthDose }, sink) => {
      const active = runs.activeRun(run);
      if (active instanceof TransportWorkloadRun) return active.watch(run, { maps, depthDose }, sink);
      sink.end();
      return () => undefined;
    },
  };
}

interface TaskHandlerParts {
  readonly runs: Runs;
  readonly stored: StoredSessions;
}

type TaskHandlers = Pick<Handlers, Extract<keyof Handlers, `task.${string}`>>;

function storedTasksOf({ id, name, recorded, overview }: StoredSession): readonly StoredTask[] {
  const { workload, created, sweep, reports } = overview;
  const [report] = reports;
  if (!isTaskKind(workload) || report === undefined) return [];
  const { bench, scenario, machine } = report;
  return [
    {
      ...{ id, name, recorded, workload, bench, scenario, created },
      machine: machine.gpu?.name ?? machine.cpu,
      sweep: sweep?.path ?? null,
    },
  ];
}

export function taskHandlers({ runs, stored }: TaskHandlerParts): TaskHandlers {
  return {
    'task.session': async ({ run }) => {
      const data = await runs.data(run);
      if ('session' in data) return stored.complete(data.session);
      throw new BraggError('unsupported', `${data.name} is a run of ${data.workload}: it has no measurements.`);
    },
    'task.stored': async ({ workload }) => {
      const all = (await stored.list()).filter((one) => one.overview.workload === workload);
      // The page opens the first session of its scenario, so put the one with the most measured variants first.
      const measured = ({ overview }: StoredSession): number =>
        (overview.reports[0]?.entries ?? []).filter(({ status }) => status === 'measured').length;
      const order = (a: StoredSession, b: StoredSession): number =>
        Number(b.recorded) - Number(a.recorded) || measured(b) - measured(a);
      return { sessions: all.sort(order).flatMap(storedTasksOf) };
    },
    'task.open': async ({ id }) => {
      const session = await (await stored.get(id)).session();
      if (isTaskKind(session.workload)) return session;
      throw new BraggError(
        'unsupported',
        `The session ${id} is of the workload ${session.workload}; allowed: small workloads.`,
      );
    },
  };
}
