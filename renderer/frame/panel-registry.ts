/** Every panel: a further one is its folder, one entry here, and a place in the default layouts. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { IconName } from '../widgets/icon.tsx';

export interface PanelEntry {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  readonly component: LazyExoticComponent<ComponentType>;
}

export const panels: readonly PanelEntry[] = [
  {
    id: 'scenario',
    title: 'Scenario',
    icon: 'sliders',
    component: lazy(() => import('../panels/scenario/scenario-panel.tsx')),
  },
  { id: 'runs', title: 'Runs', icon: 'list', component: lazy(() => import('../panels/runs/runs-panel.tsx')) },
  {
    id: 'dose-map',
    title: 'Dose map',
    icon: 'map',
    component: lazy(() => import('../panels/dose-map/dose-map-panel.tsx')),
  },
  {
    id: 'phase-space',
    title: 'Phase space',
    icon: 'quad',
    component: lazy(() => import('../panels/phase-space/phase-space-panel.tsx')),
  },
  {
    id: 'depth-dose',
    title: 'Depth dose',
    icon: 'curve',
    component: lazy(() => import('../panels/depth-dose/depth-dose-panel.tsx')),
  },
  {
    id: 'lateral',
    title: 'Lateral profile',
    icon: 'curve',
    component: lazy(() => import('../panels/lateral/lateral-panel.tsx')),
  },
  {
    id: 'ledger-steps',
    title: 'Ledger by step',
    icon: 'ledger',
    component: lazy(() => import('../panels/ledger-steps/ledger-steps-panel.tsx')),
  },
  { id: 'run', title: 'Run', icon: 'gauge', component: lazy(() => import('../panels/run/run-panel.tsx')) },
  { id: 'ledger', title: 'Ledger', icon: 'ledger', component: lazy(() => import('../panels/ledger/ledger-panel.tsx')) },
];

const byId = new Map(panels.map((panel) => [panel.id, panel]));

export function panelEntry(id: string): PanelEntry | null {
  return byId.get(id) ?? null;
}
