/** Live frames of a running run: the newest native frame, reduced to what each page shows. */
import type { LiveFrame, MapRequest } from '../../contract/run.ts';
import type { NativeLive } from '../addon.ts';
import { makeMaps } from '../display/maps.ts';
import { axisProfile } from '../metrics/axis-profile.ts';
import { profileCurve } from '../metrics/run-metrics.ts';
import type { RunRecord } from './record.ts';
import { type Axes, axesOf, beamOf } from './run-data.ts';

export interface LiveView {
  readonly maps: readonly MapRequest[];
  readonly depthDose: boolean;
}

/** Takes over the engine's newest frame. True when there is one that was not there before. */
export function takeLive(record: RunRecord): boolean {
  const { active } = record;
  const newest = active?.native.live() ?? null;
  if (active === null || newest === null) return false;
  active.latest = newest;
  active.revision += 1;
  return true;
}

/** What a live frame is made from; outlives the run, so that its last frame can still be made. */
export interface LiveSource {
  readonly axes: Axes;
  readonly beam: ReturnType<typeof beamOf>;
  readonly latest: () => { readonly live: NativeLive; readonly revision: number };
}

export function liveSource(record: RunRecord): LiveSource | null {
  const { active } = record;
  if (active === null) return null;
  return {
    axes: axesOf(active.problem, active.native.plan),
    beam: beamOf(active.problem),
    latest: () => {
      if (active.latest === null) throw new Error('a live frame was asked for before there was one');
      return { live: active.latest, revision: active.revision };
    },
  };
}

export function liveFrame(run: string, { axes, beam, latest }: LiveSource, view: LiveView): LiveFrame {
  const { live, revision } = latest();
  const { nz, nx, dz_mm, dx_mm } = axes;
  const geometry = { nz, nx, dz_mm, dx_mm, ...beam };
  return {
    run,
    revision,
    step: live.step,
    depth_mm: live.depth_mm,
    maps: makeMaps({ axes, dose: live.dose, marginals: live }, view.maps),
    depthDose: view.depthDose ? profileCurve(axisProfile(live.dose, geometry)) : null,
  };
}
