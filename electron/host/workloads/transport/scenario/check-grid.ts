/**
 * Checks the grid: whole numbers of cells, an angle range that the stepping supports, and the memory limit. Also warns
 * if energy bins widen the beam, by comparing the spread that they add with the physical spread.
 */
import {
  type FieldIssue,
  fieldIssue,
  fieldWarning,
  type TransportScenario,
  unknownVariantIssues,
} from '../../../../contract/scenario/index.ts';
import { formatBytes, formatNumber } from '../../../../domain/values/units.ts';
import { divides, divisorNear } from '../../../model/scenarios/rounded.ts';
import { partsPerBin } from './bins-per-step.ts';
import { cellContents } from './cell-contents.ts';
import { type Check, rangeStraggling_mm, type TransportContext } from './context.ts';
import {
  angleBins,
  depthSteppingLimit_mrad,
  energyBins,
  estimateGrid,
  type GridEstimate,
  maxMapCells,
  maxPictureBytes,
  pictureBytes,
} from './problem.ts';

/** Added spread relative to the physical one, above which the distal falloff is more than 2 % wider. */
const NOTICEABLE_SHARE = 0.2;
/** Spread in mm below which no displayed number changes, even for a beam without any physical spread. */
const NOTICEABLE_MM = 0.01;

/** Whether a step moves the row of the beam by a fraction of a cell in depth. */
function splitsRows({ beam, grid, solver }: TransportScenario): boolean {
  if (solver.stepping === 'depth') return false;
  return !divides(grid.dz_mm, solver.step_mm * Math.cos((beam.angle_deg * Math.PI) / 180));
}

/** Standard deviation of the residual range in mm of water, from straggling and the energy spread of the beam. */
function physicalSpread_mm({ beam, physics }: TransportScenario, range_mm: number, slope_mm_MeV: number): number {
  const straggling = physics.straggling === 'off' ? 0 : rangeStraggling_mm(range_mm);
  return Math.hypot(straggling, beam.energy_sigma_MeV * slope_mm_MeV);
}

/**
 * Warns if the energy grid widens the beam. `extra_mm`: spread of the range that the grid adds, as reported by the
 * engine (standard deviation in mm of water). `range_mm`: CSDA range in water. `slope_mm_MeV`: derivative of that range
 * with respect to the energy.
 */
export function spreadWarning(
  scenario: TransportScenario,
  extra_mm: number,
  range_mm: number,
  slope_mm_MeV: number,
): FieldIssue | null {
  const physical = physicalSpread_mm(scenario, range_mm, slope_mm_MeV);
  if (extra_mm < NOTICEABLE_MM || extra_mm < NOTICEABLE_SHARE * physical) return null;
  const { energy } = scenario.grid;
  // Steps of fractional cells spread the range too, but a separate warning reports this.
  if (energy.kind === 'range' && splitsRows(scenario)) return null;
  const [key, value] =
    energy.kind === 'range' ? (['step_mm', energy.step_mm] as const) : (['step_MeV', energy.step_MeV] as const);
  const factor = (Math.hypot(physical, extra_mm) / physical).toFixed(2);
  const effect =
    physical === 0 ? 'this beam has no energy spread' : `physics gives ${physical.toFixed(2)} mm; W80–20 is ${factor}×`;
  const remedy =
    energy.kind === 'range'
      ? 'a solver step that is a whole number of bins adds no straggling in water; in other matter finer bins add less'
      : 'finer bins add less straggling; a range grid adds none in water';
  const bins = `${formatNumber(Number(value.toPrecision(4)))} ${key.slice(5)}`;
  return fieldWarning(
    ['grid', 'energy', key],
    value,
    `${bins} adds ${extra_mm.toFixed(2)} mm (σ) of range spread, ${effect}: ${remedy}`,
  );
}

/**
 * Maximum number of cells per axis. The tables of the solver grow with them and need memory in addition to the state.
 */
