/** Layouts by name, the sizes of window that each is arranged for, and the places that panels stand in. */
import { group, type LayoutNode, withoutPanel } from './tree.ts';

export const layoutNames = ['simulate', 'compare', 'profile'] as const;
export type LayoutName = (typeof layoutNames)[number];

export const layoutTitles: Readonly<Record<LayoutName, string>> = {
  simulate: 'Simulate',
  compare: 'Compare',
  profile: 'Profile',
};

/**
 * Below this width of the window (CSS pixels) two side columns leave the plots
 * too little, and everything beside the plots shares one column.
 */
export const WIDE_FROM_PX = 1180;

/** Below either of these two plots above each other are too flat to read: they share a place. */
export const TALL_FROM_PX = 560;
export const NARROW_FROM_PX = 780;

export const sizeClasses = ['wide', 'narrow', 'small'] as const;
export type SizeClass = (typeof sizeClasses)[number];

/** One layout, for each size of window. */
export type Arrangement = Readonly<Record<SizeClass, LayoutNode>>;

/** Where a panel stands; what that means in pixels is the layout's own. */
export type DockArea = 'left' | 'upper' | 'lower' | 'right' | 'rightLower';

/** Lays the places out; places that are named together share a group. */
export type Frame = (at: (...places: readonly [DockArea, ...DockArea[]]) => LayoutNode) => LayoutNode;

interface Standing {
  readonly id: string;
  readonly place: DockArea;
}

/** The panels in the frame; a place that nobody stands in leaves its room to the others. */
export function arrange(frame: Frame, standing: readonly Standing[]): LayoutNode {
  const empty = 'nobody';
  const node = frame((...places) => {
    const [first, ...others] = places.flatMap((place) => standing.filter((each) => each.place === place));
    return group(places[0], first?.id ?? empty, ...others.map(({ id }) => id));
  });
  return withoutPanel(node, empty) ?? node;
}
