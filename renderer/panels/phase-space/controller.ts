/** Ties the canvases of one map to the stores and the data. Paints outside React. */
import type { Against } from '../../../electron/contract/run.ts';
import { linkedMap } from '../../actions/linked-map.ts';
import { viewportOf } from '../../base/viewport.ts';
import { colorMap } from '../../drawing/colormap.ts';
import { listenToMap } from '../../drawing/map-input.ts';
import { MapView, type PaintedFigure } from '../../drawing/map-view.ts';
import type { Limits } from '../../drawing/normalisation.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { cacheKey, cutsFor, isDifference, limitsOf, phaseScene, type SlotKey, slots, titleOf } from './maps.ts';
import type { PhaseSpaceStore, PhaseViewStore, Reference } from './store.ts';

export interface DrivenMap {
  stop(): void;
  /** What the map shows, for export. */
  figure(): PaintedFigure | null;
}

/** A reference to a stored step is of its own run only. */
export function againstOf(reference: Reference, run: string | null): Against | null {
  if (reference.kind === 'none' || run === null) return null;
  if (reference.kind === 'run') return { run: reference.run, keyframe: null };
  return reference.run === run ? { run, keyframe: reference.keyframe } : null;
}

export function drivePhaseMap(
  workbench: Workbench,
  store: PhaseSpaceStore,
  viewStore: PhaseViewStore,
  slot: SlotKey,
  below: HTMLCanvasElement,
  above: HTMLCanvasElement,
): DrivenMap {
  const { stores, data, feed, scheduler } = workbench;
  const key = cacheKey(slot);
  let pixels: readonly [number, number] | null = null;

  const axes = () => store.getState().maps[slot];
  const linked = linkedMap(stores, axes);
  const want = (): void => {
    if (pixels === null) return;
    const { cuts, reference } = viewStore.getState();
    const kept = cutsFor(axes(), cuts[slot] ?? []);
    const against = againstOf(reference, stores.selection.getState().run);
    feed.want(key, {
      quantity: 'protons',
      ...axes(),
      viewport: viewportOf(linked.windows(), pixels),
      ...(kept.length > 0 && { cuts: [...kept] }),
      ...(against !== null && { against }),
    });
  };
  const view = new MapView(
    below,
    above,
    scheduler,
    (size) => {
      pixels = size;
      want();
    },
    'compact',
  );
  const show = (): void => {
    const shown = data.maps.get(key);
    const { horizontal, vertical } = axes();
    // What came for the axes before is not what the heading says any more.
    if (shown === null || shown.field.horizontal.name !== horizontal || shown.field.vertical.name !== vertical) {
      view.clear();
      delete above.dataset['step'];
      return;
    }
    // The picture's moment, which may be behind the chosen one.
    above.dataset['step'] = String(shown.step);
    const config = store.getState();
    const { limits, marked } = viewStore.getState();
    const centred = isDifference(shown.field);
    const fields = slots.flatMap((each) => data.maps.get(cacheKey(each))?.field ?? []);
    view.show(phaseScene(shown, stores.window.getState().windows), {
      colorMap: colorMap(centred ? config.divergingMap : config.colorMap),
      scale: config.scale,
      limits: limitsOf(fields, config, limits[slot] ?? null),
      centred,
      contours: config.contours,
      handles: true,
    });
    view.setMark(marked?.slot === slot ? marked.mark : null);
  };
  const cross = (): void => view.setCrosshair(linked.crosshair());
  const setLimits = (limits: Limits | null): void =>
    viewStore.setState((state) => {
      // Matched limits stay matched: one bar moves them all.
      const moved = store.getState().matched ? slots : [slot];
      const next = { ...state.limits };
      for (const each of moved) {
        if (limits === null) delete next[each];
        else next[each] = limits;
      }
      return { limits: next };
    });

  const stops = [
    // All maps of a moment are set in one turn, before the next frame: matched limits see every one of them.
    ...slots.map((each) => data.maps.subscribe(cacheKey(each), show)),
    store.subscribe(() => {
      want();
      show();
      cross();
    }),
    viewStore.subscribe(() => {
      want();
      show();
    }),
    stores.selection.subscribe((state, before) => {
      if (state.run !== before.run) want();
      cross();
    }),
    stores.window.subscribe(() => {
      want();
      show();
    }),
    listenToMap(view, above, {
      ...linked,
      whole: () => {
        const field = data.maps.get(key)?.field;
        return field === undefined
          ? null
          : {
              horizontal: [field.horizontal.fullFrom, field.horizontal.fullTo],
              vertical: [field.vertical.fullFrom, field.vertical.fullTo],
            };
      },
      tool: () => viewStore.getState().tool,
      mark: (kind, from, to) => viewStore.setState({ marked: { slot, mark: { kind, from, to } } }),
      setLimits,
    }),
  ];
  show();
  cross();
  return {
    figure: () => {
      const shown = data.maps.get(key);
      const run = runOf(stores.runs.getState(), shown?.run ?? null);
      if (shown === null) return null;
      const { step, depth_mm } = shown;
      return view.figure({ name: key, title: titleOf(axes()), notes: { ...runNotes(run), step, depth_mm } });
    },
    stop: () => {
      for (const stop of stops) stop();
      // What it showed stays: a panel that only moved has something to show, and to click, at once.
      feed.want(key, null);
      view.dispose();
    },
  };
}
