/** Fetches the profile at the crosshair's depth and draws it. Paints outside React. */
import type { StoreApi } from 'zustand/vanilla';
import type { Curve } from '../../../electron/contract/fields.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { fixed } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { LineView } from '../../drawing/line-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { depthToShow, lateralScene, momentsAt, type PlaneMoments } from './profile.ts';
import type { LateralStore } from './store.ts';

export interface Profile {
  readonly run: RunId;
  readonly depth_mm: number;
  readonly curve: Curve;
  readonly plane: PlaneMoments | null;
}

/** Null until a run is over and its profile has come. */
export type ShownProfile = StoreApi<{ readonly profile: Profile | null }>;

export interface DrivenPlot {
  stop(): void;
  /** What the plot shows, for export. */
  figure(): Figure | null;
}

export function driveLateral(
  { client, stores, data, scheduler }: Workbench,
  store: LateralStore,
  shown: ShownProfile,
  below: HTMLCanvasElement,
  above: HTMLCanvasElement,
): DrivenPlot {
  const view = new LineView(below, above, scheduler);
  let gone = false;
  let loading = false;

  /** What is to be shown now; null while no finished run is. */
  const wanted = (): { readonly run: RunId; readonly depth_mm: number } | null => {
    const final = data.depthDose.get(SHOWN);
    const moments = data.moments.get(SHOWN);
    if (final === null || final.final === null || moments === null) return null;
    const [first = 0, last = 0] = [moments.depth_mm[0], moments.depth_mm[moments.depth_mm.length - 1]];
    const extent = last + first;
    const pointed = shownCrosshair(stores.selection.getState())?.z ?? null;
    return { run: final.run, depth_mm: depthToShow(pointed, final.final.metrics.r80_mm, extent) };
  };
  /** One call at a time: of the depths that the pointer passes meanwhile only the last is asked for. */
  const follow = async (): Promise<void> => {
    if (loading) return;
    loading = true;
    try {
      for (let next = wanted(); !gone; next = wanted()) {
        const { profile } = shown.getState();
        if (next === null) {
          if (profile !== null) shown.setState({ profile: null });
          break;
        }
        if (profile?.run === next.run && profile.depth_mm === next.depth_mm) break;
        const { run, depth_mm } = next;
        const { curves } = await client.call('run.lateral', { run, depths_mm: [depth_mm] });
        const [curve, moments] = [curves[0], data.moments.get(SHOWN)];
        if (curve === undefined || moments === null) continue;
        shown.setState({ profile: { run, depth_mm, curve, plane: momentsAt(moments, depth_mm) } });
      }
    } catch (error) {
      // A run that was removed meanwhile has no profile; the list of runs tells about that.
      shown.setState({ profile: null });
      if (!(error instanceof Error)) throw error;
    } finally {
      loading = false;
    }
  };
  const followSoon = (): void => void follow();
  const show = (): void => {
    const { profile } = shown.getState();
    const { x } = stores.window.getState().windows;
    view.show(profile === null ? null : lateralScene(profile.curve, profile.plane, x, store.getState().scale));
  };
  const cross = (): void => view.setCursor(shownCrosshair(stores.selection.getState())?.x ?? null, null);

  const listening = new AbortController();
  const options = { signal: listening.signal };
  above.addEventListener(
    'pointermove',
    (event) => {
      const x = view.valueAt(event.offsetX, event.offsetY);
      stores.selection.point(x === null ? null : { x });
    },
    options,
  );
  above.addEventListener('pointerleave', () => stores.selection.point(null), options);
  above.addEventListener(
    'click',
    (event) => {
      const x = view.valueAt(event.offsetX, event.offsetY);
      if (x !== null) stores.selection.pin({ x });
    },
    options,
  );
  above.addEventListener('dblclick', stores.window.reset, options);
  const stops = [
    shown.subscribe(show),
    store.subscribe(show),
    stores.window.subscribe(show),
    stores.selection.subscribe(() => {
      cross();
      followSoon();
    }),
    data.moments.subscribe(SHOWN, followSoon),
    data.depthDose.subscribe(SHOWN, followSoon),
  ];
  show();
  cross();
  followSoon();
  return {
    figure: () => {
      const { profile } = shown.getState();
      const run = runOf(stores.runs.getState(), profile?.run ?? null);
      if (profile === null) return null;
      const at = `${fixed(profile.depth_mm, 2)} mm`;
      const name = run?.name ?? 'run';
      return view.figure({
        name: `${name}-lateral-${at}`,
        title: `${name}: dose across the beam at ${at}`,
        notes: { ...runNotes(run), depth_mm: profile.depth_mm },
      });
    },
    stop: () => {
      gone = true;
      listening.abort();
      for (const stop of stops) stop();
      view.dispose();
    },
  };
}
