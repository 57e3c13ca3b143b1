/** Where a panel goes that is not in a layout: beside those that it stands with by default. */
import { scenarioKindNames } from '../../../electron/contract/scenario/index.ts';
import { isOfKind, type KindLayouts, type Layouts, type PanelsByKind, panelSlots } from './defaults.ts';
import { type Arrangement, type DockArea, type LayoutName, layoutNames, sizeClasses } from './frames.ts';
import { activated, groupsOf, groupWith, type LayoutNode, openedPanel } from './tree.ts';

/** The place of a panel in a layout: its own, or the one that it has elsewhere. */
function placeIn(layout: LayoutName, panel: string): DockArea {
  const places = panelSlots.find(({ id }) => id === panel);
  return places?.[layout] ?? places?.simulate ?? places?.compare ?? places?.profile ?? 'upper';
}

/** The tree with the panel in it; as it is when the panel is there already. */
export function opened(root: LayoutNode, panel: string, layout: LayoutName): LayoutNode {
  if (groupWith(root, panel) !== null) return root;
  const place = placeIn(layout, panel);
  const groups = groupsOf(root);
  // The user may have moved everything: the neighbours of that place tell where it is now.
  const neighbours = panelSlots.filter((each) => each[layout] === place).map(({ id }) => id);
  const target =
    groups.find((each) => each.panels.some((id) => neighbours.includes(id))) ??
    groups.find((each) => each.id === place) ??
    groups.find((each) => each.id === 'upper') ??
    groups[0];
  return target === undefined ? root : openedPanel(root, panel, target.id);
}

/** Panels that are not `known` appear in the layouts that they belong to, behind the tabs in use. */
export function withNewcomers(layouts: Layouts, known: readonly string[], by: PanelsByKind): Layouts {
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
        .reduce((root, { id }) => added(root, id, layout), layouts[layout][size]);
    }
    out[layout] = { ...layouts[layout], ...sizes };
  }
  return { ...layouts, ...out };
}

/** Opened without taking the place of the panel that is shown. */
function added(root: LayoutNode, panel: string, layout: LayoutName): LayoutNode {
  const after = opened(root, panel, layout);
  const target = groupWith(after, panel);
  const before = groupsOf(root).find((each) => each.id === target?.id);
  return before === undefined ? after : activated(after, before.active);
}
