/** Maps of ended transport runs, or of the difference between two runs. */
import type { FieldMap } from '../../../contract/fields.ts';
import type { MapRequest, RunMaps } from '../../../contract/run.ts';
import { grayMap } from '../../workloads/transport/display/map-file.ts';
import { type Fields, makeDifference, makeMap } from '../../workloads/transport/display/maps.ts';
import { transportRunOf } from '../../workloads/transport/readouts.ts';
import type { RunData } from '../../workloads/transport/run-data.ts';
import type { Runs } from './runs.ts';

function fieldsOf(run: RunData, index: number, withDose: boolean): Fields {
  return {
    axes: run.axes,
    dose: withDose ? run.dose : null,
    marginals: run.keyframes[index] ?? null,
    tracks: run.tracks,
    gray: (y_mm) => grayMap(run, y_mm),
  };
}

/** Returns the data of a transport run. Throws BraggError `unsupported` for a run of another workload. */
export async function transportRun(runs: Runs, id: string): Promise<RunData> {
  return transportRunOf(await runs.data(id));
}

/** Index of the keyframe nearest to a depth. */
function nearestKeyframe(keyframes: RunData['keyframes'], depth_mm: number): number {
  const away = keyframes.map((frame) => Math.abs(frame.depth_mm - depth_mm));
  return away.indexOf(Math.min(...away));
}

/** Returns maps of a run. Since an ended run does not change, the index of the keyframe serves as revision. */
export async function mapsOf(
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
    const frame = request.against.keyframe ?? nearestKeyframe(other.keyframes, marginals?.depth_mm ?? 0);
    maps.push(await makeDifference(fields, fieldsOf(other, frame, withDose), request));
  }
  return { run: id, revision: index + 1, step: marginals?.step ?? run.steps, depth_mm: marginals?.depth_mm ?? 0, maps };
}
