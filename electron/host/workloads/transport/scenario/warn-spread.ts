/** Warns of energy bins that widen the beam: range spread added by the bins, compared with the physical spread. */
import { type Fault, type TransportScenario, warning } from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../contract/units.ts';
import { divides } from '../../../model/scenarios/nice.ts';
import { rangeStraggling_mm } from './straggling.ts';

/** A spread of this share of the physical one makes the distal falloff 2 % wider. */
const NOTICEABLE_SHARE = 0.2;
/** Below this nothing that is shown changes, also for a beam without any spread of its own. */
const NOTICEABLE_MM = 0.01;

/** Whether a step takes the beam's row by a part of a cell in depth. */
export function partCells({ beam, grid, solver }: TransportScenario): boolean {
  if (solver.stepping === 'depth') return false;
  return !divides(grid.dz_mm, solver.step_mm * Math.cos((beam.angle_deg * Math.PI) / 180));
}

/** Sigma of the residual range that straggling and the beam's energy spread give, mm of water. */
function physicalSpread_mm({ beam, physics }: TransportScenario, range_mm: number, slope_mm_MeV: number): number {
  const straggling = physics.straggling === 'off' ? 0 : rangeStraggling_mm(range_mm);
  return Math.hypot(straggling, beam.energy_sigma_MeV * slope_mm_MeV);
}

/**
 * @param extra_mm range spread (sigma, mm of water) that the energy grid adds, as the engine states it
 * @param range_mm CSDA range in water
 * @param slope_mm_MeV change of that range with the beam's energy
 */
export function spreadWarning(
  scenario: TransportScenario,
  extra_mm: number,
  range_mm: number,
  slope_mm_MeV: number,
): Fault | null {
  const physical = physicalSpread_mm(scenario, range_mm, slope_mm_MeV);
  if (extra_mm < NOTICEABLE_MM || extra_mm < NOTICEABLE_SHARE * physical) return null;
  const { energy } = scenario.grid;
  // Spread from steps of fractional cells has its own warning.
  if (energy.kind === 'range' && partCells(scenario)) return null;
  const [key, value] =
    energy.kind === 'range' ? (['step_mm', energy.step_mm] as const) : (['step_MeV', energy.step_MeV] as const);
  const factor = (Math.hypot(physical, extra_mm) / physical).toFixed(2);
  const effect =
    physical === 0 ? 'this beam has none of its own' : `physics gives ${physical.toFixed(2)} mm; W80–20 is ${factor}×`;
  const remedy =
    energy.kind === 'range'
      ? 'a solver step of a whole number of bins, in water, adds nothing; elsewhere finer bins add less'
      : 'finer bins add less; a range grid adds nothing in water';
  const bins = `${formatNumber(Number(value.toPrecision(4)))} ${key.slice(5)}`;
  return warning(
    ['grid', 'energy', key],
    value,
    `${bins} adds ${extra_mm.toFixed(2)} mm (σ) of range spread, ${effect}: ${remedy}`,
  );
}
