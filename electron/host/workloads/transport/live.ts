/** Live frames of a running run: the newest native frame, reduced to what each page shows. */
import type { LiveFrame, MapRequest } from '../../../contract/run.ts';
import type { NativeLive, TransportRun } from '../../io/addon/addon.ts';
import { fromNative } from '../../io/addon/addon.ts';
import { Pace } from '../../io/flow/pace.ts';
import { liveMaps, planeOf, samePlane } from './display/maps.ts';
import { axisProfile } from './metrics/axis-profile.ts';
import { dosePerMass } from './metrics/dose-per-mass.ts';
import { massCurve, profileCurve } from './metrics/run-metrics.ts';
import type { Axes, RunData } from './run-data.ts';

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

/** The newest frame of a run, and what may be made of it. */
export class LiveState {
  readonly axes: Axes;
  readonly beam: RunData['beam'];
  readonly #native: Pick<TransportRun, 'live' | 'wantPlanes'>;
  #latest: NativeLive | null = null;
  #revision = 0;
  readonly #pace = new Pace(REST_PER_WORK);
  readonly #views = new Set<LiveView>();

  constructor(native: Pick<TransportRun, 'live' | 'wantPlanes'>, axes: Axes, beam: RunData['beam']) {
    this.#native = native;
    this.axes = axes;
    this.beam = beam;
  }

  get resting(): boolean {
    return this.#pace.resting;
  }

  get hasFrame(): boolean {
    return this.#latest !== null;
  }

  /** Takes over the engine's newest frame. True when there is one that was not there before. */
  take(): boolean {
    const newest = this.#pace.working(() => this.#native.live());
    if (newest === null) return false;
    this.#latest = newest;
    this.#revision += 1;
    return true;
  }

  /** Throws BraggError `invalid` for a cut outside the grid. */
  look(view: LiveView): void {
    this.#views.add(view);
    try {
      this.#wantCuts();
    } catch (error) {
      this.#views.delete(view);
      throw error;
    }
  }

  leave(view: LiveView): void {
    this.#views.delete(view);
    this.#wantCuts();
  }

  frame(run: string, view: LiveView): LiveFrame {
    const latest = this.#latest;
    if (latest === null) throw new Error('a live frame was asked for before there was one');
    return this.#pace.working(() => this.#compose(run, view, latest));
  }

  /** Has the engine make the cuts that someone looks at, and no others. */
  #wantCuts(): void {
    const planes = [...this.#views]
      .flatMap(({ maps }) => maps)
      .filter(({ cuts }) => cuts !== undefined && cuts.length > 0)
      .map(planeOf);
    const distinct = planes.filter((plane, i) => planes.findIndex((other) => samePlane(plane, other)) === i);
    try {
      this.#native.wantPlanes(distinct);
    } catch (error) {
      throw fromNative(error);
    }
  }

  #compose(run: string, view: LiveView, live: NativeLive): LiveFrame {
    const { nz, nx, dz_mm, dx_mm } = this.axes;
    const geometry = { nz, nx, dz_mm, dx_mm, ...this.beam };
    const fields = { axes: this.axes, dose: live.dose, marginals: live, planes: live.planes };
    return {
      run,
      revision: this.#revision,
      step: live.step,
      depth_mm: live.depth_mm,
      maps: liveMaps(fields, view.maps),
      depthDose: view.depthDose ? profileCurve(axisProfile(live.dose, geometry)) : null,
      depthDosePerMass: view.depthDose ? massCurve(dosePerMass(live.dose, this.axes.density_g_cm3), geometry) : null,
    };
  }
}
