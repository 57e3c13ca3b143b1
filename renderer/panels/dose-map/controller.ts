/** Controller of the dose map: its content, data source and linked state. */

import { messageOf } from '../../../electron/contract/errors.ts';
import type { Viewport } from '../../../electron/contract/fields.ts';
import { resolvedOf } from '../../../electron/contract/scenarios.ts';
import { linkedMap } from '../../actions/linked-map.ts';
import { SHOWN } from '../../data/run-data.ts';
import { RunFeed } from '../../data/run-feed.ts';
import type { MapHandle } from '../../drawing/map-gestures.ts';
import type { MapPoint } from '../../drawing/map-view.ts';
import { mapStyle } from '../../maps/config.ts';
import { type DrivenMap, driveMap, type MapCanvases } from '../../maps/drive-map.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { MATTER_MAP, matterIsShown, matterUnder } from './matter.ts';
import { borderAt, borderMoved, doseScene, wholeField } from './scene.ts';
import { againstName, type DoseMapStore, type DoseViewStore } from './store.ts';

// Keeps the gamma index of the shown run against another one in the data cache while it is wanted.

/** Key of the gamma map in the data cache. */
const GAMMA_MAP = 'dose-map/gamma';

interface GammaFollower {
  /** Asks for what is wanted now, unless it is there or on its way. */
  follow(viewport: Viewport | null): void;
  stop(): void;
}

function followGamma({ client, stores, data }: Workbench, view: DoseViewStore): GammaFollower {
  let asked = '';
  let current: AbortController | null = null;
  /** Which answer of Live the gamma is made from; 0 for other runs. */
  let revision = 0;
  let again: Viewport | null = null;

  const forget = (): void => {
    current?.abort();
    current = null;
    asked = '';
    again = null;
    data.maps.drop(GAMMA_MAP);
    if (view.getState().gamma !== null) view.setState({ gamma: null });
  };

  const follow = (viewport: Viewport | null): void => {
    const { against } = view.getState();
    const { run } = stores.selection.getState();
    if (against.kind !== 'gamma' || run === null || viewport === null) {
      if (asked !== '') forget();
      return;
    }
    const { dose, distance_mm, local, by, of } = against;
    const reference = of.kind === 'run' ? of.run : of.plane;
    const params = { run, reference, dose, distance_mm, local, by, viewport };
    const wanted = JSON.stringify(params);
    const live = stores.whatIf.getState().run === run;
    const newest = live ? data.depthDose.revision(SHOWN) : 0;
    if (wanted === asked && newest === revision) return;
    if (wanted !== asked) forget();
    else if (current !== null) {
      // The one under way is shown first: with an answer every few frames none would be.
      again = viewport;
      return;
    }
    asked = wanted;
    revision = newest;
    const controller = new AbortController();
    current = controller;
    client.callCancellable('dose.gamma', params, controller.signal).then(
      (outcome) => {
        if (current === controller) current = null;
        if (asked !== wanted || outcome.status !== 'done') return;
        const { map, ...result } = outcome.value;
        data.troubles.drop(GAMMA_MAP);
        data.maps.set(GAMMA_MAP, { run, field: map, step: 0, depth_mm: 0 });
        view.setState({ gamma: result });
        const next = again;
        again = null;
        if (next !== null) follow(next);
      },
      (error: unknown) => {
        if (current === controller) current = null;
        if (asked === wanted) data.troubles.set(GAMMA_MAP, messageOf(error));
      },
    );
  };
  return { follow, stop: forget };
}

/** Key of this panel's map in the data cache. */
const DOSE_MAP = 'dose-map';

/** A gamma of one is the middle of the colours: what fails is on the far side. */
export const GAMMA_LIMITS = { low: 0, high: 2 } as const;

/** As many pixels as `near` of a handle is from its point. */
const NEAR_PIXELS = 5;

const AXES = { horizontal: 'z', vertical: 'x' } as const;

const quantities = {
  area: 'dose',
  mass: 'dose-per-mass',
  gray: 'gray',
  letd: 'letd',
  lett: 'lett',
  density: 'density',
} as const;

/** Which entry of the data cache is shown. */
export function shownKey(against: { readonly kind: string }): string {
  return against.kind === 'gamma' ? GAMMA_MAP : DOSE_MAP;
}

/**
 * The border of a region under a point, which dragging moves in the form: where the map shows the form's geometry, in
 * Live or before there is a run.
 */
function borderHandle({ stores, data }: Workbench, at: MapPoint, near: MapPoint): MapHandle | null {
  const { whatIf, selection, scenario } = stores;
  const { run } = selection.getState();
  if (run !== null && run !== whatIf.getState().run) return null;
  const { draft } = scenario.getState();
  const plane = ({ horizontal, vertical }: MapPoint) => ({ z: horizontal, x: vertical });
  const border = borderAt(draft, plane(at), plane(near));
  const whole = wholeField(data.maps.get(DOSE_MAP), resolvedOf('transport', scenario.getState().lastResolved));
  if (border === null || whole === null) return null;
  const pixel = { z: near.horizontal / NEAR_PIXELS, x: near.vertical / NEAR_PIXELS };
  return {
    along: border.axis === 'z' ? 'horizontal' : 'vertical',
    move: (to) => {
      const edit = borderMoved(scenario.getState().draft, border, plane(to), pixel, whole[border.axis]);
      if (edit !== null) scenario.edit(edit.path, edit.value, 'Border of a region', `border ${edit.path.join('.')}`);
    },
    release: () => scenario.settle(),
  };
}

