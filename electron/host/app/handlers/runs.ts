/** Calls and streams about runs of every workload, and of transport runs in particular. */
import { BraggError } from '../../../contract/errors.ts';
import { exportsOf } from '../../../contract/exports.ts';
import type { FieldMap } from '../../../contract/fields.ts';
import type { MapRequest, RunMaps } from '../../../contract/run.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { runOf } from '../../workloads/run-data.ts';
import type { Scenarios } from '../../workloads/scenarios/index.ts';
import { type Fields, keptPairs, makeDifference, makeMap } from '../../workloads/transport/display/maps.ts';
import { depthDoseOf, momentsOf } from '../../workloads/transport/metrics/run-metrics.ts';
import { lateralCurves, ledgerTable, summaryOf } from '../../workloads/transport/readouts.ts';
import type { Recomputing } from '../../workloads/transport/recompute.ts';
import { measured, type RunData } from '../../workloads/transport/run-data.ts';
import { TransportRunning } from '../../workloads/transport/running.ts';
import type { RunPacker } from '../run-files/packer.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { placeOf as placeOfScenario, type UserKernels } from '../user-kernels/user-kernels.ts';
import { placeOf } from './scenarios.ts';

export interface RunParts {
  readonly runs: Runs;
  readonly userKernels: UserKernels;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly packer: RunPacker;
}

function fieldsOf(run: RunData, index: number, withDose: boolean): Fields {
  return { axes: run.axes, dose: withDose ? run.dose : null, marginals: run.keyframes[index] ?? null };
}

/** Throws BraggError `unsupported` for a run of another workload. */
export async function transportRun(runs: Runs, id: string): Promise<RunData> {
  return runOf('transport', await runs.data(id));
}

/** Index of the keyframe nearest to a depth. */
function nearest(keyframes: RunData['keyframes'], depth_mm: number): number {
  const away = keyframes.map((frame) => Math.abs(frame.depth_mm - depth_mm));
  return away.indexOf(Math.min(...away));
}

/** Maps of an ended run do not change: their revision stands for the keyframe. */
async function mapsOf(
  runs: Runs,
  id: string,
  run: RunData,
  index: number,
  requests: readonly MapRequest[],
  withDose: boolean,
): Promise<RunMaps> {
  const marginals = run.keyframes[index] ?? null;
  const maps: FieldMap[] = [];
  for (const request of requests) {
    const fields = fieldsOf(run, index, withDose);
    if (request.against === undefined) {
      maps.push(makeMap(fields, request));
      continue;
    }
    const other = await transportRun(runs, request.against.run);
    const frame = request.against.keyframe ?? nearest(other.keyframes, marginals?.depth_mm ?? 0);
    maps.push(makeDifference(fields, fieldsOf(other, frame, withDose), request));
  }
  return { run: id, revision: index + 1, step: marginals?.step ?? run.steps, depth_mm: marginals?.depth_mm ?? 0, maps };
}

type RunHandlers = Pick<Handlers, Extract<keyof Handlers, `run.${string}`>>;

export function runHandlers({ runs, userKernels, scenarios, files, packer }: RunParts): RunHandlers {
  return {
    'run.start': async ({ scenario, file, name, trace }) => {
      const reading = await scenarios.check(scenario, await placeOf(files, file));
      const { scenario: complete } = reading;
      if (complete !== null) await userKernels.prepare([complete.solver.variant], placeOfScenario(complete));
      return runs.start({ reading, name, trace });
    },
    'run.cancel': ({ run }) => runs.cancel(run),
    'run.list': () => ({ runs: runs.list() }),
    'run.forget': async ({ run }) => {
      await runs.forget(run);
      return {};
    },
    'run.scenario': ({ run }) => ({ scenario: { ...runs.scenario(run) } }),
    'run.summary': async ({ run }) => summaryOf(await transportRun(runs, run)),
    'run.depthDose': async ({ run }) => depthDoseOf(measured(await transportRun(runs, run))),
    'run.lateral': async ({ run, depths_mm }) => ({ curves: lateralCurves(await transportRun(runs, run), depths_mm) }),
    'run.moments': async ({ run }) => momentsOf(measured(await transportRun(runs, run))),
    'run.maps': async ({ run, maps }) => {
      const data = await transportRun(runs, run);
      return mapsOf(runs, run, data, data.keyframes.length - 1, maps, true);
    },
    'run.keyframes': async ({ run }) => {
      const { keyframes } = await transportRun(runs, run);
      return { frames: keyframes.map(({ step, depth_mm }) => ({ step, depth_mm })), pairs: keptPairs(keyframes[0]) };
    },
    'run.keyframe': async ({ run, index, maps }) => {
      const data = await transportRun(runs, run);
      if (index >= data.keyframes.length) {
        throw new BraggError('not-found', `There is no keyframe ${index}; this run has ${data.keyframes.length}.`);
      }
      return mapsOf(runs, run, data, index, maps, false);
    },
    'run.ledger': async ({ run, rows }) => ledgerTable(await transportRun(runs, run), rows),

    'run.save': async ({ run, file, ifExists }) => {
      const named = await files.write(file, await packer.write(await runs.data(run)), ifExists);
      runs.saved(run, named);
      return named;
    },
    'run.open': async ({ source }) => {
      if (source.kind === 'bytes') return runs.adopt(await packer.read(source.bytes, source.name), null);
      const named = files.nameOf(source.file);
      return runs.adopt(await packer.read(await files.read(source.file), named.name), named);
    },
    'run.export': async ({ run, what }) => {
      const data = await runs.data(run);
      const known = exportsOf[data.workload].map(({ id }) => id);
      if (!known.includes(what)) {
        throw new BraggError('unsupported', `A run of ${data.workload} has no ${what}; there are ${known.join(', ')}.`);
      }
      return hostWorkloads[data.workload].exported(data, what, packer);
    },
  };
}

export function runSources(
  runs: Runs,
  recomputing: Recomputing,
): Pick<Sources, 'runs' | 'run.progress' | 'run.live' | 'run.cuts'> {
  return {
    runs: (_params, sink) => runs.watch(sink),
    'run.progress': ({ run }, sink) => runs.watchProgress(run, sink),
    'run.cuts': (request, sink) => recomputing.watch(request, sink),
    'run.live': ({ run, maps, depthDose }, sink) => {
      const active = runs.active(run);
      if (active instanceof TransportRunning) return active.watch(run, { maps, depthDose }, sink);
      sink.end();
      return () => undefined;
    },
  };
}
