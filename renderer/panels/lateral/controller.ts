/**
 * Loads the profiles at the crosshair's and the retained depths, and draws them. Paints outside React. Settings of the
 * lateral profile, saved per user; retained depths are reset when the panel closes.
 */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Curve, Interval } from '../../../electron/contract/fields.ts';
import type { Moments, RunId } from '../../../electron/contract/run.ts';
import { fixedDigits } from '../../../electron/domain/numbers.ts';
import { loadLatest } from '../../base/latest-request.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import type { Chart, Series } from '../../drawing/charts/chart.ts';
import { ChartView } from '../../drawing/charts/chart-view.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { type Crosshair, shownCrosshair } from '../../state/selection.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { type DepthProfile, depthProfile, depthToShow, lateralChart, oneCurveChart } from './profile.ts';

const schema = z.strictObject({
  scale: z.enum(['linear', 'log']),
  /** Dose across the beam, or the beam's width against depth. */
  show: z.enum(['profile', 'width']),
});
type LateralState = Readonly<z.infer<typeof schema>>;
type LateralStore = StoreApi<LateralState>;

export function createLateralStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LateralStore {
  const initial: LateralState = { scale: 'linear', show: 'profile' };
  return createPersisted<LateralState>({
    storage,
    name: 'lateral',
    version: 2,
    schema,
    initial,
    migrations: { 1: (data) => ({ ...initial, ...(typeof data === 'object' ? data : {}) }) },
    onReset,
  });
}

/** Maximum number of curves that can be distinguished. */
export const MAX_DEPTHS = 5;

/** Depths (mm) whose profiles stay while the crosshair moves. */
export type SavedDepthsStore = StoreApi<{ readonly depths_mm: readonly number[] }>;

export function createSavedDepths(): SavedDepthsStore {
  return createStore<{ readonly depths_mm: readonly number[] }>(() => ({ depths_mm: [] }));
}

// The width chart shows the beam width over depth from the run's fluence, from Fermi–Eyges theory, and fitted to the
// dose.

/** Factor by which the axis extends above the curves, to leave room for the legend. */
const HEADROOM = 1.3;
/** Minimum share of the largest proton count for a plane's width; below it, a few stragglers determine the width. */
const MIN_SHARE = 1e-3;

/** σx of the fluence (mm); NaN at planes that too few protons cross. */
export function fluenceWidth({ protons, sigma_x_mm }: Moments): Float64Array {
  const most = protons.reduce((a, b) => Math.max(a, b), 0);
  return sigma_x_mm.map((sigma, i) => ((protons[i] ?? 0) >= MIN_SHARE * most ? sigma : Number.NaN));
}

export function widthChart(
  moments: Moments,
  theory: Curve | null,
  profiles: readonly DepthProfile[],
  window: Interval | undefined,
): Chart {
  const width = fluenceWidth(moments);
  const depths = moments.depth_mm;
  const fitted = profiles
    .flatMap(({ depth_mm, fit }) => (fit === null ? [] : [{ depth_mm, sigma: fit.sigma }]))
    .sort((a, b) => a.depth_mm - b.depth_mm);
  const largest = Math.max(
    ...Array.from(width).filter(Number.isFinite),
    ...Array.from(theory?.values ?? []),
    ...fitted.map(({ sigma }) => sigma),
    0,
  );
  const last = depths[depths.length - 1] ?? 1;
  const cell = depths.length > 1 ? (depths[1] ?? 0) - (depths[0] ?? 0) : 1;
  const [from, to] = window ?? [0, last + cell / 2];
  const series: Series[] = [
    { kind: 'line', name: 'σx of the fluence', ink: 'series-1', dash: [], x: depths, y: width },
  ];
  if (theory !== null) {
    const { positions, values } = theory;
    series.push({ kind: 'line', name: 'Fermi–Eyges', ink: 'series-2', dash: [5, 3], x: positions, y: values });
  }
  if (fitted.length > 0) {
    series.push({
      ...{ kind: 'dots', name: 'Fitted to the dose', ink: 'series-3', form: 'round', radius: 0.32 },
      x: fitted.map(({ depth_mm }) => depth_mm),
      y: fitted.map(({ sigma }) => sigma),
    });
  }
  return oneCurveChart('Width of the beam', {
    x: { title: 'Depth z', unit: 'mm', kind: 'linear', from, to },
    y: { title: 'Width σx', unit: 'mm', kind: 'linear', from: 0, to: (largest || 1) * HEADROOM, fixed: true },
    series,
    tall: 1,
  });
}

export interface Profiles {
  readonly run: RunId;
  /** Revision of the answer if the run is from Live mode. */
  readonly revision: number;
  /** Profile at the crosshair first, then those at the retained depths. */
  readonly profiles: readonly DepthProfile[];
  /** σx in Fermi–Eyges theory; null if the theory does not apply, for the reason in `noTheory`. */
  readonly theory: Curve | null;
  readonly noTheory: string | null;
}

type ProfileRequest = Pick<Profiles, 'run' | 'revision'> & { readonly depths_mm: readonly number[] };

/** Null if no run has ended, or its profiles have not arrived. */
export type ShownProfiles = StoreApi<{ readonly shown: Profiles | null }>;

export interface DrivenPlot {
  stop(): void;
  /** Content of the plot, for export. */
  figure(): Figure | null;
}