export function driveDoseMap(
  workbench: Workbench,
  store: DoseMapStore,
  view: DoseViewStore,
  canvases: MapCanvases,
): DrivenMap {
  const { stores, data, scheduler, feeds } = workbench;
  const feed = feeds.of(RunFeed);
  const gamma = followGamma(workbench, view);
  const shownMap = () => data.maps.get(shownKey(view.getState().against));
  const resolved = () => shownScenario('transport', workbench);
  return driveMap(scheduler, canvases, {
    linked: linkedMap(stores, () => AXES),
    want: (viewport) => {
      const { against } = view.getState();
      const { run } = stores.selection.getState();
      feed.want(DOSE_MAP, {
        quantity: quantities[store.getState().unit],
        ...(store.getState().unit === 'gray' && { y_mm: store.getState().y_mm }),
        ...AXES,
        viewport,
        ...(against.kind === 'difference' && against.run !== run && { against: { run: against.run, keyframe: null } }),
      });
      const under = matterIsShown(workbench, store.getState());
      feed.want(MATTER_MAP, under ? { quantity: 'density', ...AXES, viewport } : null);
      gamma.follow(viewport);
    },
    whole: () => {
      const whole = wholeField(shownMap(), resolved());
      return whole && { horizontal: whole.z, vertical: whole.x };
    },
    scene: () =>
      doseScene({
        shown: shownMap(),
        resolved: resolved(),
        r80_mm: data.depthDose.get(SHOWN)?.final?.metrics.r80_mm ?? null,
        windows: stores.window.getState().windows,
        marks: store.getState().marks,
        under: matterUnder(workbench, store.getState()),
      }),
    style: () => {
      const config = store.getState();
      const { limits, against } = view.getState();
      if (against.kind === 'gamma') {
        const asked = { ...config, colorMap: config.divergingMap, scale: 'linear', contours: false } as const;
        return { ...mapStyle(asked, limits ?? GAMMA_LIMITS, false), wash: 'even' };
      }
      return mapStyle(config, limits, shownMap()?.field.quantity.endsWith('difference') ?? false);
    },
    handle: (at, near) => borderHandle(workbench, at, near),
    tool: () => view.getState().tool,
    marked: () => view.getState().mark,
    mark: (mark) => view.setState({ mark }),
    setLimits: (limits) => view.setState({ limits }),
    about: () => {
      const shown = shownMap();
      const run = runOf(stores.runs.getState(), shown?.run ?? null);
      const name = run?.name ?? 'run';
      const { against } = view.getState();
      const under = matterUnder(workbench, store.getState());
      const other = againstName(stores.runs.getState(), view.getState());
      const what = against.kind === 'gamma' ? 'gamma' : against.kind === 'difference' ? 'dose-difference' : 'dose-map';
      return {
        name: `${name}-${what}`,
        title: other === null ? `${name}: dose` : `${name}: ${shown?.field.quantity} against ${other}`,
        notes: {
          ...runNotes(run),
          ...(other !== null && { reference: other }),
          ...(against.kind === 'gamma' && {
            gamma_dose: against.dose,
            gamma_distance_mm: against.distance_mm,
            gamma_by: against.by,
            gamma_scaled: against.of.kind === 'file' && against.of.plane.unit === null ? 'to the largest dose' : 'no',
            ...(against.of.kind === 'file' && against.of.plane.unit !== null && { gamma_unit: against.of.plane.unit }),
          }),
          ...(under !== null && { under: `density in grey, ${under.low} to ${under.high} g/cm³` }),
        },
      };
    },
    follow: ({ show, want, cross }) => {
      const both = (): void => {
        want();
        show();
      };
      return [
        data.maps.subscribe(DOSE_MAP, show),
        data.maps.subscribe(GAMMA_MAP, show),
        data.maps.subscribe(MATTER_MAP, show),
        // With an answer of Live its gamma is wanted, too.
        data.depthDose.subscribe(SHOWN, both),
        // It says whether the matter is that of a CT.
        data.reference.subscribe(SHOWN, both),
        store.subscribe((state, before) =>
          state.unit === before.unit && state.y_mm === before.y_mm && state.matter === before.matter ? show() : both(),
        ),
        view.subscribe(both),
        stores.scenario.subscribe(show),
        stores.selection.subscribe((state, before) => {
          if (state.run !== before.run) want();
          cross();
        }),
        stores.window.subscribe(both),
      ];
    },
    stop: () => {
      gamma.stop();
      feed.want(DOSE_MAP, null);
      feed.want(MATTER_MAP, null);
    },
  });
}
