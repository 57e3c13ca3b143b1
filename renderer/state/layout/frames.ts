/** Layouts by name, the window sizes that each is arranged for, and the dock areas of panels. */
import { group, type LayoutNode, withoutPanel } from './tree.ts';

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

/** Below either of these two plots above each other are too flat to read: they share a place. */
export const TALL_FROM_PX = 560;
export const NARROW_FROM_PX = 780;

export const sizeClasses = ['wide', 'narrow', 'small'] as const;
export type SizeClass = (typeof sizeClasses)[number];

/** One layout, for each size of window. */
export type Arrangement = Readonly<Record<SizeClass, LayoutNode>>;

/** Dock area of a panel; its size in pixels depends on the layout. */
export type DockArea = 'left' | 'upper' | 'lower' | 'right' | 'rightLower';

/** Lays the places out; places that are named together share a group. */
export type Frame = (at: (...places: readonly [DockArea, ...DockArea[]]) => LayoutNode) => LayoutNode;

interface Standing {
  readonly id: string;
  readonly place: DockArea;
}

/** Arranges the panels in the frame; an empty area leaves its room to the others. */
export function arrange(frame: Frame, standing: readonly Standing[]): LayoutNode {
  const empty = 'nobody';
  const node = frame((...places) => {
    const [first, ...others] = places.flatMap((place) => standing.filter((each) => each.place === place));
    return group(places[0], first?.id ?? empty, ...others.map(({ id }) => id));
  });
  return withoutPanel(node, empty) ?? node;
}
