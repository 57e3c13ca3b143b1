/** Live frames of a running run: the newest native frame, reduced to what each page shows. */
import type { LiveFrame, MapRequest } from '../../contract/run.ts';
import type { NativeLive } from '../addon.ts';
import { fromNative } from '../addon.ts';
import { liveMaps, planeOf, samePlane } from '../display/maps.ts';
import { axisProfile } from '../metrics/axis-profile.ts';
import { profileCurve } from '../metrics/run-metrics.ts';
import type { ActivePart, RunRecord } from './record.ts';
import { type Axes, axesOf, beamOf } from './run-data.ts';

export interface LiveView {
  readonly maps: readonly MapRequest[];
  readonly depthDose: boolean;
}

/**
 * Making frames takes at most a quarter of the event loop's time, however large
 * the grid is and however many pages watch: the rest belongs to everything
 * else, and the cores to the run.
 */
const REST_PER_WORK = 3;

function working<T>(active: ActivePart, work: () => T): T {
  const start = performance.now();
  const made = work();
  const end = performance.now();
  active.liveRest_ms = Math.max(active.liveRest_ms, end) + REST_PER_WORK * (end - start);
  return made;
}

export function isResting({ liveRest_ms }: ActivePart): boolean {
  return performance.now() < liveRest_ms;
}

/** Takes over the engine's newest frame. True when there is one that was not there before. */
export function takeLive(record: RunRecord): boolean {
  const { active } = record;
  if (active === null) return false;
  const newest = working(active, () => active.native.live());
  if (newest === null) return false;
  active.latest = newest;
  active.revision += 1;
  return true;
}

/** Has the engine make the cuts that someone looks at, and no others. Throws BraggError `invalid` outside the grid. */
export function wantCuts(active: ActivePart): void {
  const planes = [...active.views]
    .flatMap(({ maps }) => maps)
    .filter(({ cuts }) => cuts !== undefined && cuts.length > 0)
    .map(planeOf);
  const distinct = planes.filter((plane, i) => planes.findIndex((other) => samePlane(plane, other)) === i);
  try {
    active.native.wantPlanes(distinct);
  } catch (error) {
    throw fromNative(error);
  }
}

/** What a live frame is made from; outlives the run, so that its last frame can still be made. */
export interface LiveSource {
  readonly axes: Axes;
  readonly beam: ReturnType<typeof beamOf>;
  readonly active: ActivePart;
  readonly onGpu: boolean;
}

export function liveSource(record: RunRecord): LiveSource | null {
  const { active } = record;
  if (active === null) return null;
  return {
    axes: axesOf(active.problem, active.native.plan),
    beam: beamOf(active.problem),
    active,
    onGpu: record.device !== 'cpu',
  };
}

export function liveFrame(run: string, source: LiveSource, view: LiveView): LiveFrame {
  const { latest, revision } = source.active;
  if (latest === null) throw new Error('a live frame was asked for before there was one');
  return working(source.active, () => compose(run, source, view, latest, revision));
}

function compose(run: string, source: LiveSource, view: LiveView, live: NativeLive, revision: number): LiveFrame {
  const { axes, beam } = source;
  const { nz, nx, dz_mm, dx_mm } = axes;
  const geometry = { nz, nx, dz_mm, dx_mm, ...beam };
  return {
    run,
    revision,
    step: live.step,
    depth_mm: live.depth_mm,
    ...liveMaps({ axes, dose: live.dose, marginals: live, planes: live.planes }, view.maps, source.onGpu),
    depthDose: view.depthDose ? profileCurve(axisProfile(live.dose, geometry)) : null,
  };
}
