/** Layouts of the user, saved per user. Stored layouts that no longer match the schema are reset. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { defaultKind, type ScenarioKindName, scenarioKindNames } from '../../../electron/contract/scenario/index.ts';
import type { PanelControl } from '../../base/panel-actions.ts';
import { createPersisted, type SettingsStorage } from '../persisted.ts';
import { defaultLayouts, isOfKind, type KindLayouts, type Layouts, type PanelsByKind, panelSlots } from './defaults.ts';
import {
  type Arrangement,
  activatePanel,
  type DockArea,
  groupsOf,
  groupWith,
  type LayoutName,
  type LayoutNode,
  layoutNames,
  layoutSchema,
  movedPanel,
  openedPanel,
  panelsOf,
  resizeSplit,
  type Size,
  type SizeClass,
  sizeClasses,
  withoutPanel,
  type Zone,
} from './tree.ts';

// A panel that is not in a layout opens in the group of its default neighbours.

/** Dock area of a panel in a layout, or else its area in another layout. */
function dockAreaIn(layout: LayoutName, panel: string): DockArea {
  const places = panelSlots.find(({ id }) => id === panel);
  return places?.[layout] ?? places?.simulate ?? places?.compare ?? places?.profile ?? 'upper';
}

/** The tree with the panel opened; unchanged if already open. */
function openPanel(root: LayoutNode, panel: string, layout: LayoutName): LayoutNode {
  if (groupWith(root, panel) !== null) return root;
  const place = dockAreaIn(layout, panel);
  const groups = groupsOf(root);
  // The user may have moved groups, so find the area by the panels that are there by default.
  const neighbours = panelSlots.filter((each) => each[layout] === place).map(({ id }) => id);
  const target =
    groups.find((each) => each.panels.some((id) => neighbours.includes(id))) ??
    groups.find((each) => each.id === place) ??
    groups.find((each) => each.id === 'upper') ??
    groups[0];
  return target === undefined ? root : openedPanel(root, panel, target.id);
}

/** Adds panels that are not `known` to their layouts, as background tabs. */
function withNewPanels(layouts: Layouts, known: readonly string[], by: PanelsByKind): Layouts {
  const newcomers = panelSlots.filter(({ id }) => !known.includes(id));
  if (newcomers.length === 0) return layouts;
  const all = scenarioKindNames.map((kind) => {
    const here = newcomers.filter((panel) => isOfKind(panel, kind, by));
    return [kind, withPanels(layouts[kind], here)];
  });
  return Object.fromEntries(all) as Layouts;
}

function withPanels(layouts: KindLayouts, newcomers: typeof panelSlots): KindLayouts {
  const out: Partial<Record<LayoutName, Arrangement>> = {};
  for (const layout of layoutNames) {
    const sizes: Partial<Record<string, LayoutNode>> = {};
    for (const size of sizeClasses) {
      sizes[size] = newcomers
        .filter((panel) => panel[layout] !== undefined)
        .reduce((root, { id }) => addPanel(root, id, layout), layouts[layout][size]);
    }
    out[layout] = { ...layouts[layout], ...sizes };
  }
  return { ...layouts, ...out };
}

/** Adds a panel as a background tab. */
function addPanel(root: LayoutNode, panel: string, layout: LayoutName): LayoutNode {
  const after = openPanel(root, panel, layout);
  const target = groupWith(after, panel);
  const before = groupsOf(root).find((each) => each.id === target?.id);
  return before === undefined ? after : activatePanel(after, before.active);
}

interface LayoutState {
  readonly shown: LayoutName;
  readonly layouts: Layouts;
  /** Panels that existed when this state was stored; newer ones are added to their default areas. */
  readonly known: readonly string[];
}

/** Kind of scenario that the layout shows panels for. Not saved, because it follows the open document. */
interface ArrangedKind {
  readonly kind: ScenarioKindName;
}

/** Panel whose group fills the window, until the user restores the others. Not saved. */
interface MaximizedPanel {
  readonly panel: string | null;
}

/** Control that will be pressed when its panel shows it; null for none. */
interface PendingControl {
  readonly next: { readonly panel: string; readonly control: PanelControl } | null;
}

export interface LayoutStore extends StoreApi<LayoutState> {
  readonly enlarged: StoreApi<MaximizedPanel>;
  readonly arranged: StoreApi<ArrangedKind>;
  /** Enlarges a panel's group to the window, opening the panel if needed; null restores all groups. */
  enlarge(panel: string | null): void;
  choose(layout: LayoutName): void;
  /** Switches to the layouts of another kind of scenario. */
  arrangeFor(kind: ScenarioKindName): void;
  /** Shows a panel of the current layout for every window size, opening it if needed. */
  reveal(panel: string): void;
  /** Shows a panel, and presses one of its controls when it appears. */
  press(panel: string, control: PanelControl): void;
  readonly pressed: StoreApi<PendingControl>;
  /** Closes a panel in the current layout for every window size. The last panel stays. */
  close(panel: string): void;
  show(size: SizeClass, panel: string): void;
  resize(size: SizeClass, splitId: string, sizes: readonly Size[]): void;
  move(size: SizeClass, panel: string, groupId: string, zone: Zone, index?: number): void;
  /** Resets the current layout to its default. */
  reset(): void;
}

