/** The panels, and their positions in the built-in layouts. */

import { type ScenarioKindName, scenarioKindNames } from '../../../electron/contract/scenario/index.ts';
import { type Arrangement, arrange, type DockArea, type Frame, type LayoutName } from './frames.ts';
import { px, share, split } from './tree.ts';

interface PanelSlot {
  readonly id: string;
  readonly title: string;
  /** Digit of the shortcut that shows it; a panel without one is shown by menu and palette. */
  readonly key?: number;
  /**
   * Dock area in each layout; if missing, the panel is absent until it is opened. Tabs follow the order of this table.
   */
  readonly simulate?: DockArea;
  readonly compare?: DockArea;
  readonly profile?: DockArea;
}

/** Panels of a workload. */
export interface KindPanels {
  /** Panels that have something to show of it and not of every workload. */
  readonly panels: readonly string[];
  /** The panel that its plots are enlarged to. */
  readonly mainPanel: string;
}

export type PanelsByKind = Readonly<Record<ScenarioKindName, KindPanels>>;

/** A further panel is one line here. */
export const panelSlots: readonly PanelSlot[] = [
  { id: 'scenario', title: 'Scenario', simulate: 'left', compare: 'left', profile: 'left' },
  { id: 'runs', title: 'Runs', simulate: 'left', compare: 'left', profile: 'left' },
  { id: 'library', title: 'Library', simulate: 'left', compare: 'left' },
  // Comes to the front at the start, unless the user put it away.
  { id: 'questions', title: 'Questions', simulate: 'left' },
  { id: 'compare', title: 'Compare', compare: 'upper' },
  { id: 'kernel-editor', title: 'Kernel editor', compare: 'upper' },
  { id: 'dose-map', title: 'Dose map', key: 1, simulate: 'upper', compare: 'upper', profile: 'lower' },
  {
    id: 'phase-space',
    title: 'Phase space',
    key: 2,
    simulate: 'upper',
    compare: 'upper',
    profile: 'lower',
  },
  { id: 'image', title: 'Image', key: 1, simulate: 'upper', compare: 'upper', profile: 'lower' },
  { id: 'refine', title: 'Refinement', simulate: 'upper' },
  { id: 'results', title: 'Results', key: 1, simulate: 'upper', compare: 'upper', profile: 'lower' },
  { id: 'ladder', title: 'Speedup ladder', compare: 'lower', profile: 'lower' },
  { id: 'claims', title: 'Claims', compare: 'lower' },
  { id: 'decision', title: 'Which way', compare: 'lower' },
  { id: 'history', title: 'History', compare: 'lower' },
  { id: 'studies', title: 'Studies', compare: 'upper' },
  { id: 'launch-explorer', title: 'Launch explorer', profile: 'lower' },
  { id: 'depth-dose', title: 'Depth dose', key: 3, simulate: 'lower', compare: 'lower' },
  { id: 'lateral', title: 'Lateral profile', key: 4, simulate: 'lower', compare: 'lower' },
  { id: 'peaks', title: 'Peaks', key: 2, simulate: 'rightLower', compare: 'lower' },
  { id: 'timeline', title: 'Timeline', key: 6, profile: 'upper' },
  {
    id: 'ledger-steps',
    title: 'Ledger by step',
    key: 5,
    simulate: 'lower',
    compare: 'lower',
    profile: 'upper',
  },
  { id: 'run', title: 'Run', simulate: 'right', compare: 'left', profile: 'right' },
  // In no layout until it is opened; F1 opens it at the page of the panel in focus.
  { id: 'handbook', title: 'Handbook' },
  { id: 'ledger', title: 'Ledger', simulate: 'rightLower', compare: 'left', profile: 'right' },
];

/** Division of a wide window among the areas of a layout. */
const frames: Readonly<Record<LayoutName, Frame>> = {
  // Input, plots above each other, results.
  simulate: (at) =>
    split(
      'root',
      'row',
      [px(316), at('left')],
      [share(1), split('plots', 'column', [share(1.15), at('upper')], [share(1), at('lower')])],
      [px(324), split('results', 'column', [share(1.15), at('right')], [share(1), at('rightLower')])],
    ),
  // Tables want width: no column for results.
  compare: (at) =>
    split(
      'root',
      'row',
      [px(316), at('left')],
      [share(1), split('plots', 'column', [share(1.2), at('upper')], [share(1), at('lower')])],
    ),
  // Lanes want all of it.
  profile: (at) =>
    split(
      'root',
      'column',
      [share(1.2), at('upper')],
      [share(1), split('beside', 'row', [px(316), at('left')], [share(1), at('lower')], [px(324), at('right')])],
    ),
};

/** All panels except the plots share one column. */
const narrow: Frame = (at) =>
  split(
    'root',
    'row',
    [px(316), at('left', 'right', 'rightLower')],
    [share(1), split('plots', 'column', [share(1.15), at('upper')], [share(1), at('lower')])],
  );

/** Plots share a place too. */
const small: Frame = (at) =>
  split('root', 'row', [px(296), at('left', 'right', 'rightLower')], [share(1), at('upper', 'lower')]);

/** A panel that no workload names is of every one. */
export function isOfKind({ id }: PanelSlot, kind: ScenarioKindName, by: PanelsByKind): boolean {
  return by[kind].panels.includes(id) || !Object.values(by).some(({ panels }) => panels.includes(id));
}

/** The arrangement of a layout that holds the panels of a kind, each in its place. */
function arrangement(layout: LayoutName, kind: ScenarioKindName, by: PanelsByKind): Arrangement {
  const standing = panelSlots
    .filter((panel) => isOfKind(panel, kind, by))
    .flatMap(({ id, [layout]: place }) => (place === undefined ? [] : [{ id, place }]));
  return {
    wide: arrange(frames[layout], standing),
    narrow: arrange(narrow, standing),
    small: arrange(small, standing),
  };
}

export type KindLayouts = Readonly<Record<LayoutName, Arrangement>>;

export type Layouts = Readonly<Record<ScenarioKindName, KindLayouts>>;

export function defaultLayouts(by: PanelsByKind): Layouts {
  const layoutsOf = (kind: ScenarioKindName): KindLayouts => ({
    simulate: arrangement('simulate', kind, by),
    compare: arrangement('compare', kind, by),
    profile: arrangement('profile', kind, by),
  });
  return Object.fromEntries(scenarioKindNames.map((kind) => [kind, layoutsOf(kind)])) as Layouts;
}

const titles = new Map(panelSlots.map(({ id, title }) => [id, title]));

export function panelTitle(id: string): string {
  return titles.get(id) ?? id;
}
