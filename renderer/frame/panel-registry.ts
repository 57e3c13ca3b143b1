/** Components of the panels in state/layout/defaults.ts. Each is in the folder with the panel's name. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { panelSlots } from '../state/layout/defaults.ts';
import type { IconName } from '../widgets/words/icon.tsx';

interface PanelEntry {
  readonly id: string;
  readonly icon: IconName;
  readonly component: LazyExoticComponent<ComponentType>;
}

const modules = import.meta.glob('../panels/*/*-panel.tsx') as Readonly<
  Record<string, (() => Promise<{ readonly default: ComponentType }>) | undefined>
>;

const entries = new Map(
  panelSlots.map(({ id, icon }): readonly [string, PanelEntry] => {
    const load = modules[`../panels/${id}/${id}-panel.tsx`];
    if (load === undefined) throw new Error(`the panel ${id} has no folder`);
    return [id, { id, icon, component: lazy(load) }];
  }),
);

/** Null if an older layout names a panel that no longer exists. */
export const panelEntry = (id: string): PanelEntry | null => entries.get(id) ?? null;
