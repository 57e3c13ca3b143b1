/**
 * Checks what the schema cannot: whether the parts of a scenario fit each other and the tables. Each check names the
 * values that it uses, and is skipped if one of them was already rejected.
 *
 * Energies are checked against tables, cutoff and energy grid; regions and beam against the box; requested output
 * against geometry and steps. Each spot is checked against grid, box and tables, as is a beam without spots.
 */
import {
  type FieldIssue,
  fieldIssue,
  fieldWarning,
  formatPath,
  isWithin,
  type Path,
  parsePath,
  type Spot,
  type TransportScenario,
} from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../domain/values/units.ts';
import { highestEnergy, lowestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { cellContents, MAX_CONTENTS } from './cell-contents.ts';
import { gridChecks } from './check-grid.ts';
import {
  type Check,
  materialOf,
  type RegionIndex,
  rangeStraggling_mm,
  type TransportContext,
  tableOf,
} from './context.ts';
import { warnOfHu } from './placed-ct.ts';
import { beamSigmas } from './problem.ts';

interface Limit {
  readonly energy_MeV: number;
  readonly material: string;
  readonly title: string;
}

/** Returns the used materials, water first. Water is always used, because it defines the range grid. */
function usedMaterials(scenario: TransportScenario): readonly string[] {
  return [
    ...new Set(['water', scenario.geometry.background, ...scenario.geometry.regions.map(({ material }) => material)]),
  ];
}

/**
 * Energies that all tables contain: the highest of their lowest energies, and the lowest of their highest energies.
 */
function energyLimits(scenario: TransportScenario, context: TransportContext): { lowest: Limit; highest: Limit } {
  const all = usedMaterials(scenario).map((material) => ({ material, table: tableOf(context, material) }));
  const limit = (pick: typeof lowestEnergy) =>
    all.map(({ material, table }): Limit => ({ energy_MeV: pick(table), material, title: table.title }));
  return {
    lowest: limit(lowestEnergy).reduce((a, b) => (b.energy_MeV > a.energy_MeV ? b : a)),
    highest: limit(highestEnergy).reduce((a, b) => (b.energy_MeV < a.energy_MeV ? b : a)),
  };
}

/** Issue about the beam's energy. If the file gives a range, the issue refers to the range. */
function energyIssue({ beam }: TransportScenario, says: string, allowed: string): FieldIssue {
  const { energy_MeV, range_mm } = beam;
  if (range_mm === undefined) return fieldIssue(['beam', 'energy_MeV'], energy_MeV, `MeV ${says}`, allowed);
  const energy = formatNumber(Number(energy_MeV.toPrecision(4)));
  return fieldIssue(['beam', 'range_mm'], range_mm, `mm is a beam of ${energy} MeV, which ${says}`, allowed);
}

function checkAboveCutoff(scenario: TransportScenario): readonly FieldIssue[] {
  const { beam, grid } = scenario;
  if (beam.spots !== undefined || beam.energy_MeV > grid.cutoff_MeV) return [];
  const allowed = `more than ${formatNumber(grid.cutoff_MeV)} MeV (grid.cutoff_MeV)`;
  return [energyIssue(scenario, 'is not above the cutoff', allowed)];
}

function checkWithinTables(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { energy_MeV, energy_sigma_MeV, spots } = scenario.beam;
  if (spots !== undefined) return [];
  const { highest } = energyLimits(scenario, context);
  const table = `above the stopping power table of ${highest.material}, ${highest.title}`;
  if (energy_MeV > highest.energy_MeV) {
    const allowed = `at most ${formatNumber(highest.energy_MeV)} MeV`;
    return [energyIssue(scenario, `is ${table}`, allowed)];
  }
  const top = energy_MeV + beamSigmas * energy_sigma_MeV;
  if (top <= highest.energy_MeV) return [];
  const most = Math.floor(((highest.energy_MeV - energy_MeV) / beamSigmas) * 1000) / 1000;
  const says = `MeV is too wide: ${beamSigmas} sigma reach ${formatNumber(top)} MeV, ${table}`;
  return [
    fieldIssue(['beam', 'energy_sigma_MeV'], energy_sigma_MeV, says, `0 to ${formatNumber(most)} MeV at this energy`),
  ];
}

function checkCutoff(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { cutoff_MeV } = scenario.grid;
  const { lowest } = energyLimits(scenario, context);
  if (cutoff_MeV >= lowest.energy_MeV) return [];
  const says = `MeV is below the stopping power table of ${lowest.material}, ${lowest.title}`;
  return [fieldIssue(['grid', 'cutoff_MeV'], cutoff_MeV, says, `at least ${formatNumber(lowest.energy_MeV)} MeV`)];
}

function checkUniformGrid({ grid, beam }: TransportScenario): readonly FieldIssue[] {
  if (grid.energy.kind !== 'uniform') return [];
  const { min_MeV, step_MeV } = grid.energy;
  const faults: FieldIssue[] = [];
  if (min_MeV > grid.cutoff_MeV) {
    const allowed = `at most ${formatNumber(grid.cutoff_MeV)} MeV (grid.cutoff_MeV)`;
    faults.push(
      fieldIssue(
        ['grid', 'energy', 'min_MeV'],
        min_MeV,
        'MeV is above the cutoff: protons with energies between the two values would have no bin',
        allowed,
      ),
    );
  }
  if (beam.energy_MeV > min_MeV && beam.energy_MeV - min_MeV < 2 * step_MeV) {
    const allowed = `at most ${formatNumber((beam.energy_MeV - min_MeV) / 2)} MeV`;
    faults.push(
      fieldIssue(['grid', 'energy', 'step_MeV'], step_MeV, 'MeV leaves the beam fewer than two bins', allowed),
    );
  }
  return faults;
}

function checkRangeGrid(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { grid, beam } = scenario;
  if (grid.energy.kind !== 'range' || beam.energy_MeV <= grid.cutoff_MeV) return [];
  const { step_mm } = grid.energy;
  const range = (energy: number): number => stoppingAt(context.rangeTable, context.water, energy).range * 10;
  const span_mm = range(beam.energy_MeV) - range(grid.cutoff_MeV);
  if (span_mm >= 2 * step_mm) return [];
  const allowed = `at most ${formatNumber(Number((span_mm / 2).toPrecision(3)))} mm`;
  return [
    fieldIssue(
      ['grid', 'energy', 'step_mm'],
      step_mm,
      'mm leaves the beam fewer than two bins above the cutoff',
      allowed,
    ),
  ];
}

function warnOfFewSteps(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { solver, geometry, beam } = scenario;
  if (solver.stepping === 'depth') return [];
  const table = tableOf(context, geometry.background);
  const density = materialOf(context, geometry.background).density_g_cm3;
  const range_mm = (stoppingAt(context.rangeTable, table, beam.energy_MeV).range * 10) / density;
  const path_mm = Math.min(range_mm, Math.hypot(geometry.depth_mm, geometry.width_mm));
  const steps = Math.ceil(path_mm / solver.step_mm);
  if (
    geometry.regions.length > 0 ||
    context.ct !== null ||
    scenario.initial.kind !== 'beam' ||
    steps <= solver.max_steps
  )
    return [];
  const message = `the beam needs about ${steps} steps to stop, but the run ends after ${solver.max_steps}`;
  return [fieldWarning(['solver', 'max_steps'], solver.max_steps, message)];
}

/**
 * Warns about a high cutoff. The residual energy is deposited locally, which changes R80 if its range exceeds the
 * straggling.
 */
function warnOfCutoff(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { beam, grid, initial } = scenario;
  if (initial.kind !== 'beam' || beam.energy_MeV <= grid.cutoff_MeV) return [];
  const range_mm = (energy: number): number => stoppingAt(context.rangeTable, context.water, energy).range * 10;
  const left = range_mm(grid.cutoff_MeV);
  if (left <= rangeStraggling_mm(range_mm(beam.energy_MeV))) return [];
  const size = Number(left.toPrecision(2));
  const message = `protons of ${formatNumber(grid.cutoff_MeV)} MeV still have a range of ${formatNumber(size)} mm in water, which is cut off: R80 is too short by that amount`;
  return [fieldWarning(['grid', 'cutoff_MeV'], grid.cutoff_MeV, message)];
}

const energyChecks: readonly Check[] = [
  { uses: ['beam.energy_MeV', 'grid.cutoff_MeV'], run: checkAboveCutoff },
  {
    uses: ['beam.energy_MeV', 'beam.energy_sigma_MeV', 'geometry.background', 'physics.stopping_power'],
    run: checkWithinTables,
  },
  { uses: ['grid.cutoff_MeV', 'geometry.background', 'physics.stopping_power'], run: checkCutoff },
  { uses: ['grid.energy', 'grid.cutoff_MeV', 'beam.energy_MeV'], run: checkUniformGrid },
  {
    uses: ['grid.energy', 'grid.energy.step_mm', 'grid.cutoff_MeV', 'beam.energy_MeV', 'physics.stopping_power'],
    run: checkRangeGrid,
  },
  { uses: ['grid.cutoff_MeV', 'beam.energy_MeV', 'initial', 'physics.stopping_power'], run: warnOfCutoff },
  { uses: ['solver', 'geometry', 'beam.energy_MeV', 'physics.stopping_power'], run: warnOfFewSteps },
];

/** Relative width of merged CT densities above which a warning is shown. The range changes by less than half of it. */
const MAX_WIDTH = 0.02;
/** Tolerance within which a decimal number coincides with a border, as a fraction of the box. */
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

/**
 * Warns if shares of media are rounded in cells that borders cut, because the number of distinct mixtures is limited.
 */
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

/** Warns about a CT with merged densities, or with Hounsfield units outside of its table. */
function warnOfCt(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { geometry, grid } = scenario;
  const [nz, nx] = [Math.round(geometry.depth_mm / grid.dz_mm), Math.round(geometry.width_mm / grid.dx_mm)];
  if (context.ct === null || !(nz >= 1) || !(nx >= 1)) return [];
  const { densitiesWithin } = cellContents(scenario, context, nz, nx);
  const wide = densitiesWithin !== null && densitiesWithin > MAX_WIDTH;
  const message = `densities that differ by up to ${formatNumber(100 * (densitiesWithin ?? 0))} % are merged and replaced by their mean`;
  return [...warnOfHu(context.ct), ...(wide ? [fieldWarning(['geometry', 'ct'], 'CT', message)] : [])];
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

/** Warns if the beam leaves the box. Only checked for a single material without regions, where the path is simple. */
function warnOfLeaving(
  { beam, geometry, initial }: TransportScenario,
  context: TransportContext,
): readonly FieldIssue[] {
  if (geometry.regions.length > 0 || context.ct !== null || initial.kind !== 'beam') return [];
  const table = tableOf(context, geometry.background);
  // Skip the check if the range is beyond the table and thus unknown. The energy is then reported as an error.
  if (beam.energy_MeV > highestEnergy(table)) return [];
  const density = materialOf(context, geometry.background).density_g_cm3;
  const range_mm = (stoppingAt(context.rangeTable, table, beam.energy_MeV).range * 10) / density;
  const reach_mm = beam.z_mm + range_mm * Math.cos((beam.angle_deg * Math.PI) / 180);
  if (reach_mm <= geometry.depth_mm) return [];
  const message = `the beam reaches ${formatNumber(Number(reach_mm.toPrecision(4)))} mm, but the box ends at ${formatNumber(geometry.depth_mm)} mm; without depth_mm the box follows the range`;
  return [fieldWarning(['geometry', 'depth_mm'], geometry.depth_mm, message)];
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

/** A step that exceeds a cell by at most this factor counts as one cell, because its length may be rounded. */
const ROUNDING = 1.001;

const outputChecks: readonly Check[] = [
  {
    uses: ['output.spectra_mm', 'output.let'],
    run: ({ output }) =>
      output.spectra_mm.length > 0 && !output.let
        ? [fieldWarning(['output', 'spectra_mm'], output.spectra_mm, 'are saved only if output.let is true')]
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

/** Maximum number of spots whose errors are reported. Errors of further spots usually repeat them. */
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

/**
 * Builds the issue about a spot. For a file of spots it contains the index of the spot, because such a file has no
 * paths.
 */
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

/** Paths of fields whose defaults depend on the beam's energy. */
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
 * Whether the beam's energy is unknown because its source was rejected. Nothing that depends on it can then be checked.
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
 * Returns errors and warnings about a complete scenario. `leftOut`: paths of values that validation rejected. `isSet`:
 * whether the file sets a value.
 */
export function checkTransport(
  scenario: TransportScenario,
  context: TransportContext,
  leftOut: readonly Path[],
  isSet: (path: Path) => boolean,
): readonly FieldIssue[] {
  const energyIsOff = energyIsUnknown(leftOut);
  const isUnusable = (use: string): boolean => {
    const path = parsePath(use) ?? [];
    if (energyIsOff && use === 'beam.energy_MeV') return true;
    if (leftOut.some((gone) => isWithin(path, gone) || isWithin(gone, path))) return true;
    return energyIsOff && (fromEnergy as readonly string[]).includes(use) && !isSet(path);
  };
  const region = regionIndex(leftOut);
  return [...energyChecks, ...spotChecks, ...geometryChecks, ...gridChecks, ...outputChecks]
    .filter(({ uses }) => !uses.some(isUnusable))
    .flatMap(({ run }) => run(scenario, context, region));
}
