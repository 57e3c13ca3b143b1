/** A beam with its energy known: from the file, from a range in water, or from its spots. */
import type {
  CompleteBeam,
  Spot,
  TransportWithBeam,
  TransportWithConstants,
} from '../../../../contract/scenario/index.ts';
import type { SpotWithConstants } from '../../../../contract/scenario/transport/spots.ts';
import { energyFromRange } from './beam-range.ts';
import type { TransportContext } from './context.ts';

interface Energies {
  readonly energy_MeV?: number | undefined;
  readonly range_mm?: number | undefined;
  readonly energy_sigma_MeV: number;
}

/** Finds energies, each once: a field has few, and its spots many. */
class FoundEnergies {
  private readonly known = new Map<string, number>();
  private readonly scenario: TransportWithConstants;
  private readonly context: TransportContext;

  constructor(scenario: TransportWithConstants, context: TransportContext) {
    this.scenario = scenario;
    this.context = context;
  }

  of({ energy_MeV, range_mm, energy_sigma_MeV }: Energies): number {
    if (energy_MeV !== undefined) return energy_MeV;
    if (range_mm === undefined) throw new Error('a beam has neither energy nor range');
    const key = `${range_mm} ${energy_sigma_MeV}`;
    const { beam, physics } = this.scenario;
    const asked = { range_mm, range_is: beam.range_is, energy_sigma_MeV, physics };
    const found = this.known.get(key) ?? energyFromRange(asked, this.context);
    this.known.set(key, found);
    return found;
  }
}

function spotOf(spot: SpotWithConstants, beam: TransportWithConstants['beam'], energies: FoundEnergies): Spot {
  const energy_sigma_MeV = spot.energy_sigma_MeV ?? beam.energy_sigma_MeV;
  return {
    energy_MeV: energies.of({ ...spot, energy_sigma_MeV }),
    energy_sigma_MeV,
    angle_deg: spot.angle_deg ?? beam.angle_deg,
    angle_sigma_mrad: spot.angle_sigma_mrad ?? beam.angle_sigma_mrad,
    x_mm: spot.x_mm ?? beam.x_mm,
    x_sigma_mm: spot.x_sigma_mm ?? beam.x_sigma_mm,
    weight: spot.weight,
  };
}

/** `fromFile` are the spots of the file that the beam names. */
export function withEnergies(
  scenario: TransportWithConstants,
  context: TransportContext,
  fromFile: readonly SpotWithConstants[] | null,
): TransportWithBeam {
  const { spots: wanted, energy_MeV, ...rest } = scenario.beam;
  const energies = new FoundEnergies(scenario, context);
  const list = Array.isArray(wanted) ? wanted : fromFile;
  if (wanted === undefined || list === null) {
    // A file that cannot be read is at fault itself; the rest is checked with any energy.
    const energy = wanted === undefined ? energies.of(scenario.beam) : 100;
    return { ...scenario, beam: { ...rest, energy_MeV: energy } };
  }
  const spots = list.map((spot) => spotOf(spot, scenario.beam, energies));
  const beam: CompleteBeam = {
    ...rest,
    energy_MeV: spots.reduce((most, spot) => Math.max(most, spot.energy_MeV), 0),
    energy_sigma_MeV: spots.reduce((most, spot) => Math.max(most, spot.energy_sigma_MeV), 0),
    spots,
    ...(Array.isArray(wanted) ? {} : { spots_file: wanted.file }),
  };
  return { ...scenario, beam };
}
