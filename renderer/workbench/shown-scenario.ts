/** The scenario that the plots belong to. */
import { type Resolved, resolvedOf } from '../../electron/contract/scenarios.ts';
import { SHOWN } from '../data/run-data.ts';
import type { Workbench } from './workbench.ts';

/** Resolved scenario of the run that is shown or, while none is, of the form; null for another kind. */
export function shownScenario<K extends Resolved['kind']>(
  kind: K,
  { data, stores }: Pick<Workbench, 'data' | 'stores'>,
): Extract<Resolved, { kind: K }> | null {
  const shown =
    stores.selection.getState().run === null
      ? stores.scenario.getState().lastResolved
      : (data.reference.get(SHOWN)?.resolved ?? null);
  return resolvedOf(kind, shown);
}
