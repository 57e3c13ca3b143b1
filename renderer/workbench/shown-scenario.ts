/** The scenario that the plots belong to. */
import type { Resolved } from '../../electron/contract/scenarios.ts';
import { SHOWN } from '../data/run-data.ts';
import type { Workbench } from './workbench.ts';

/** Of the run that is shown or, while none is, of the scenario in the form. */
export function shownScenario({ data, stores }: Pick<Workbench, 'data' | 'stores'>): Resolved | null {
  if (stores.selection.getState().run !== null) return data.reference.get(SHOWN)?.resolved ?? null;
  return stores.scenario.getState().lastResolved;
}
