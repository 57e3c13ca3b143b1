/** Regions and beam against the box. */
import { type Fault, fault, showValue, type TransportScenario, warning } from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../contract/units.ts';
import { stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { type TransportContext, tableOf } from './context.ts';
import type { Check, RegionIndex } from './one-check.ts';

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

/** Whether no centre of a cell of this size lies in the interval. */
function holdsNoCentre([from, to]: readonly [number, number], low: number, cell: number): boolean {
  return Math.ceil((from - low) / cell - 0.5 - tolerance) + 0.5 > (to - low) / cell + tolerance;
}

function warnOfThinRegions(
  { geometry, grid }: TransportScenario,
  _context: TransportContext,
  original: RegionIndex,
): readonly Fault[] {
  return geometry.regions.flatMap((region, index) => {
    const thinX = holdsNoCentre(region.x_mm, -geometry.width_mm / 2, grid.dx_mm);
    const thinZ = holdsNoCentre(region.z_mm, 0, grid.dz_mm);
    if (!thinX && !thinZ) return [];
    const [axis, cell] = thinZ ? (['z_mm', grid.dz_mm] as const) : (['x_mm', grid.dx_mm] as const);
    const message = `lies between cell centres and has no effect; cells are ${formatNumber(cell)} mm`;
    return [warning(['geometry', 'regions', original(index), axis], region[axis], message)];
  });
}

/** A border this near to one of the cells', as a share of a cell, moves no readout. */
const onBorder = 0.01;

/**
 * A cell is of one material, the one at its centre: borders inside of cells move to the cells' own. Half a cell of
 * bone instead of water is half a cell's range.
 */
function warnOfMovedBorders(
  { geometry, grid }: TransportScenario,
  _context: TransportContext,
  original: RegionIndex,
): readonly Fault[] {
  const axes = [
    { axis: 'x_mm', low: -geometry.width_mm / 2, size: geometry.width_mm, cell: grid.dx_mm },
    { axis: 'z_mm', low: 0, size: geometry.depth_mm, cell: grid.dz_mm },
  ] as const;
  const nearWhole = (count: number): boolean => Math.abs(count - Math.round(count)) <= onBorder;
  return geometry.regions.flatMap((region, index) =>
    axes.flatMap(({ axis, low, size, cell }) => {
      const faces = region[axis].map((edge) => (edge - low) / cell);
      // Cells that do not fill the box are a fault of their own.
      if (faces.every(nearWhole) || !nearWhole(size / cell) || holdsNoCentre(region[axis], low, cell)) return [];
      const [from, to] = faces.map((face) => low + Math.ceil(face - 0.5 - tolerance) * cell);
      const message =
        `mm ends inside cells of ${formatNumber(cell)} mm: computed is the region from ` +
        between(Number((from ?? low).toPrecision(9)), Number((to ?? low).toPrecision(9)));
      const path = ['geometry', 'regions', original(index), axis];
      return [warning(path, region[axis], `${showValue(region[axis])} ${message}`)];
    }),
  );
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
  if (geometry.regions.length > 0 || initial.kind !== 'beam') return [];
  const table = tableOf(context, geometry.background);
  const density = context.materials[geometry.background].density_g_cm3;
  const range_mm = (stoppingAt(context.rangeTable, table, beam.energy_MeV).range * 10) / density;
  const reach_mm = beam.z_mm + range_mm * Math.cos((beam.angle_deg * Math.PI) / 180);
  if (reach_mm <= geometry.depth_mm) return [];
  const message = `the beam reaches ${formatNumber(Number(reach_mm.toPrecision(4)))} mm and leaves a geometry of ${formatNumber(geometry.depth_mm)} mm`;
  return [warning(['geometry', 'depth_mm'], geometry.depth_mm, message)];
}

export const geometryChecks: readonly Check[] = [
  { uses: ['geometry.width_mm'], run: checkRegions('x_mm') },
  { uses: ['geometry.depth_mm'], run: checkRegions('z_mm') },
  { uses: ['geometry.width_mm', 'geometry.depth_mm', 'grid.dx_mm', 'grid.dz_mm'], run: warnOfThinRegions },
  { uses: ['geometry.width_mm', 'geometry.depth_mm', 'grid.dx_mm', 'grid.dz_mm'], run: warnOfMovedBorders },
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