const maxCells = { x: 16_384, z: 16_384, theta: 8192, energy: 16_384 } as const;
/** Minimum number of bytes per angle, material and energy: losses, two source bins and two angles. */
const leastOperatorBytes = 80;

function checkDivision(size: 'width_mm' | 'depth_mm', cell: 'dx_mm' | 'dz_mm') {
  return ({ geometry, grid }: TransportScenario): readonly FieldIssue[] => {
    const [whole, part] = [geometry[size], grid[cell]];
    if (divides(part, whole)) return [];
    const near = formatNumber(divisorNear(part, whole));
    const says = `mm does not divide geometry.${size}, ${formatNumber(whole)} mm, into whole cells`;
    return [fieldIssue(['grid', cell], part, says, `a whole fraction of it, such as ${near} mm`)];
  };
}

function tooManyIssue(
  path: readonly string[],
  value: number,
  count: number,
  most: number,
  unit: string,
): readonly FieldIssue[] {
  if (count <= most) return [];
  return [
    fieldIssue(path, value, `${unit} makes ${formatNumber(count)} cells`, `at most ${most} cells along this axis`),
  ];
}

function checkCounts({ geometry, grid }: TransportScenario): readonly FieldIssue[] {
  const nx = Math.round(geometry.width_mm / grid.dx_mm);
  const nz = Math.round(geometry.depth_mm / grid.dz_mm);
  const each = [
    ...tooManyIssue(['grid', 'dx_mm'], grid.dx_mm, nx, maxCells.x, 'mm'),
    ...tooManyIssue(['grid', 'dz_mm'], grid.dz_mm, nz, maxCells.z, 'mm'),
  ];
  if (each.length > 0 || nx * nz <= maxMapCells) return each;
  const says = `mm by ${formatNumber(grid.dz_mm)} mm gives ${nx} × ${nz} cells`;
  return [fieldIssue(['grid', 'dx_mm'], grid.dx_mm, says, `at most ${maxMapCells} cells in x and z together`)];
}

function checkAngleCount(scenario: TransportScenario): readonly FieldIssue[] {
  const { dtheta_mrad } = scenario.grid;
  return tooManyIssue(['grid', 'dtheta_mrad'], dtheta_mrad, angleBins(scenario), maxCells.theta, 'mrad');
}

function checkEnergyCount(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { energy } = scenario.grid;
  const [key, value] =
    energy.kind === 'range' ? (['step_mm', energy.step_mm] as const) : (['step_MeV', energy.step_MeV] as const);
  return tooManyIssue(['grid', 'energy', key], value, energyBins(scenario, context), maxCells.energy, key.slice(5));
}

/** Checks that the beam angle is the centre of a bin. Otherwise the beam would be spread over two bins. */
function checkAngles({ grid, initial }: TransportScenario): readonly FieldIssue[] {
  const { dtheta_mrad, theta_max_mrad } = grid;
  const unit = initial.kind === 'beam' ? dtheta_mrad : dtheta_mrad / 2;
  if (divides(unit, theta_max_mrad)) return [];
  const below = Math.max(1, Math.floor(theta_max_mrad / unit)) * unit;
  const near = [below, below + unit].map((value) => formatNumber(Number(value.toPrecision(9)))).join(' or ');
  const says =
    initial.kind === 'beam'
      ? 'mrad is not a whole number of angle bins from the beam angle'
      : 'mrad is not a whole number of angle bins';
  const rule = initial.kind === 'beam' ? 'a multiple of grid.dtheta_mrad' : 'a multiple of half of grid.dtheta_mrad';
  return [fieldIssue(['grid', 'theta_max_mrad'], theta_max_mrad, says, `${rule}, such as ${near} mrad`)];
}

