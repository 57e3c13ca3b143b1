/** Checks energies against the stopping-power tables, the cutoff and the energy grid. */
import { type FieldIssue, fieldIssue, type TransportScenario, warning } from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../domain/values/units.ts';
import { highestEnergy, lowestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { type Check, materialOf, rangeStraggling_mm, type TransportContext, tableOf } from './context.ts';
import { beamSigmas } from './estimate.ts';

interface Limit {
  readonly energy_MeV: number;
  readonly material: string;
  readonly title: string;
}

/** Water comes first: it is always used, because it defines the range grid. */
function usedMaterials(scenario: TransportScenario): readonly string[] {
  return [
    ...new Set(['water', scenario.geometry.background, ...scenario.geometry.regions.map(({ material }) => material)]),
  ];
}

/** Highest of the tables' lowest energies, and lowest of their highest energies. */
function limits(scenario: TransportScenario, context: TransportContext): { lowest: Limit; highest: Limit } {
  const all = usedMaterials(scenario).map((material) => ({ material, table: tableOf(context, material) }));
  const limit = (pick: typeof lowestEnergy) =>
    all.map(({ material, table }): Limit => ({ energy_MeV: pick(table), material, title: table.title }));
  return {
    lowest: limit(lowestEnergy).reduce((a, b) => (b.energy_MeV > a.energy_MeV ? b : a)),
    highest: limit(highestEnergy).reduce((a, b) => (b.energy_MeV < a.energy_MeV ? b : a)),
  };
}

/** An error of the beam's energy, reported at its range if the file gives the range. */
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
  const { highest } = limits(scenario, context);
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
  const { lowest } = limits(scenario, context);
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
        'MeV is above the cutoff: protons between the two would have no bin',
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
  return [warning(['solver', 'max_steps'], solver.max_steps, message)];
}

/** Residual energy at the cutoff is deposited locally; if its range exceeds the straggling, R80 changes. */
function warnOfCutoff(scenario: TransportScenario, context: TransportContext): readonly FieldIssue[] {
  const { beam, grid, initial } = scenario;
  if (initial.kind !== 'beam' || beam.energy_MeV <= grid.cutoff_MeV) return [];
  const range_mm = (energy: number): number => stoppingAt(context.rangeTable, context.water, energy).range * 10;
  const left = range_mm(grid.cutoff_MeV);
  if (left <= rangeStraggling_mm(range_mm(beam.energy_MeV))) return [];
  const size = Number(left.toPrecision(2));
  const message = `protons of ${formatNumber(grid.cutoff_MeV)} MeV still have a range of ${formatNumber(size)} mm in water, which is cut off: R80 is too short by that amount`;
  return [warning(['grid', 'cutoff_MeV'], grid.cutoff_MeV, message)];
}

export const energyChecks: readonly Check[] = [
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
