/**
 * Controller of the dose map: its content, data source and linked state. Decides whether the density is shown in grey
 * below the dose, and which densities are black and white. No React.
 */
import { messageOf } from '../../../electron/contract/errors.ts';
import type { Viewport } from '../../../electron/contract/fields.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import { narrowResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { RunFeed } from '../../data/run-feed.ts';
import type { Limits } from '../../drawing/colormap.ts';
import type { MapHandle } from '../../drawing/map-gestures.ts';
import type { MapPoint, MapScene } from '../../drawing/map-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { linkedMap } from '../../workbench/actions/linked-map.ts';
import { shownScenario } from '../../workbench/context.ts';
import { type DrivenMap, driveMap, type MapCanvases, mapStyle } from '../../workbench/maps/drive-map.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { borderAt, borderEdit, doseScene, fullExtent } from './scene.ts';
import { comparedName, type DoseMapState, type DoseMapStore, type DoseViewStore } from './store.ts';

/** Key of the density in the data cache. */
export const DENSITY_MAP = 'dose-map/matter';

/** Densities in g/cm³ for black and white. */
const greyLimits: Readonly<Record<DoseMapState['greys'], Limits>> = {
  whole: { low: 0, high: 2 },
  soft: { low: 0.85, high: 1.15 },
  lung: { low: 0, high: 1.1 },
};

/** Whether the material is from a CT, in the shown run or, if there is no run, in the form. */
function isFromCt({ stores, data }: Pick<Workbench, 'stores' | 'data'>): boolean {
  const scenario =
    stores.selection.getState().run === null
      ? stores.scenario.getState().draft
      : data.reference.get(SHOWN_KEY)?.scenario;
  return valueAt(scenario, ['geometry', 'ct']) !== undefined;
}

/** Whether to show the density in grey below the map. Never if the map itself shows the density. */
function isDensityShown(
  workbench: Pick<Workbench, 'stores' | 'data'>,
  { matter, unit }: Pick<DoseMapState, 'matter' | 'unit'>,
): boolean {
  return unit !== 'density' && (matter === 'always' || (matter === 'ct' && isFromCt(workbench)));
}

/** Density below the map; null if disabled or not loaded yet. */
function densityBelow(
  workbench: Pick<Workbench, 'stores' | 'data'>,
  state: Pick<DoseMapState, 'matter' | 'unit' | 'greys'>,
): NonNullable<MapScene['under']> | null {
  const field = isDensityShown(workbench, state) ? workbench.data.maps.get(DENSITY_MAP)?.field : undefined;
  return field === undefined ? null : { ...greyLimits[state.greys], field };
}

// The gamma index compares the shown run with another dose. The result is stored in the data cache.

/** Key of the gamma map in the data cache. */
const GAMMA_MAP = 'dose-map/gamma';

interface GammaFollower {
  /** Requests the current gamma index, unless it is loaded or in progress. */
  follow(viewport: Viewport | null): void;
  stop(): void;
}

function followGamma({ client, stores, data }: Workbench, view: DoseViewStore): GammaFollower {
  let requested = '';
  let current: AbortController | null = null;
  /** Revision of the answer of Live mode that the gamma was computed from; 0 for other runs. */
  let revision = 0;
  let again: Viewport | null = null;

  const forget = (): void => {
    current?.abort();
    current = null;
    requested = '';
    again = null;
    data.maps.drop(GAMMA_MAP);
    if (view.getState().gamma !== null) view.setState({ gamma: null });
  };

  const follow = (viewport: Viewport | null): void => {
    const { against } = view.getState();
    const { run } = stores.selection.getState();
    if (against.kind !== 'gamma' || run === null || viewport === null) {
      if (requested !== '') forget();
      return;
    }
    const { dose, distance_mm, local, by, of } = against;
    const reference = of.kind === 'run' ? of.run : of.plane;
    const params = { run, reference, dose, distance_mm, local, by, viewport };
    const wanted = JSON.stringify(params);
    const live = stores.whatIf.getState().run === run;
    const newest = live ? data.depthDose.revision(SHOWN_KEY) : 0;
    if (wanted === requested && newest === revision) return;
    if (wanted !== requested) forget();
    else if (current !== null) {
      // Let the current request finish first: answers of Live mode arrive every few frames, and restarting for each
      // would never finish.
      again = viewport;
      return;
    }
    requested = wanted;
    revision = newest;
    const controller = new AbortController();
    current = controller;
    client.callCancellable('dose.gamma', params, controller.signal).then(
      (outcome) => {
        if (current === controller) current = null;
        if (requested !== wanted || outcome.status !== 'done') return;
        const { map, ...result } = outcome.value;
        data.mapErrors.drop(GAMMA_MAP);
        data.maps.set(GAMMA_MAP, { run, field: map, step: 0, depth_mm: 0 });
        view.setState({ gamma: result });
        const next = again;
        again = null;
        if (next !== null) follow(next);
      },
      (error: unknown) => {
        if (current === controller) current = null;
        if (requested === wanted) data.mapErrors.set(GAMMA_MAP, messageOf(error));
      },
    );
  };
  return { follow, stop: forget };
}