function checkDepthStepping({ grid, beam, solver }: TransportScenario): readonly FieldIssue[] {
  if (solver.stepping !== 'depth') return [];
  const beam_mrad = (Math.abs(beam.angle_deg) * 1000 * Math.PI) / 180;
  if (beam_mrad + grid.theta_max_mrad <= depthSteppingLimit_mrad) return [];
  const reach = Math.round(((beam_mrad + grid.theta_max_mrad) * 180) / Math.PI / 1000);
  const left = Math.floor((depthSteppingLimit_mrad - beam_mrad) / grid.dtheta_mrad) * grid.dtheta_mrad;
  const says = `mrad extends the angle grid to ${reach}°, but depth stepping ends at 60°`;
  const allowed =
    left > 0
      ? `at most ${formatNumber(Number(left.toPrecision(9)))} mrad with this beam angle, or solver.stepping: path`
      : 'with this beam angle only solver.stepping: path';
  return [fieldIssue(['grid', 'theta_max_mrad'], grid.theta_max_mrad, says, allowed)];
}

function warnOfUnusedStep({ grid, solver }: TransportScenario): readonly FieldIssue[] {
  if (solver.stepping !== 'depth' || solver.step_mm === grid.dz_mm) return [];
  const message = `is not used: depth stepping steps by grid.dz_mm, ${formatNumber(grid.dz_mm)} mm`;
  return [fieldWarning(['solver', 'step_mm'], solver.step_mm, message)];
}

/** Warns if the row of the beam ends between two cells, because it is then distributed over both in every step. */
function warnOfPartCells(scenario: TransportScenario): readonly FieldIssue[] {
  const { grid, solver, beam, initial } = scenario;
  if (initial.kind !== 'beam' || !splitsRows(scenario)) return [];
  const cosine = Math.cos((beam.angle_deg * Math.PI) / 180);
  const cell = formatNumber(grid.dz_mm);
  const whole = Math.max(1, Math.round((solver.step_mm * cosine) / grid.dz_mm)) * grid.dz_mm;
  const message =
    beam.angle_deg === 0
      ? `${formatNumber(solver.step_mm)} mm is not a whole number of cells in depth (grid.dz_mm, ${cell} mm): ` +
        'the remap in z widens the distal falloff'
      : `${formatNumber(solver.step_mm)} mm at ${formatNumber(beam.angle_deg)}° is not a whole number of cells in depth ` +
        `(grid.dz_mm, ${cell} mm): the remap in z widens the distal falloff; ` +
        `${formatNumber(Number((whole / cosine).toPrecision(6)))} mm, as without solver.step_mm, does not`;
  return [fieldWarning(['solver', 'step_mm'], solver.step_mm, message)];
}

/**
 * Warns that range bins are divided because they would affect range or falloff. Results are correct, but the run is
 * slower.
 */
function warnOfParts(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { energy } = scenario.grid;
  if (energy.kind !== 'range') return [];
  const parts = partsPerBin(scenario, context);
  if (parts === 1) return [];
  const taken = formatNumber(Number((energy.step_mm / parts).toPrecision(4)));
  const message =
    `${formatNumber(energy.step_mm)} mm is divided into ${parts} parts of ${taken} mm: ` +
    'wider ones would affect the range and its falloff';
  return [fieldWarning(['grid', 'energy', 'step_mm'], energy.step_mm, message)];
}

type Cells = Pick<GridEstimate, 'ne' | 'ntheta' | 'nz' | 'nx'>;

/**
 * Limits the memory of operators. With plane-to-plane steps, they are separate for each angle, material and energy.
 */
function checkOperators(scenario: TransportScenario, context: TransportContext, { ne, ntheta, nz, nx }: Cells) {
  const angles = scenario.solver.stepping === 'depth' ? Math.ceil(ntheta / 2) : 1;
  const plain = scenario.geometry.regions.length === 0 && context.ct === null;
  const media = plain ? 1 : cellContents(scenario, context, nz, nx).list.length;
  const bytes = leastOperatorBytes * angles * media * ne;
  if (bytes <= context.memoryLimit_bytes) return [];
  const [value, allowed] = [formatBytes(bytes), formatBytes(context.memoryLimit_bytes)];
  const message =
    `${angles} angles × ${media} materials, including mixtures in cut cells, × ${ne} energies have operators of at ` +
    `least ${value}; allowed: ${allowed}`;
  const found: FieldIssue = { severity: 'error', path: ['grid'], atKey: true, message, value, allowed };
  return [found];
}