/** Version 1: one unnamed arrangement with all panels. Version 2: layouts of one kind of scenario. */
const VERSION = 3;
const PANELS_OF_VERSION_1 = [
  'scenario',
  'runs',
  'dose-map',
  'phase-space',
  'depth-dose',
  'lateral',
  'ledger-steps',
  'run',
  'ledger',
];

const panelIds = panelSlots.map(({ id }) => id);

function isValidLayout(root: LayoutNode): boolean {
  const panels = panelsOf(root);
  return new Set(panels).size === panels.length && panels.every((panel) => panelIds.includes(panel));
}

const arrangementSchema = z
  .strictObject({ wide: layoutSchema, narrow: layoutSchema, small: layoutSchema })
  .refine((sizes) => sizeClasses.every((size) => isValidLayout(sizes[size])), 'panels are unknown or given twice');

const kindSchema = z.strictObject({
  simulate: arrangementSchema,
  compare: arrangementSchema,
  profile: arrangementSchema,
});

/** A kind added by a newer program starts with its default layout. */
function schemaFor(defaults: Layouts): z.ZodType<LayoutState> {
  const layouts = z
    .partialRecord(z.enum(scenarioKindNames), kindSchema)
    .transform((stored) => ({ ...defaults, ...stored }) as Layouts);
  return z.strictObject({
    shown: z.enum(layoutNames),
    layouts,
    known: z.array(z.string().max(64)).max(64),
  });
}

function mapArrangement(arrangement: Arrangement, next: (root: LayoutNode) => LayoutNode): Arrangement {
  return { wide: next(arrangement.wide), narrow: next(arrangement.narrow), small: next(arrangement.small) };
}

export function shownRoot({ shown, layouts }: LayoutState, { kind }: ArrangedKind, size: SizeClass): LayoutNode {
  return layouts[kind][shown][size];
}

export function createLayoutStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
  panels: PanelsByKind,
): LayoutStore {
  const defaults = defaultLayouts(panels);
  const initial: LayoutState = { shown: 'simulate', layouts: defaults, known: panelIds };
  const store = createPersisted<LayoutState>({
    storage,
    name: 'layout',
    version: VERSION,
    schema: schemaFor(defaults),
    initial,
    migrations: {
      1: (simulate) => ({
        ...initial,
        layouts: { ...defaults[defaultKind], simulate },
        known: PANELS_OF_VERSION_1,
      }),
      2: (data) => ({ ...(data as object), layouts: { [defaultKind]: (data as { layouts: unknown }).layouts } }),
    },
    onReset,
  });
  store.setState(({ layouts, known }) => ({ layouts: withNewPanels(layouts, known, panels), known: panelIds }));

  const arranged = createStore<ArrangedKind>(() => ({ kind: defaultKind }));
  const pressed = createStore<PendingControl>(() => ({ next: null }));
  const enlarged = createStore<MaximizedPanel>(() => ({ panel: null }));
  const change = (next: (arrangement: Arrangement, shown: LayoutName) => Arrangement): void => {
    const { kind } = arranged.getState();
    store.setState(({ shown, layouts }) => {
      const own = layouts[kind];
      return { layouts: { ...layouts, [kind]: { ...own, [shown]: next(own[shown], shown) } } };
    });
  };
  const changeSize = (size: SizeClass, next: (root: LayoutNode) => LayoutNode): void => {
    change((arrangement) => ({ ...arrangement, [size]: next(arrangement[size]) }));
  };
  const reveal = (panel: string): void => {
    change((arrangement, layout) =>
      mapArrangement(arrangement, (root) => activatePanel(openPanel(root, panel, layout), panel)),
    );
    if (enlarged.getState().panel !== null) enlarged.setState({ panel });
  };
  return {
    ...store,
    enlarged,
    arranged,
    enlarge: (panel) => {
      if (panel !== null) reveal(panel);
      enlarged.setState({ panel });
    },
    choose: (shown) => {
      enlarged.setState({ panel: null });
      store.setState({ shown });
    },
    arrangeFor: (kind) => {
      if (arranged.getState().kind === kind) return;
      enlarged.setState({ panel: null });
      arranged.setState({ kind });
    },
    reveal,
    pressed,
    press: (panel, control) => {
      reveal(panel);
      pressed.setState({ next: { panel, control } });
    },
    close: (panel) => {
      if (enlarged.getState().panel === panel) enlarged.setState({ panel: null });
      change((arrangement) => mapArrangement(arrangement, (root) => withoutPanel(root, panel) ?? root));
    },
    show: (size, panel) =>
      changeSize(size, (root) => (groupWith(root, panel) === null ? root : activatePanel(root, panel))),
    resize: (size, splitId, sizes) => changeSize(size, (root) => resizeSplit(root, splitId, sizes)),
    move: (size, panel, groupId, zone, index) =>
      changeSize(size, (root) => movedPanel(root, panel, groupId, zone, index)),
    reset: () => {
      enlarged.setState({ panel: null });
      change((_, shown) => defaults[arranged.getState().kind][shown]);
    },
  };
}
