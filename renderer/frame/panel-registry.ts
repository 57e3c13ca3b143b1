/** Every panel: a further one is its folder, one entry here, and one line with its title and places in state/layout/defaults.ts. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { IconName } from '../widgets/words/icon.tsx';

interface PanelEntry {
  readonly id: string;
  readonly icon: IconName;
  readonly component: LazyExoticComponent<ComponentType>;
}

export const panels: readonly PanelEntry[] = [
  {
    id: 'scenario',
    icon: 'sliders',
    component: lazy(() => import('../panels/scenario/scenario-panel.tsx')),
  },
  { id: 'questions', icon: 'info', component: lazy(() => import('../panels/questions/questions-panel.tsx')) },
  { id: 'library', icon: 'library', component: lazy(() => import('../panels/library/library-panel.tsx')) },
  { id: 'runs', icon: 'list', component: lazy(() => import('../panels/runs/runs-panel.tsx')) },
  {
    id: 'dose-map',
    icon: 'map',
    component: lazy(() => import('../panels/dose-map/dose-map-panel.tsx')),
  },
  {
    id: 'phase-space',
    icon: 'quad',
    component: lazy(() => import('../panels/phase-space/phase-space-panel.tsx')),
  },
  { id: 'image', icon: 'map', component: lazy(() => import('../panels/image/image-panel.tsx')) },
  { id: 'results', icon: 'ladder', component: lazy(() => import('../panels/results/results-panel.tsx')) },
  { id: 'peaks', icon: 'list', component: lazy(() => import('../panels/peaks/peaks-panel.tsx')) },
  { id: 'refine', icon: 'fit', component: lazy(() => import('../panels/refine/refine-panel.tsx')) },
  {
    id: 'depth-dose',
    icon: 'curve',
    component: lazy(() => import('../panels/depth-dose/depth-dose-panel.tsx')),
  },
  {
    id: 'lateral',
    icon: 'curve',
    component: lazy(() => import('../panels/lateral/lateral-panel.tsx')),
  },
  {
    id: 'ledger-steps',
    icon: 'ledger',
    component: lazy(() => import('../panels/ledger-steps/ledger-steps-panel.tsx')),
  },
  {
    id: 'timeline',
    icon: 'lanes',
    component: lazy(() => import('../panels/timeline/timeline-panel.tsx')),
  },
  { id: 'run', icon: 'gauge', component: lazy(() => import('../panels/run/run-panel.tsx')) },
  { id: 'ledger', icon: 'ledger', component: lazy(() => import('../panels/ledger/ledger-panel.tsx')) },
  { id: 'compare', icon: 'list', component: lazy(() => import('../panels/compare/compare-panel.tsx')) },
  {
    id: 'launch-explorer',
    icon: 'sliders',
    component: lazy(() => import('../panels/launch-explorer/launch-explorer-panel.tsx')),
  },
  {
    id: 'kernel-editor',
    icon: 'edit',
    component: lazy(() => import('../panels/kernel-editor/kernel-editor-panel.tsx')),
  },
  { id: 'handbook', icon: 'library', component: lazy(() => import('../panels/handbook/handbook-panel.tsx')) },
  { id: 'claims', icon: 'check', component: lazy(() => import('../panels/claims/claims-panel.tsx')) },
  { id: 'decision', icon: 'sliders', component: lazy(() => import('../panels/decision/decision-panel.tsx')) },
  { id: 'history', icon: 'curve', component: lazy(() => import('../panels/history/history-panel.tsx')) },
  { id: 'studies', icon: 'list', component: lazy(() => import('../panels/studies/studies-panel.tsx')) },
  { id: 'ladder', icon: 'ladder', component: lazy(() => import('../panels/ladder/ladder-panel.tsx')) },
];

const byId = new Map(panels.map((panel) => [panel.id, panel]));

export function panelEntry(id: string): PanelEntry | null {
  return byId.get(id) ?? null;
}
