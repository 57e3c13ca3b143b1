/** Panels and their positions in the built-in layouts. */

import { type ScenarioKindName, scenarioKindNames } from '../../../electron/contract/scenario/index.ts';
import type { HandbookLink } from '../../base/handbook-pages.ts';
import { type Arrangement, arrange, type DockArea, type Frame, type LayoutName, px, share, split } from './tree.ts';

interface PanelSlot {
  readonly id: string;
  readonly title: string;
  readonly icon: string;
  /** Page of the handbook that F1 opens in this panel. */
  readonly help: HandbookLink;
  /** Digit of the panel's shortcut; a panel without one is opened by menu and palette. */
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
  /** Panels that apply to this workload but not to all workloads. */
  readonly panels: readonly string[];
  /** Panel that is enlarged to show the main plots. */
  readonly mainPanel: string;
}

export type PanelsByKind = Readonly<Record<ScenarioKindName, KindPanels>>;

const linkTo = (page: string, anchor: string | null = null): HandbookLink => ({ page, anchor });

/** To add a panel, create renderer/panels/<id>/<id>-panel.tsx and add an entry. */
const table = [
  {
    id: 'scenario',
    title: 'Scenario',
    icon: 'sliders',
    help: linkTo('scenarios'),
    simulate: 'left',
    compare: 'left',
    profile: 'left',
  },
  {
    id: 'runs',
    title: 'Runs',
    icon: 'list',
    help: linkTo('start', 'the-workbench'),
    simulate: 'left',
    compare: 'left',
    profile: 'left',
  },
  {
    id: 'library',
    title: 'Library',
    icon: 'library',
    help: linkTo('start', 'your-files'),
    simulate: 'left',
    compare: 'left',
  },
  // Shown in front of the other tabs at the start, unless the user has closed the panel before.
  {
    id: 'questions',
    title: 'Questions',
    icon: 'info',
    help: linkTo('start', 'questions-to-begin-with'),
    simulate: 'left',
  },
  { id: 'compare', title: 'Compare', icon: 'list', help: linkTo('comparing'), compare: 'upper' },
  { id: 'kernel-editor', title: 'Kernel editor', icon: 'edit', help: linkTo('user-kernels'), compare: 'upper' },
  {
    id: 'dose-map',
    title: 'Dose map',
    icon: 'map',
    help: linkTo('reading-results', 'the-depth-dose'),
    key: 1,
    simulate: 'upper',
    compare: 'upper',
    profile: 'lower',
  },
  {
    id: 'phase-space',
    title: 'Phase space',
    icon: 'quad',
    help: linkTo('reading-results', 'phase-space'),
    key: 2,
    simulate: 'upper',
    compare: 'upper',
    profile: 'lower',
  },
  {
    id: 'volume',
    title: 'Dose in 3D',
    icon: 'map',
    help: linkTo('fields', 'dose-in-three-dimensions'),
    simulate: 'upper',
  },
  {
    id: 'image',
    title: 'Image',
    icon: 'map',
    help: linkTo('reading-results', 'an-image'),
    key: 1,
    simulate: 'upper',
    compare: 'upper',
    profile: 'lower',
  },
  {
    id: 'refine',
    title: 'Refinement',
    icon: 'fit',
    help: linkTo('reading-results', 'a-crystal-and-an-image-of-your-own'),
    simulate: 'upper',
  },
  {
    id: 'results',
    title: 'Results',
    icon: 'ladder',
    help: linkTo('reading-results', 'a-measurement'),
    key: 1,
    simulate: 'upper',
    compare: 'upper',
    profile: 'lower',
  },
  { id: 'ladder', title: 'Speedup ladder', icon: 'ladder', help: linkTo('claims'), compare: 'lower', profile: 'lower' },
  { id: 'claims', title: 'Claims', icon: 'check', help: linkTo('claims'), compare: 'lower' },
  {
    id: 'decision',
    title: 'Programming style',
    icon: 'sliders',
    help: linkTo('comparing', 'which-programming-style-to-use'),
    compare: 'lower',
  },
  { id: 'history', title: 'History', icon: 'curve', help: linkTo('comparing', 'days-and-commits'), compare: 'lower' },
  { id: 'studies', title: 'Studies', icon: 'list', help: linkTo('studies'), compare: 'upper' },
  {
    id: 'launch-explorer',
    title: 'Launch explorer',
    icon: 'sliders',
    help: linkTo('timelines', 'the-launch-explorer'),
    profile: 'lower',
  },
  {
    id: 'depth-dose',
    title: 'Depth dose',
    icon: 'curve',
    help: linkTo('reading-results', 'the-depth-dose'),
    key: 3,
    simulate: 'lower',
    compare: 'lower',
  },
  {
    id: 'lateral',
    title: 'Lateral profile',
    icon: 'curve',
    help: linkTo('reading-results', 'width-and-angle'),
    key: 4,
    simulate: 'lower',
    compare: 'lower',
  },
  {
    id: 'peaks',
    title: 'Peaks',
    icon: 'list',
    help: linkTo('reading-results', 'an-image'),
    key: 2,
    simulate: 'rightLower',
    compare: 'lower',
  },
  { id: 'timeline', title: 'Timeline', icon: 'lanes', help: linkTo('timelines'), key: 5, profile: 'upper' },
  {
    id: 'ledger-steps',
    title: 'Ledger by step',
    icon: 'ledger',
    help: linkTo('reading-results', 'the-ledger'),
    key: 6,
    simulate: 'lower',
    compare: 'lower',
    profile: 'upper',
  },
  {
    id: 'run',
    title: 'Run',
    icon: 'gauge',
    help: linkTo('reading-results', 'the-depth-dose'),
    simulate: 'right',
    compare: 'left',
    profile: 'right',
  },
  // No default layout contains the panel; F1 opens it at the page of the focused panel.
  { id: 'handbook', title: 'Handbook', icon: 'library', help: linkTo('start') },
  {
    id: 'ledger',
    title: 'Ledger',
    icon: 'ledger',
    help: linkTo('reading-results', 'the-ledger'),
    simulate: 'rightLower',
    compare: 'left',
    profile: 'right',
  },
] as const satisfies readonly PanelSlot[];

