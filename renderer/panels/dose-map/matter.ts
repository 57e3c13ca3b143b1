/** The matter in grey under the dose: when it is there, and what black and white stand for. No React. */
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import { SHOWN } from '../../data/run-data.ts';
import type { MapScene } from '../../drawing/map-view.ts';
import type { Limits } from '../../drawing/normalisation.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import type { DoseMapState } from './store.ts';

/** Key of the density in the data cache. */
export const MATTER_MAP = 'dose-map/matter';

/** g/cm³ at black and at white. */
const greyLimits: Readonly<Record<DoseMapState['greys'], Limits>> = {
  whole: { low: 0, high: 2 },
  soft: { low: 0.85, high: 1.15 },
  lung: { low: 0, high: 1.1 },
};

/** Whether the shown run, or the form before there is one, takes its matter from a CT. */
function isOfCt({ stores, data }: Pick<Workbench, 'stores' | 'data'>): boolean {
  const scenario =
    stores.selection.getState().run === null ? stores.scenario.getState().draft : data.reference.get(SHOWN)?.scenario;
  return valueAt(scenario, ['geometry', 'ct']) !== undefined;
}

/** Whether the density is wanted; under itself it is not. */
export function matterIsShown(
  workbench: Pick<Workbench, 'stores' | 'data'>,
  { matter, unit }: Pick<DoseMapState, 'matter' | 'unit'>,
): boolean {
  return unit !== 'density' && (matter === 'always' || (matter === 'ct' && isOfCt(workbench)));
}

/** Null if the density is disabled or has not arrived. */
export function matterUnder(
  workbench: Pick<Workbench, 'stores' | 'data'>,
  state: Pick<DoseMapState, 'matter' | 'unit' | 'greys'>,
): NonNullable<MapScene['under']> | null {
  const field = matterIsShown(workbench, state) ? workbench.data.maps.get(MATTER_MAP)?.field : undefined;
  return field === undefined ? null : { ...greyLimits[state.greys], field };
}
