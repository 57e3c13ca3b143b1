/** Each spot against the grid, the box and the tables; a beam without spots is checked by its own values. */
import {
  type Fault,
  fault,
  type Path,
  type Spot,
  type TransportScenario,
} from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../contract/units.ts';
import { highestEnergy } from '../../../model/scenarios/stopping-table.ts';
import type { TransportContext } from './context.ts';
import { beamSigmas } from './estimate.ts';
import type { Check } from './one-check.ts';

/** Most spots whose errors are reported; those of further spots repeat them. */
const MOST = 5;

interface Wrong {
  readonly key: Exclude<keyof Spot, 'y_mm'>;
  readonly says: string;
  readonly allowed: string;
}

type Judge = (spot: Spot, scenario: TransportScenario, context: TransportContext) => Wrong | null;

const judges: readonly Judge[] = [
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

/** In the file of spots there is no path: the number of the spot says where. */
function placed({ beam }: TransportScenario, index: number, { key, says, allowed }: Wrong, value: number): Fault {
  if (beam.spots_file === undefined) {
    const path: Path = ['beam', 'spots', index, key];
    return fault(path, value, says, allowed);
  }
  return fault(['beam', 'spots', 'file'], beam.spots_file, `, spot ${index + 1}: ${value} ${says}`, allowed);
}

function checkSpots(scenario: TransportScenario, context: TransportContext): readonly Fault[] {
  const found: Fault[] = [];
  for (const [index, spot] of (scenario.beam.spots ?? []).entries()) {
    for (const judge of judges) {
      const wrong = judge(spot, scenario, context);
      if (wrong !== null) found.push(placed(scenario, index, wrong, spot[wrong.key]));
      if (found.length === MOST) return found;
    }
  }
  return found;
}

export const spotChecks: readonly Check[] = [
  {
    uses: ['beam.spots', 'geometry.width_mm', 'grid.cutoff_MeV', 'grid.theta_max_mrad', 'physics.stopping_power'],
    run: checkSpots,
  },
];