function checkPictures(cells: Cells): readonly FieldIssue[] {
  const { ne, ntheta, nz, nx } = cells;
  const bytes = pictureBytes(cells);
  if (bytes <= maxPictureBytes) return [];
  const [value, allowed] = [formatBytes(bytes), formatBytes(maxPictureBytes)];
  const message =
    `${ne} × ${ntheta} × ${nz} × ${nx} cells (energy, angle, depth, across) need ${value} for one frame of the run, ` +
    `its dose and the sums over every two axes; allowed: ${allowed}; a larger grid.dz_mm or grid.dx_mm makes it smaller`;
  return [{ severity: 'error', path: ['grid'], atKey: true, message, value, allowed }];
}

function checkMemory(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { ne, ntheta, nz, nx, cells, state_bytes } = estimateGrid(scenario, context);
  if (state_bytes <= context.memoryLimit_bytes) {
    const tooManyIssue = checkOperators(scenario, context, { ne, ntheta, nz, nx });
    return tooManyIssue.length > 0 ? tooManyIssue : checkPictures({ ne, ntheta, nz, nx });
  }
  const limit = formatBytes(context.memoryLimit_bytes);
  const size = cells.toPrecision(3).replace('e+', 'e');
  const message =
    `${ne} × ${ntheta} × ${nz} × ${nx} = ${size} cells (energy, angle, depth, across) need at least ` +
    `${formatBytes(state_bytes)} of memory; allowed: ${limit}`;
  return [{ severity: 'error', path: ['grid'], atKey: true, message, value: formatBytes(state_bytes), allowed: limit }];
}

const sizes = ['geometry.width_mm', 'geometry.depth_mm', 'grid.dx_mm', 'grid.dz_mm'] as const;

export const gridChecks: readonly Check[] = [
  { uses: ['geometry.width_mm', 'grid.dx_mm'], run: checkDivision('width_mm', 'dx_mm') },
  { uses: ['geometry.depth_mm', 'grid.dz_mm'], run: checkDivision('depth_mm', 'dz_mm') },
  { uses: sizes, run: checkCounts },
  { uses: ['grid.dtheta_mrad', 'grid.theta_max_mrad'], run: checkAngleCount },
  {
    uses: ['grid.energy', 'grid.energy.step_mm', 'grid.cutoff_MeV', 'beam', 'physics.stopping_power'],
    run: checkEnergyCount,
  },
  { uses: ['grid.dtheta_mrad', 'grid.theta_max_mrad', 'initial'], run: checkAngles },
  { uses: ['grid.dtheta_mrad', 'grid.theta_max_mrad', 'beam.angle_deg', 'solver.stepping'], run: checkDepthStepping },
  { uses: ['grid.dz_mm', 'solver.step_mm', 'solver.stepping'], run: warnOfUnusedStep },
  {
    uses: ['grid.dz_mm', 'solver.step_mm', 'solver.stepping', 'beam.angle_deg', 'initial'],
    run: warnOfPartCells,
  },
  {
    uses: ['geometry', 'grid', 'grid.energy.step_mm', 'solver', 'solver.step_mm', 'beam', 'initial'],
    run: warnOfParts,
  },
  { uses: ['solver.variant'], run: ({ solver }, { variants }) => unknownVariantIssues(solver.variant, variants) },
  {
    uses: ['geometry', 'grid', 'grid.energy.step_mm', 'solver', 'initial', 'beam', 'physics.stopping_power', ...sizes],
    run: checkMemory,
  },
];
