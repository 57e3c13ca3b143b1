/** Live frames of a running run: the newest native frame, reduced by the addon to what each page shows. */
import type { LiveFrame, MapRequest } from '../../../contract/run.ts';
import type { NativeLive, TransportRun } from '../../io/addon/addon.ts';
import { fromNative } from '../../io/addon/addon.ts';
import { liveMaps, partsOf, planeOf, samePlane } from './display/maps.ts';
import { axisProfileLater } from './metrics/axis-profile.ts';
import { perMass } from './metrics/dose-per-mass.ts';
import { perMassCurve, profileCurve } from './metrics/run-metrics.ts';
import type { Axes, RunData } from './run-data.ts';

export interface LiveView {
  readonly maps: readonly MapRequest[];
  readonly depthDose: boolean;
}

type Made = Omit<LiveFrame, 'run'> | Error;

/** The newest frame of a run, and what the views show of it. One is made at a time: the next begins when it is there. */
export class LiveState {
  readonly axes: Axes;
  readonly beam: RunData['beam'];
  readonly #native: Pick<TransportRun, 'live' | 'wantPlanes'>;
  #latest: NativeLive | null = null;
  #revision = 0;
  /** Last frame or error of each view; null if none has been made yet. */
  readonly #views = new Map<LiveView, Made | null>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(native: Pick<TransportRun, 'live' | 'wantPlanes'>, axes: Axes, beam: RunData['beam']) {
    this.#native = native;
    this.axes = axes;
    this.beam = beam;
  }

  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** Takes over the engine's newest frame. Resolves with the views that have one which they did not have before. */
  take(): Promise<readonly LiveView[]> {
    return this.#inTurn(async () => {
      const views = [...this.#views.keys()];
      const parts = views.flatMap(({ maps, depthDose }) => [...partsOf(maps), ...(depthDose ? ['dose' as const] : [])]);
      const newest = this.#native.live([...new Set(parts)]);
      if (newest !== null) {
        this.#latest = newest;
        this.#revision += 1;
      }
      const latest = this.#latest;
      if (latest === null) return [];
      const behind = newest === null ? views.filter((view) => this.#views.get(view) === null) : views;
      const made = await Promise.all(behind.map((view) => this.#compose(view, latest)));
      const there = behind.filter((view) => this.#views.has(view));
      for (const view of there) this.#views.set(view, made[behind.indexOf(view)] ?? null);
      return there;
    });
  }

  /** Throws BraggError `invalid` for a cut outside the grid. */
  look(view: LiveView): void {
    this.#views.set(view, null);
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

  /** The view's last frame. Throws the error if making it failed. */
  frame(run: string, view: LiveView): LiveFrame {
    const made = this.#views.get(view) ?? new Error('a live frame was asked for before there was one');
    if (made instanceof Error) throw made;
    return { run, ...made };
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Has the engine make the cuts that someone looks at, and no others. */
  #wantCuts(): void {
    const planes = [...this.#views.keys()]
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

  async #compose(view: LiveView, live: NativeLive): Promise<Made> {
    const { nz, nx, dz_mm, dx_mm, density_g_cm3 } = this.axes;
    const geometry = { nz, nx, dz_mm, dx_mm, ...this.beam };
    const fields = { axes: this.axes, dose: live.dose, marginals: live, planes: live.planes };
    const revision = this.#revision;
    const curves = view.depthDose && live.dose.length > 0;
    const per = perMass(density_g_cm3);
    try {
      const [maps, profile, massProfile] = await Promise.all([
        liveMaps(fields, view.maps),
        curves ? axisProfileLater(live.dose, geometry) : null,
        curves && per !== null ? axisProfileLater(live.dose, geometry, per) : null,
      ]);
      return {
        revision,
        step: live.step,
        depth_mm: live.depth_mm,
        maps,
        depthDose: profile && profileCurve(profile),
        depthDosePerMass: massProfile && perMassCurve(massProfile),
      };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}