/** Key of this panel's map in the data cache. */
const DOSE_MAP = 'dose-map';

/** Limits that place a gamma of one in the middle of the colours, so that failing points have the upper half. */
export const GAMMA_LIMITS = { low: 0, high: 2 } as const;

/** Maximum distance of the pointer from a handle, in pixels. */
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

/** Key of the shown entry in the data cache. */
export function shownKey(against: { readonly kind: string }): string {
  return against.kind === 'gamma' ? GAMMA_MAP : DOSE_MAP;
}

/**
 * Border of a region at a point, which can be dragged to edit the form. Available if the map shows the form's geometry:
 * in Live mode or before there is a run.
 */
function borderHandle({ stores, data }: Workbench, at: MapPoint, near: MapPoint): MapHandle | null {
  const { whatIf, selection, scenario } = stores;
  const { run } = selection.getState();
  if (run !== null && run !== whatIf.getState().run) return null;
  const { draft } = scenario.getState();
  const plane = ({ horizontal, vertical }: MapPoint) => ({ z: horizontal, x: vertical });
  const border = borderAt(draft, plane(at), plane(near));
  const whole = fullExtent(
    data.maps.get(DOSE_MAP),
    narrowResolvedScenario('transport', scenario.getState().lastResolved),
  );
  if (border === null || whole === null) return null;
  const pixel = { z: near.horizontal / NEAR_PIXELS, x: near.vertical / NEAR_PIXELS };
  return {
    along: border.axis === 'z' ? 'horizontal' : 'vertical',
    move: (to) => {
      const edit = borderEdit(scenario.getState().draft, border, plane(to), pixel, whole[border.axis]);
      if (edit !== null) scenario.edit(edit.path, edit.value, 'Border of a region', `border ${edit.path.join('.')}`);
    },
    release: () => scenario.endEdit(),
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
    request: (viewport) => {
      const { against } = view.getState();
      const { run } = stores.selection.getState();
      feed.request(DOSE_MAP, {
        quantity: quantities[store.getState().unit],
        ...(store.getState().unit === 'gray' && { y_mm: store.getState().y_mm }),
        ...AXES,
        viewport,
        ...(against.kind === 'difference' && against.run !== run && { against: { run: against.run, keyframe: null } }),
      });
      const under = isDensityShown(workbench, store.getState());
      feed.request(DENSITY_MAP, under ? { quantity: 'density', ...AXES, viewport } : null);
      gamma.follow(viewport);
    },
    whole: () => {
      const whole = fullExtent(shownMap(), resolved());
      return whole && { horizontal: whole.z, vertical: whole.x };
    },
    scene: () =>
      doseScene({
        shown: shownMap(),
        resolved: resolved(),
        r80_mm: data.depthDose.get(SHOWN_KEY)?.final?.metrics.r80_mm ?? null,
        windows: stores.window.getState().windows,
        marks: store.getState().marks,
        under: densityBelow(workbench, store.getState()),
      }),
    style: () => {
      const config = store.getState();
      const { limits, against } = view.getState();
      if (against.kind === 'gamma') {
        const differenceConfig = {
          ...config,
          colorMap: config.divergingMap,
          scale: 'linear',
          contours: false,
        } as const;
        return { ...mapStyle(differenceConfig, limits ?? GAMMA_LIMITS, false), wash: 'even' };
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
      const under = densityBelow(workbench, store.getState());
      const other = comparedName(stores.runs.getState(), view.getState());
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
            gamma_scaled:
              against.of.kind === 'file' && against.of.plane.unit === null ? 'relative to the largest dose' : 'no',
            ...(against.of.kind === 'file' && against.of.plane.unit !== null && { gamma_unit: against.of.plane.unit }),
          }),
          ...(under !== null && { under: `density in grey, ${under.low} to ${under.high} g/cm³` }),
        },
      };
    },
    follow: ({ show, requestField, cross }) => {
      const both = (): void => {
        requestField();
        show();
      };
      return [
        data.maps.subscribe(DOSE_MAP, show),
        data.maps.subscribe(GAMMA_MAP, show),
        data.maps.subscribe(DENSITY_MAP, show),
        // A new answer of Live mode also requires a new gamma index.
        data.depthDose.subscribe(SHOWN_KEY, both),
        // The scenario determines whether the material is from a CT.
        data.reference.subscribe(SHOWN_KEY, both),
        store.subscribe((state, before) =>
          state.unit === before.unit && state.y_mm === before.y_mm && state.matter === before.matter ? show() : both(),
        ),
        view.subscribe(both),
        stores.scenario.subscribe(show),
        stores.selection.subscribe((state, before) => {
          if (state.run !== before.run) requestField();
          cross();
        }),
        stores.window.subscribe(both),
      ];
    },
    stop: () => {
      gamma.stop();
      feed.request(DOSE_MAP, null);
      feed.request(DENSITY_MAP, null);
    },
  });
}
