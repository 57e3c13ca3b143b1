/**
 * Checks beyond the schema: whether the parts of a scenario fit each other and the tables. Every check names the values
 * that it uses, so that it is skipped if one of them was already rejected.
 */
import {
  type Fault,
  formatPath,
  isWithin,
  type Path,
  parsePath,
  type TransportScenario,
} from '../../../../contract/scenario/index.ts';
import { energyChecks } from './check-energy.ts';
import { geometryChecks } from './check-geometry.ts';
import { gridChecks } from './check-grid.ts';
import { outputChecks } from './check-output.ts';
import { spotChecks } from './check-spots.ts';
import type { TransportContext } from './context.ts';
import type { RegionIndex } from './one-check.ts';

/** Values that follow from the beam's energy when they are not set. */
const fromEnergy = [
  'geometry.width_mm',
  'geometry.depth_mm',
  'grid.dx_mm',
  'grid.dz_mm',
  'grid.cutoff_MeV',
  'grid.energy.step_mm',
  'solver.step_mm',
] as const;

/** Whether the source of the beam's energy was rejected: then nothing that depends on the energy can be checked. */
export function energyIsUnknown(leftOut: readonly Path[]): boolean {
  return leftOut.some((path) =>
    (['energy_MeV', 'range_mm', 'spots'] as const).some(
      (key) => isWithin(['beam', key], path) || isWithin(path, ['beam', key]),
    ),
  );
}

function regionIndex(leftOut: readonly Path[]): RegionIndex {
  const gone = new Set(
    leftOut.filter((path) => formatPath(path).startsWith('geometry.regions[')).map((path) => path[2] as number),
  );
  return (index) => {
    let original = 0;
    for (let left = index; left > 0 || gone.has(original); original += 1) left -= gone.has(original) ? 0 : 1;
    return original;
  };
}

/**
 * Errors and warnings of a complete scenario. `leftOut` are the values that validation refused; `isSet` returns whether
 * the file sets a value.
 */
export function checkTransport(
  scenario: TransportScenario,
  context: TransportContext,
  leftOut: readonly Path[],
  isSet: (path: Path) => boolean,
): readonly Fault[] {
  const energyIsOff = energyIsUnknown(leftOut);
  const unusable = (use: string): boolean => {
    const path = parsePath(use) ?? [];
    if (energyIsOff && use === 'beam.energy_MeV') return true;
    if (leftOut.some((gone) => isWithin(path, gone) || isWithin(gone, path))) return true;
    return energyIsOff && (fromEnergy as readonly string[]).includes(use) && !isSet(path);
  };
  const region = regionIndex(leftOut);
  return [...energyChecks, ...spotChecks, ...geometryChecks, ...gridChecks, ...outputChecks]
    .filter(({ uses }) => !uses.some(unusable))
    .flatMap(({ run }) => run(scenario, context, region));
}
