/** Regions and beam against the box. */
import { type Fault, fault, type TransportScenario, warning } from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../contract/units.ts';
import { highestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { cellContents, MOST_CONTENTS } from './cell-contents.ts';
import { materialOf, type TransportContext, tableOf } from './context.ts';
import { warnOfHu } from './ct/check-ct.ts';
import type { Check, RegionIndex } from './one-check.ts';

/** Densities of a CT that are taken together move a range by less than half of it. */
const MOST_WIDTH = 0.02;
/** Decimal numbers that should meet a border meet it to this fraction of the box. */
const tolerance = 1e-9;

function outside([from, to]: readonly [number, number], low: number, high: number): boolean {
  const slack = tolerance * (high - low);
  return from < low - slack || to > high + slack;
}

function between(low: number, high: number): string {
  return `${formatNumber(low)} to ${formatNumber(high)} mm`;
}

function checkRegions(axis: 'x_mm' | 'z_mm') {
  return ({ geometry }: TransportScenario, _context: TransportContext, original: RegionIndex): readonly Fault[] => {
    const [low, high] = axis === 'x_mm' ? [-geometry.width_mm / 2, geometry.width_mm / 2] : [0, geometry.depth_mm];
    return geometry.regions.flatMap((region, index) => {
      if (!outside(region[axis], low, high)) return [];
      const path = ['geometry', 'regions', original(index), axis];
      return [fault(path, region[axis], 'mm reaches outside the geometry', between(low, high))];
    });
  };
}

/** Borders through cells mix the media that they divide; the number of distinct mixtures is limited. */
function warnOfRoundedShares(scenario: TransportScenario, context: TransportContext): readonly Fault[] {
  const { geometry, grid } = scenario;
  const [nz, nx] = [Math.round(geometry.depth_mm / grid.dz_mm), Math.round(geometry.width_mm / grid.dx_mm)];
  if (geometry.regions.length === 0 || !(nz >= 1) || !(nx >= 1)) return [];
  const { roundedTo } = cellContents(scenario, context, nz, nx);
  if (roundedTo === null) return [];
  const message =
    `cut cells into more than ${MOST_CONTENTS} different mixtures: shares of a cell are rounded to ` +
    `${roundedTo === 1 ? 'whole cells' : `1/${roundedTo}`}; borders on those of the cells need none`;
  return [{ severity: 'warning', path: ['geometry', 'regions'], atKey: true, message, value: null, allowed: null }];
}

/** Warnings of a CT: densities that are merged into their mean, and Hounsfield units outside its table. */
function warnOfCt(scenario: TransportScenario, context: TransportContext): readonly Fault[] {
  const { geometry, grid } = scenario;
  const [nz, nx] = [Math.round(geometry.depth_mm / grid.dz_mm), Math.round(geometry.width_mm / grid.dx_mm)];
  if (context.ct === null || !(nz >= 1) || !(nx >= 1)) return [];
  const { densitiesWithin } = cellContents(scenario, context, nz, nx);
  const wide = densitiesWithin !== null && densitiesWithin > MOST_WIDTH;
  const message = `densities that differ by up to ${formatNumber(100 * (densitiesWithin ?? 0))} % are taken together as their mean`;
  return [...warnOfHu(context.ct), ...(wide ? [warning(['geometry', 'ct'], 'CT', message)] : [])];
}

function checkBeamX({ beam, geometry }: TransportScenario): readonly Fault[] {
  const half = geometry.width_mm / 2;
  if (Math.abs(beam.x_mm) < half) return [];
  return [
    fault(
      ['beam', 'x_mm'],
      beam.x_mm,
      'mm is not inside the geometry',
      `between ${formatNumber(-half)} and ${formatNumber(half)} mm`,
    ),
  ];
}

function checkBeamZ({ beam, geometry }: TransportScenario): readonly Fault[] {
  if (beam.z_mm < geometry.depth_mm) return [];
  return [
    fault(
      ['beam', 'z_mm'],
      beam.z_mm,
      'mm is not inside the geometry',
      `0 to less than ${formatNumber(geometry.depth_mm)} mm`,
    ),
  ];
}

/** Only where the way is plain: one material, no regions. */
function warnOfLeaving({ beam, geometry, initial }: TransportScenario, context: TransportContext): readonly Fault[] {
  if (geometry.regions.length > 0 || context.ct !== null || initial.kind !== 'beam') return [];
  const table = tableOf(context, geometry.background);
  // Beyond its table a range is unknown, and the energy is reported as an error.
  if (beam.energy_MeV > highestEnergy(table)) return [];
  const density = materialOf(context, geometry.background).density_g_cm3;
  const range_mm = (stoppingAt(context.rangeTable, table, beam.energy_MeV).range * 10) / density;
  const reach_mm = beam.z_mm + range_mm * Math.cos((beam.angle_deg * Math.PI) / 180);
  if (reach_mm <= geometry.depth_mm) return [];
  const message = `the beam reaches ${formatNumber(Number(reach_mm.toPrecision(4)))} mm, but the box ends at ${formatNumber(geometry.depth_mm)} mm; without depth_mm the box follows the range`;
  return [warning(['geometry', 'depth_mm'], geometry.depth_mm, message)];
}

export const geometryChecks: readonly Check[] = [
  { uses: ['geometry.width_mm'], run: checkRegions('x_mm') },
  { uses: ['geometry.depth_mm'], run: checkRegions('z_mm') },
  { uses: ['geometry', 'grid.dx_mm', 'grid.dz_mm'], run: warnOfRoundedShares },
  { uses: ['geometry', 'grid.dx_mm', 'grid.dz_mm', 'solver'], run: warnOfCt },
  { uses: ['geometry.width_mm', 'beam.x_mm'], run: checkBeamX },
  { uses: ['geometry.depth_mm', 'beam.z_mm'], run: checkBeamZ },
  {
    uses: [
      'geometry',
      'grid.dz_mm',
      'beam.energy_MeV',
      'beam.angle_deg',
      'beam.z_mm',
      'initial',
      'physics.stopping_power',
    ],
    run: warnOfLeaving,
  },
];
