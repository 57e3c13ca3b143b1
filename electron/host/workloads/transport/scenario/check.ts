/**
 * Checks beyond the schema: whether the parts of a scenario fit each other and the tables. Each check names the values
 * that it uses, so that it is skipped if one of them was already rejected. There are checks of regions and beam against
 * the box, and of the requested output against geometry and steps. Each spot is checked against the grid, the box and
 * the tables; a beam without spots is checked by its own values.
 */
import {
  type FieldIssue,
  fieldIssue,
  formatPath,
  isWithin,
  type Path,
  parsePath,
  type Spot,
  type TransportScenario,
  warning,
} from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../domain/values/units.ts';
import { highestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { cellContents, MAX_CONTENTS } from './cell-contents.ts';
import { energyChecks } from './check-energy.ts';
import { gridChecks } from './check-grid.ts';
import { type Check, materialOf, type RegionIndex, type TransportContext, tableOf } from './context.ts';
import { warnOfHu } from './ct/placed-ct.ts';
import { beamSigmas } from './estimate.ts';

/** Largest relative width of merged CT densities, which changes a range by less than half of it. */
const MAX_WIDTH = 0.02;
/** Tolerance as a fraction of the box for decimal numbers that should coincide with a border. */
const tolerance = 1e-9;

function isOutside([from, to]: readonly [number, number], low: number, high: number): boolean {
  const slack = tolerance * (high - low);
  return from < low - slack || to > high + slack;
}

function rangeText(low: number, high: number): string {
  return `${formatNumber(low)} to ${formatNumber(high)} mm`;
}

function checkRegions(axis: 'x_mm' | 'z_mm') {
  return (
    { geometry }: TransportScenario,
    _context: TransportContext,
    original: RegionIndex,
  ): readonly FieldIssue[] => {
    const [low, high] = axis === 'x_mm' ? [-geometry.width_mm / 2, geometry.width_mm / 2] : [0, geometry.depth_mm];
    return geometry.regions.flatMap((region, index) => {
      if (!isOutside(region[axis], low, high)) return [];
      const path = ['geometry', 'regions', original(index), axis];
      return [fieldIssue(path, region[axis], 'mm extends outside the geometry', rangeText(low, high))];
    });
  };
}

/** Warns of rounded mixtures in cells that borders cut; the number of distinct mixtures is limited. */
function warnOfRoundedShares(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { geometry, grid } = scenario;
  const [nz, nx] = [Math.round(geometry.depth_mm / grid.dz_mm), Math.round(geometry.width_mm / grid.dx_mm)];
  if (geometry.regions.length === 0 || !(nz >= 1) || !(nx >= 1)) return [];
  const { roundedTo } = cellContents(scenario, context, nz, nx);
  if (roundedTo === null) return [];
  const message =
    `boundaries cut cells into more than ${MAX_CONTENTS} different mixtures: shares of a cell are rounded to ` +
    `${roundedTo === 1 ? 'whole cells' : `1/${roundedTo}`}; boundaries between cells need no rounding`;
  return [{ severity: 'warning', path: ['geometry', 'regions'], atKey: true, message, value: null, allowed: null }];
}

/** Warnings about a CT: densities merged into their mean, and Hounsfield units outside its table. */
function warnOfCt(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { geometry, grid } = scenario;
  const [nz, nx] = [Math.round(geometry.depth_mm / grid.dz_mm), Math.round(geometry.width_mm / grid.dx_mm)];
  if (context.ct === null || !(nz >= 1) || !(nx >= 1)) return [];
  const { densitiesWithin } = cellContents(scenario, context, nz, nx);
  const wide = densitiesWithin !== null && densitiesWithin > MAX_WIDTH;
  const message = `densities that differ by up to ${formatNumber(100 * (densitiesWithin ?? 0))} % are merged and replaced by their mean`;
  return [...warnOfHu(context.ct), ...(wide ? [warning(['geometry', 'ct'], 'CT', message)] : [])];
}

function checkBeamX({ beam, geometry }: TransportScenario): readonly FieldIssue[] {
  const half = geometry.width_mm / 2;
  if (Math.abs(beam.x_mm) < half) return [];
  return [
    fieldIssue(
      ['beam', 'x_mm'],
      beam.x_mm,
      'mm is not inside the geometry',
      `between ${formatNumber(-half)} and ${formatNumber(half)} mm`,
    ),
  ];
}

function checkBeamZ({ beam, geometry }: TransportScenario): readonly FieldIssue[] {
  if (beam.z_mm < geometry.depth_mm) return [];
  return [
    fieldIssue(
      ['beam', 'z_mm'],
      beam.z_mm,
      'mm is not inside the geometry',
      `0 to less than ${formatNumber(geometry.depth_mm)} mm`,
    ),
  ];
}

/** Warns if the beam leaves the box; only for a single material without regions, where the path is simple. */
function warnOfLeaving(
  { beam, geometry, initial }: TransportScenario,
  context: TransportContext,
): readonly FieldIssue[] {
  if (geometry.regions.length > 0 || context.ct !== null || initial.kind !== 'beam') return [];
  const table = tableOf(context, geometry.background);
  // Skip, because the range beyond the table is unknown and the energy is reported as an error.
  if (beam.energy_MeV > highestEnergy(table)) return [];
  const density = materialOf(context, geometry.background).density_g_cm3;
  const range_mm = (stoppingAt(context.rangeTable, table, beam.energy_MeV).range * 10) / density;
  const reach_mm = beam.z_mm + range_mm * Math.cos((beam.angle_deg * Math.PI) / 180);
  if (reach_mm <= geometry.depth_mm) return [];
  const message = `the beam reaches ${formatNumber(Number(reach_mm.toPrecision(4)))} mm, but the box ends at ${formatNumber(geometry.depth_mm)} mm; without depth_mm the box follows the range`;
  return [warning(['geometry', 'depth_mm'], geometry.depth_mm, message)];
}

const geometryChecks: readonly Check[] = [
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

/** Steps that are longer by a smaller factor end in the same cell. */
const ROUNDING = 1.001;

const outputChecks: readonly Check[] = [
  {
    uses: ['output.spectra_mm', 'output.let'],
    run: ({ output }) =>
      output.spectra_mm.length > 0 && !output.let
        ? [warning(['output', 'spectra_mm'], output.spectra_mm, 'are saved only if output.let is true')]
        : [],
  },
  {
    uses: ['output.spectra_mm', 'geometry.depth_mm'],
    run: ({ output, geometry }): readonly FieldIssue[] =>
      output.spectra_mm.flatMap((depth, i) => {
        if (depth < geometry.depth_mm) return [];
        const allowed = `0 to below ${formatNumber(geometry.depth_mm)} mm`;
        return [fieldIssue(['output', 'spectra_mm', i], depth, 'is beyond the geometry', allowed)];
      }),
  },
  {
    uses: ['output.spectra_mm', 'solver.step_mm', 'grid.dz_mm'],
    run: ({ output, solver, grid }) => {
      if (!output.let || output.spectra_mm.length === 0 || solver.stepping === 'depth') return [];
      if (solver.step_mm <= ROUNDING * grid.dz_mm) return [];
      const allowed = `at most grid.dz_mm = ${formatNumber(grid.dz_mm)} mm with output.spectra_mm, or solver.stepping: depth`;
      return [fieldIssue(['solver', 'step_mm'], solver.step_mm, 'is longer than a cell in depth', allowed)];
    },
  },
];

/** Limit on spots with reported errors; errors of further spots usually repeat them. */
const MAX_FAULTY_SPOTS = 5;

interface SpotError {
  readonly key: Exclude<keyof Spot, 'y_mm'>;
  readonly says: string;
  readonly allowed: string;
}

type SpotCheck = (spot: Spot, scenario: TransportScenario, context: TransportContext) => SpotError | null;

const judges: readonly SpotCheck[] = [
  ({ energy_MeV }, { grid }) =>
    energy_MeV > grid.cutoff_MeV
      ? null
      : {
          key: 'energy_MeV',
          says: 'MeV is not above the cutoff',
          allowed: `more than ${formatNumber(grid.cutoff_MeV)} MeV (grid.cutoff_MeV)`,
        },
  ({ energy_MeV, energy_sigma_MeV }, _scenario, { water }) =>
    energy_MeV + beamSigmas * energy_sigma_MeV <= highestEnergy(water)
      ? null
      : {
          key: 'energy_MeV',
          says: `MeV, with ${beamSigmas} of its spreads, is above the stopping power table of water`,
          allowed: `at most ${formatNumber(highestEnergy(water))} MeV`,
        },
  ({ x_mm }, { geometry }) =>
    Math.abs(x_mm) < geometry.width_mm / 2
      ? null
      : {
          key: 'x_mm',
          says: 'mm is not inside the geometry',
          allowed: `between ${formatNumber(-geometry.width_mm / 2)} and ${formatNumber(geometry.width_mm / 2)} mm`,
        },
  ({ angle_deg }, { beam, grid }) => {
    const most_deg = (grid.theta_max_mrad * 180) / (1000 * Math.PI);
    if (Math.abs(angle_deg - beam.angle_deg) < most_deg) return null;
    const [low, high] = [beam.angle_deg - most_deg, beam.angle_deg + most_deg].map((end) => Number(end.toPrecision(4)));
    return {
      key: 'angle_deg',
      says: '° is outside the angle grid',
      allowed: `between ${formatNumber(low ?? 0)} and ${formatNumber(high ?? 0)}°, or a larger grid.theta_max_mrad`,
    };
  },
];

/** For a file of spots, errors name the index of the spot, because the file has no paths. */
function spotIssue(
  { beam }: TransportScenario,
  index: number,
  { key, says, allowed }: SpotError,
  value: number,
): FieldIssue {
  if (beam.spots_file === undefined) {
    const path: Path = ['beam', 'spots', index, key];
    return fieldIssue(path, value, says, allowed);
  }
  return fieldIssue(['beam', 'spots', 'file'], beam.spots_file, `, spot ${index + 1}: ${value} ${says}`, allowed);
}

function checkSpots(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const found: FieldIssue[] = [];
  for (const [index, spot] of (scenario.beam.spots ?? []).entries()) {
    for (const judge of judges) {
      const wrong = judge(spot, scenario, context);
      if (wrong !== null) found.push(spotIssue(scenario, index, wrong, spot[wrong.key]));
      if (found.length === MAX_FAULTY_SPOTS) return found;
    }
  }
  return found;
}

const spotChecks: readonly Check[] = [
  {
    uses: ['beam.spots', 'geometry.width_mm', 'grid.cutoff_MeV', 'grid.theta_max_mrad', 'physics.stopping_power'],
    run: checkSpots,
  },
];

/** Fields that depend on the beam's energy by default. */
const fromEnergy = [
  'geometry.width_mm',
  'geometry.depth_mm',
  'grid.dx_mm',
  'grid.dz_mm',
  'grid.cutoff_MeV',
  'grid.energy.step_mm',
  'solver.step_mm',
] as const;

/**
 * Whether the beam's energy is unknown because its source was rejected, so that nothing that depends on it can be
 * checked.
 */
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
 * Errors and warnings of a complete scenario. `leftOut` are the values that validation rejected; `isSet` returns
 * whether the file sets a value.
 */
export function checkTransport(
  scenario: TransportScenario,
  context: TransportContext,
  leftOut: readonly Path[],
  isSet: (path: Path) => boolean,
): readonly FieldIssue[] {
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
