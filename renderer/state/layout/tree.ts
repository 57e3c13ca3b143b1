/**
 * Layout tree of panels as plain immutable data: splits contain groups, and groups contain panels as tabs. With its
 * views it adds 12 kB to the page, compared with 398 kB for dockview. Each named layout has one tree per window size,
 * and assigns panels to dock areas. Stored layouts have this form.
 */
import { z } from 'zod';

/** Size of a split's child: fixed, or a share of the space that fixed children leave. */
const sizeSchema = z.discriminatedUnion('unit', [
  z.strictObject({ unit: z.literal('px'), value: z.number().min(80).max(4000) }),
  z.strictObject({ unit: z.literal('share'), value: z.number().min(0.01).max(100) }),
]);
export type Size = Readonly<z.infer<typeof sizeSchema>>;

export interface GroupNode {
  readonly type: 'group';
  readonly id: string;
  readonly panels: readonly string[];
  readonly active: string;
}

interface SplitNode {
  readonly type: 'split';
  readonly id: string;
  /** `row`: children side by side. */
  readonly direction: 'row' | 'column';
  readonly children: readonly LayoutNode[];
  /** One size per child. */
  readonly sizes: readonly Size[];
}

export type LayoutNode = GroupNode | SplitNode;

const id = z.string().min(1).max(64);

const groupSchema: z.ZodType<GroupNode> = z
  .strictObject({ type: z.literal('group'), id, panels: z.array(id).min(1).max(32), active: id })
  .refine((group) => group.panels.includes(group.active), 'the shown panel is not in its group');

export const layoutSchema: z.ZodType<LayoutNode> = z.lazy(() =>
  z.union([
    groupSchema,
    z
      .strictObject({
        type: z.literal('split'),
        id,
        direction: z.enum(['row', 'column']),
        children: z.array(layoutSchema).min(1).max(12),
        sizes: z.array(sizeSchema).min(1).max(12),
      })
      .refine((split) => split.children.length === split.sizes.length, 'sizes and children differ in number'),
  ]),
);

export function group(id: string, ...panels: readonly [string, ...string[]]): GroupNode {
  return { type: 'group', id, panels, active: panels[0] };
}

export function split(
  id: string,
  direction: SplitNode['direction'],
  ...parts: readonly (readonly [Size, LayoutNode])[]
): SplitNode {
  return { type: 'split', id, direction, children: parts.map(([, node]) => node), sizes: parts.map(([size]) => size) };
}

export const px = (value: number): Size => ({ unit: 'px', value });
export const share = (value: number): Size => ({ unit: 'share', value });

export function groupsOf(node: LayoutNode): readonly GroupNode[] {
  return node.type === 'group' ? [node] : node.children.flatMap(groupsOf);
}

export function panelsOf(node: LayoutNode): readonly string[] {
  return groupsOf(node).flatMap((each) => each.panels);
}

export function groupWith(node: LayoutNode, panel: string): GroupNode | null {
  return groupsOf(node).find((each) => each.panels.includes(panel)) ?? null;
}

/** A copy in which `change` was applied to every node, children first; null removes a node. */
function mapTree(node: LayoutNode, change: (node: LayoutNode) => LayoutNode | null): LayoutNode | null {
  if (node.type === 'group') return change(node);
  const kept = node.children
    .map((child, i) => ({ child: mapTree(child, change), size: node.sizes[i] ?? share(1) }))
    .filter((part): part is { child: LayoutNode; size: Size } => part.child !== null);
  if (kept.length === 0) return null;
  const only = kept[0];
  // Replace a split with a single child by that child.
  if (kept.length === 1 && only !== undefined) return change(only.child);
  const sizes = kept.map((part) => part.size);
  // At least one child must fill the remaining space.
  const elastic = sizes.some((size) => size.unit === 'share') ? sizes : sizes.map(() => share(1));
  return change({ ...node, children: kept.map((part) => part.child), sizes: elastic });
}

export function activatePanel(root: LayoutNode, panel: string): LayoutNode {
  return (
    mapTree(root, (node) =>
      node.type === 'group' && node.panels.includes(panel) && node.active !== panel ? { ...node, active: panel } : node,
    ) ?? root
  );
}

export function resizeSplit(root: LayoutNode, splitId: string, sizes: readonly Size[]): LayoutNode {
  return (
    mapTree(root, (node) =>
      node.type === 'split' && node.id === splitId && node.sizes.length === sizes.length ? { ...node, sizes } : node,
    ) ?? root
  );
}