export function driveLateral(
  { client, stores, data, scheduler }: Workbench,
  store: LateralStore,
  kept: SavedDepthsStore,
  shown: ShownProfiles,
  host: HTMLElement,
  failed: (reason: string) => void,
): DrivenPlot {
  let gone = false;
  let theoryOf:
    | (Pick<Profiles, 'run' | 'revision'> & { readonly curve: Curve | null; readonly reason: string | null })
    | null = null;

  /** Profiles to show now; null unless a finished run is selected. */
  const neededRequest = (): ProfileRequest | null => {
    const final = data.depthDose.get(SHOWN_KEY);
    const moments = data.moments.get(SHOWN_KEY);
    if (final === null || final.final === null || moments === null) return null;
    const [first = 0, last = 0] = [moments.depth_mm[0], moments.depth_mm[moments.depth_mm.length - 1]];
    const extent = last + first;
    const pointed = shownCrosshair(stores.selection.getState())?.z ?? null;
    const depths_mm = [
      depthToShow(pointed, final.final.metrics.r80_mm, extent),
      ...kept.getState().depths_mm.map((depth) => depthToShow(depth, null, extent)),
    ];
    return { run: final.run, revision: data.moments.revision(SHOWN_KEY), depths_mm };
  };
  const same = (next: ProfileRequest): boolean => {
    const now = shown.getState().shown;
    return (
      now?.run === next.run &&
      now.revision === next.revision &&
      now.profiles.length === next.depths_mm.length &&
      now.profiles.every(({ depth_mm }, i) => depth_mm === next.depths_mm[i])
    );
  };
  const load = async ({ run, revision, depths_mm }: ProfileRequest) => {
    if (theoryOf?.run !== run || theoryOf.revision !== revision) {
      const { curve, reason } = await client.call('dose.fermiEyges', { run });
      theoryOf = { run, revision, curve, reason };
    }
    const { curves } = await client.call('run.lateral', { run, depths_mm: [...depths_mm] });
    const moments = data.moments.get(SHOWN_KEY);
    if (moments === null) return;
    const profiles = curves.map((curve, i) => depthProfile(curve, depths_mm[i] ?? 0, moments));
    shown.setState({ shown: { run, revision, profiles, theory: theoryOf.curve, noTheory: theoryOf.reason } });
  };
  /** The pointer may pass several depths during a request; only the last one is requested next. */
  const follow = loadLatest({
    neededItem: () => {
      const next = neededRequest();
      if (next === null && !gone && shown.getState().shown !== null) shown.setState({ shown: null });
      return gone || next === null || same(next) ? null : next;
    },
    load,
    failed: (error) => {
      // A run that was removed has no profile; the list of runs reports the removal.
      shown.setState({ shown: null });
      if (!(error instanceof Error)) throw error;
    },
  });
  const followSoon = (): void => void follow();
  const isWidth = (): boolean => store.getState().show === 'width';
  const chart = (): Chart | null => {
    const now = shown.getState().shown;
    const moments = data.moments.get(SHOWN_KEY);
    if (now === null || moments === null) return null;
    const { x, z } = stores.window.getState().windows;
    return isWidth()
      ? widthChart(moments, now.theory, now.profiles, z)
      : lateralChart(now.profiles, x, store.getState().scale);
  };
  const place = (at: number): Crosshair => (isWidth() ? { z: at } : { x: at });
  const view = new ChartView(host, scheduler, {
    hover: (at) => stores.selection.point(at === null ? null : place(at)),
    pick: (at) => stores.selection.pin(place(at)),
    zoom: (window) => stores.window.zoom(isWidth() ? { z: window } : { x: window }),
    reset: stores.window.reset,
    failed,
  });
  const show = (): void => view.show(chart());
  const cross = (): void => {
    const at = shownCrosshair(stores.selection.getState());
    view.setCursor((isWidth() ? at?.z : at?.x) ?? null, null);
  };
  const stops = [
    shown.subscribe(show),
    store.subscribe(() => {
      show();
      cross();
    }),
    kept.subscribe(followSoon),
    stores.window.subscribe(show),
    stores.selection.subscribe(() => {
      cross();
      followSoon();
    }),
    data.moments.subscribe(SHOWN_KEY, followSoon),
    data.depthDose.subscribe(SHOWN_KEY, followSoon),
  ];
  show();
  cross();
  followSoon();
  return {
    figure: () => {
      const now = shown.getState().shown;
      const first = now?.profiles[0];
      if (now === null || first === undefined) return null;
      const run = runOf(stores.runs.getState(), now.run);
      const name = run?.name ?? 'run';
      if (isWidth()) {
        return view.figure({ name: `${name}-width`, title: `${name}: width of the beam`, notes: runNotes(run) });
      }
      const at = `${fixedDigits(first.depth_mm, 2)} mm`;
      const widths = Object.fromEntries(
        now.profiles.flatMap(({ depth_mm, fit }) =>
          fit === null ? [] : [[`fitted_sigma_x_mm_at_z_${fixedDigits(depth_mm, 2)}_mm`, fit.sigma]],
        ),
      );
      return view.figure({
        name: `${name}-lateral-${at}`,
        title: `${name}: dose across the beam at ${at}`,
        notes: { ...runNotes(run), depth_mm: first.depth_mm, ...widths },
      });
    },
    stop: () => {
      gone = true;
      for (const stop of stops) stop();
      view.dispose();
    },
  };
}
