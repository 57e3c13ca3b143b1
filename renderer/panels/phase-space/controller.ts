/** Controller of a phase-space map: its content, data source and linked state. */
import type { ComparisonTarget } from '../../../electron/contract/run.ts';
import { RunFeed } from '../../data/run-feed.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { linkedMap } from '../../workbench/actions/linked-map.ts';
import { type DrivenMap, driveMap, type MapCanvases, mapStyle } from '../../workbench/maps/drive-map.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import {
  cacheKey,
  cutsFor,
  isDifference,
  limitsOf,
  type PhaseSpaceStore,
  type PhaseViewStore,
  phaseScene,
  type Reference,
  type SlotKey,
  slots,
  titleOf,
} from './maps.ts';

/** A stored step is a valid reference only for its own run. */
function comparisonTarget(reference: Reference, run: string | null): ComparisonTarget | null {
  if (reference.kind === 'none' || run === null) return null;
  if (reference.kind === 'run') return { run: reference.run, keyframe: null };
  return reference.run === run ? { run, keyframe: reference.keyframe } : null;
}

export function drivePhaseMap(
  { stores, data, feeds, scheduler }: Workbench,
  store: PhaseSpaceStore,
  view: PhaseViewStore,
  slot: SlotKey,
  canvases: MapCanvases,
): DrivenMap {
  const feed = feeds.of(RunFeed);
  const key = cacheKey(slot);
  const axes = () => store.getState().maps[slot];
  /** Ignores a map with other axes, which no longer match the heading. */
  const shownMap = () => {
    const shown = data.maps.get(key);
    const { horizontal, vertical } = axes();
    return shown?.field.horizontal.name === horizontal && shown.field.vertical.name === vertical ? shown : null;
  };
  return driveMap(scheduler, canvases, {
    room: 'compact',
    linked: linkedMap(stores, axes),
    request: (viewport) => {
      const { cuts, reference } = view.getState();
      const validCuts = cutsFor(axes(), cuts[slot] ?? []);
      const against = comparisonTarget(reference, stores.selection.getState().run);
      feed.request(key, {
        quantity: 'protons',
        ...axes(),
        viewport,
        ...(validCuts.length > 0 && { cuts: [...validCuts] }),
        ...(against !== null && { against }),
      });
    },
    whole: () => {
      const field = data.maps.get(key)?.field;
      return field === undefined
        ? null
        : {
            horizontal: [field.horizontal.fullFrom, field.horizontal.fullTo],
            vertical: [field.vertical.fullFrom, field.vertical.fullTo],
          };
    },
    scene: () => {
      const shown = shownMap();
      // The picture may show another moment than the chosen one while the chosen one is loading.
      if (shown === null) delete canvases.above.dataset['step'];
      else canvases.above.dataset['step'] = String(shown.step);
      return shown && phaseScene(shown, stores.window.getState().windows);
    },
    style: () => {
      const config = store.getState();
      const fields = slots.flatMap((each) => data.maps.get(cacheKey(each))?.field ?? []);
      const limits = limitsOf(fields, config, view.getState().limits[slot] ?? null) ?? null;
      const field = shownMap()?.field;
      return mapStyle(config, limits, field !== undefined && isDifference(field));
    },
    tool: () => view.getState().tool,
    marked: () => {
      const { marked } = view.getState();
      return marked?.slot === slot ? marked.mark : null;
    },
    mark: (mark) => view.setState({ marked: { slot, mark } }),
    setLimits: (limits) =>
      view.setState((state) => {
        // If limits are matched, dragging one colour bar changes the limits of all maps.
        const moved = store.getState().matched ? slots : [slot];
        const next = { ...state.limits };
        for (const each of moved) {
          if (limits === null) delete next[each];
          else next[each] = limits;
        }
        return { limits: next };
      }),
    about: () => {
      const shown = data.maps.get(key);
      if (shown === null) return null;
      const { run, step, depth_mm } = shown;
      const notes = { ...runNotes(runOf(stores.runs.getState(), run)), step, depth_mm };
      return { name: key, title: titleOf(axes()), notes };
    },
    follow: ({ show, requestField, cross }) => {
      const both = (): void => {
        requestField();
        show();
      };
      return [
        // All maps of a moment are set together before the next frame, so matched limits include all of them.
        ...slots.map((each) => data.maps.subscribe(cacheKey(each), show)),
        store.subscribe(() => {
          both();
          cross();
        }),
        view.subscribe(both),
        stores.selection.subscribe((state, before) => {
          if (state.run !== before.run) requestField();
          cross();
        }),
        stores.window.subscribe(both),
      ];
    },
    // The last map stays in the cache, so that a panel that was only moved can show it at once.
    stop: () => feed.request(key, null),
  });
}