/** Removes the panel wherever it is. Null if nothing else is left. */
export function withoutPanel(root: LayoutNode, panel: string): LayoutNode | null {
  return mapTree(root, (node) => {
    if (node.type === 'split' || !node.panels.includes(panel)) return node;
    const at = node.panels.indexOf(panel);
    const panels = node.panels.filter((each) => each !== panel);
    const active = node.active === panel ? (panels[Math.min(at, panels.length - 1)] ?? '') : node.active;
    return panels.length === 0 ? null : { ...node, panels, active };
  });
}

export type Zone = 'center' | 'left' | 'right' | 'top' | 'bottom';

/** An unused id for a split, such that the id with suffix `g` is unused too, for its new group. */
function freshId(root: LayoutNode): string {
  const ids = new Set<string>();
  const collect = (node: LayoutNode): void => {
    ids.add(node.id);
    if (node.type === 'split') node.children.forEach(collect);
  };
  collect(root);
  for (let i = 1; ; i += 1) if (!ids.has(`n${i}`) && !ids.has(`n${i}g`)) return `n${i}`;
}

function splitNextTo(target: GroupNode, added: GroupNode, zone: Exclude<Zone, 'center'>, id: string): SplitNode {
  const direction = zone === 'left' || zone === 'right' ? 'row' : 'column';
  const first = zone === 'left' || zone === 'top';
  return split(id, direction, [share(1), first ? added : target], [share(1), first ? target : added]);
}

/**
 * Moves a panel into a group as a tab (before `index`, or last), or next to it as a new group. The tree is unchanged if
 * the target no longer exists.
 */
export function movedPanel(root: LayoutNode, panel: string, groupId: string, zone: Zone, index?: number): LayoutNode {
  const target = groupsOf(root).find((each) => each.id === groupId);
  if (target === undefined) return root;
  const alone = target.panels.length === 1 && target.panels[0] === panel;
  if (alone) return root;
  const at = index ?? target.panels.length;
  // Removing the panel from the group shifts the tabs to its right by one.
  const from = target.panels.indexOf(panel);
  const place = from >= 0 && from < at ? at - 1 : at;
  const rest = withoutPanel(root, panel) ?? root;
  const splitId = freshId(rest);
  return (
    mapTree(rest, (node) => {
      if (node.type !== 'group' || node.id !== groupId) return node;
      if (zone === 'center') {
        return { ...node, panels: [...node.panels.slice(0, place), panel, ...node.panels.slice(place)], active: panel };
      }
      return splitNextTo(node, group(`${splitId}g`, panel), zone, splitId);
    }) ?? rest
  );
}

/** Adds a panel to a group as its last tab and shows it. The tree is unchanged if the group no longer exists. */
export function openedPanel(root: LayoutNode, panel: string, groupId: string): LayoutNode {
  return (
    mapTree(root, (node) =>
      node.type === 'group' && node.id === groupId ? { ...node, panels: [...node.panels, panel], active: panel } : node,
    ) ?? root
  );
}

export const layoutNames = ['simulate', 'compare', 'profile'] as const;
export type LayoutName = (typeof layoutNames)[number];

export const layoutTitles: Readonly<Record<LayoutName, string>> = {
  simulate: 'Simulate',
  compare: 'Compare',
  profile: 'Profile',
};

/**
 * Below this window width (CSS pixels) two side columns leave too little room for the plots. All other panels then
 * share one column.
 */
export const WIDE_FROM_PX = 1180;

/** Below this window height (CSS pixels) two stacked plots are too flat to read, so they share a group. */
export const TALL_FROM_PX = 560;
export const NARROW_FROM_PX = 780;

export const sizeClasses = ['wide', 'narrow', 'small'] as const;
export type SizeClass = (typeof sizeClasses)[number];

/** A layout tree for each window size. */
export type Arrangement = Readonly<Record<SizeClass, LayoutNode>>;

/** Dock area of a panel; its size in pixels depends on the layout. */
export type DockArea = 'left' | 'upper' | 'lower' | 'right' | 'rightLower';

/** Creates the layout tree. `at` returns a group for one or more dock areas, which then share that group. */
export type Frame = (at: (...places: readonly [DockArea, ...DockArea[]]) => LayoutNode) => LayoutNode;

interface PlacedFrame {
  readonly id: string;
  readonly place: DockArea;
}

/** Arranges the panels in the frame; the space of an empty area goes to the others. */
export function arrange(frame: Frame, panels: readonly PlacedFrame[]): LayoutNode {
  const empty = 'nobody';
  const node = frame((...places) => {
    const [first, ...others] = places.flatMap((place) => panels.filter((each) => each.place === place));
    return group(places[0], first?.id ?? empty, ...others.map(({ id }) => id));
  });
  return withoutPanel(node, empty) ?? node;
}