export const panelSlots: readonly (PanelSlot & Pick<(typeof table)[number], 'icon'>)[] = table;

/** Arrangement of a layout's dock areas in a wide window. */
const frames: Readonly<Record<LayoutName, Frame>> = {
  // Input, stacked plots, results.
  simulate: (at) =>
    split(
      'root',
      'row',
      [px(316), at('left')],
      [share(1), split('plots', 'column', [share(1.15), at('upper')], [share(1), at('lower')])],
      [px(324), split('results', 'column', [share(1.15), at('right')], [share(1), at('rightLower')])],
    ),
  // Tables need width, so there is no column for results.
  compare: (at) =>
    split(
      'root',
      'row',
      [px(316), at('left')],
      [share(1), split('plots', 'column', [share(1.2), at('upper')], [share(1), at('lower')])],
    ),
  // Lanes need the full width.
  profile: (at) =>
    split(
      'root',
      'column',
      [share(1.2), at('upper')],
      [share(1), split('beside', 'row', [px(316), at('left')], [share(1), at('lower')], [px(324), at('right')])],
    ),
};

/** In a narrow window, all panels except the plots share one column. */
const narrowFrame: Frame = (at) =>
  split(
    'root',
    'row',
    [px(316), at('left', 'right', 'rightLower')],
    [share(1), split('plots', 'column', [share(1.15), at('upper')], [share(1), at('lower')])],
  );

/** In a small window, the plots also share one group. */
const smallFrame: Frame = (at) =>
  split('root', 'row', [px(296), at('left', 'right', 'rightLower')], [share(1), at('upper', 'lower')]);

/** Whether a panel belongs to a kind of scenario. A panel that no workload names belongs to every kind. */
export function isOfKind({ id }: PanelSlot, kind: ScenarioKindName, by: PanelsByKind): boolean {
  return by[kind].panels.includes(id) || !Object.values(by).some(({ panels }) => panels.includes(id));
}

/** Arrangement of a layout with the panels of a kind, each in its dock area. */
function arrangement(layout: LayoutName, kind: ScenarioKindName, by: PanelsByKind): Arrangement {
  const standing = panelSlots
    .filter((panel) => isOfKind(panel, kind, by))
    .flatMap(({ id, [layout]: place }) => (place === undefined ? [] : [{ id, place }]));
  return {
    wide: arrange(frames[layout], standing),
    narrow: arrange(narrowFrame, standing),
    small: arrange(smallFrame, standing),
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
