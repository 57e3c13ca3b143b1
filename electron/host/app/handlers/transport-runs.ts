/** Calls and streams about transport runs. */
import { BraggError } from '../../../contract/errors.ts';
import type { FieldMap } from '../../../contract/fields.ts';
import type { MapRequest, RunMaps } from '../../../contract/run.ts';
import { type Fields, keptPairs, makeDifference, makeMap } from '../../workloads/transport/display/maps.ts';
import { grayField, grayOnAxis } from '../../workloads/transport/metrics/gray.ts';
import { qualityOf } from '../../workloads/transport/metrics/quality.ts';
import { depthDoseOf, momentsOf } from '../../workloads/transport/metrics/run-metrics.ts';
import { transportRunOf } from '../../workloads/transport/own-run.ts';
import { lateralCurves, ledgerTable, summaryOf } from '../../workloads/transport/readouts.ts';
import type { Recomputing } from '../../workloads/transport/recompute.ts';
import { measured, type RunData } from '../../workloads/transport/run-data.ts';
import { TransportRunning } from '../../workloads/transport/running.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';

function fieldsOf(run: RunData, index: number, withDose: boolean): Fields {
  return {
    axes: run.axes,
    dose: withDose ? run.dose : null,
    marginals: run.keyframes[index] ?? null,
    tracks: run.tracks,
    gray: (y_mm) => grayField(run, y_mm),
  };
}

/** Throws BraggError `unsupported` for a run of another workload. */
export async function transportRun(runs: Runs, id: string): Promise<RunData> {
  return transportRunOf(await runs.data(id));
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
      maps.push(await makeMap(fields, request));
      continue;
    }
    const other = await transportRun(runs, request.against.run);
    const frame = request.against.keyframe ?? nearest(other.keyframes, marginals?.depth_mm ?? 0);
    maps.push(await makeDifference(fields, fieldsOf(other, frame, withDose), request));
  }
  return { run: id, revision: index + 1, step: marginals?.step ?? run.steps, depth_mm: marginals?.depth_mm ?? 0, maps };
}

type Names = 'summary' | 'depthDose' | 'lateral' | 'moments' | 'maps' | 'keyframes' | 'keyframe' | 'ledger';

export function transportRunHandlers(runs: Runs): Pick<Handlers, `run.${Names}`> {
  return {
    'run.summary': async ({ run }) => summaryOf(await transportRun(runs, run)),
    'run.depthDose': async ({ run }) => {
      const data = await transportRun(runs, run);
      return { ...depthDoseOf(measured(data)), gray: grayOnAxis(data), quality: qualityOf(data) };
    },
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
  };
}

export function transportRunSources(runs: Runs, recomputing: Recomputing): Pick<Sources, 'run.live' | 'run.cuts'> {
  return {
    'run.cuts': (request, sink) => recomputing.watch(request, sink),
    'run.live': ({ run, maps, depthDose }, sink) => {
      const active = runs.active(run);
      if (active instanceof TransportRunning) return active.watch(run, { maps, depthDose }, sink);
      sink.end();
      return () => undefined;
    },
  };
}
