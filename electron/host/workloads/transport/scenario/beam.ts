/** A beam with its energy known: from the file, from a range in water, or from its spots. */
import type {
  CompleteBeam,
  Spot,
  TransportWithBeam,
  TransportWithConstants,
} from '../../../../contract/scenario/index.ts';
import type { SpotWithConstants } from '../../../../contract/scenario/transport/spots.ts';
import { type AskedRange, energiesFromRanges } from './beam-range.ts';
import type { TransportContext } from './context.ts';

interface Energies {
  readonly energy_MeV?: number | undefined;
  readonly range_mm?: number | undefined;
  readonly energy_sigma_MeV: number;
}

const keyOf = ({ range_mm, energy_sigma_MeV }: Energies): string => `${range_mm} ${energy_sigma_MeV}`;

/** The energies of those that are given by their range, each found once: a field has few, and its spots many. */
async function energiesOf(
  all: readonly Energies[],
  { beam, physics }: TransportWithConstants,
  context: TransportContext,
): Promise<(one: Energies) => number> {
  const asked = new Map<string, AskedRange>();
  for (const one of all) {
    const { energy_MeV, range_mm, energy_sigma_MeV } = one;
    if (energy_MeV !== undefined) continue;
    if (range_mm === undefined) throw new Error('a beam has neither energy nor range');
    asked.set(keyOf(one), { range_mm, range_is: beam.range_is, energy_sigma_MeV, physics });
  }
  const found = await energiesFromRanges([...asked.values()], context);
  const known = new Map([...asked.keys()].map((key, i) => [key, found[i] ?? Number.NaN]));
  return (one) => one.energy_MeV ?? known.get(keyOf(one)) ?? Number.NaN;
}

const sigmaOf = (spot: SpotWithConstants, beam: TransportWithConstants['beam']): number =>
  spot.energy_sigma_MeV ?? beam.energy_sigma_MeV;

function spotOf(
  spot: SpotWithConstants,
  beam: TransportWithConstants['beam'],
  energyOf: (one: Energies) => number,
): Spot {
  const energy_sigma_MeV = sigmaOf(spot, beam);
  return {
    energy_MeV: energyOf({ ...spot, energy_sigma_MeV }),
    energy_sigma_MeV,
    angle_deg: spot.angle_deg ?? beam.angle_deg,
    angle_sigma_mrad: spot.angle_sigma_mrad ?? beam.angle_sigma_mrad,
    x_mm: spot.x_mm ?? beam.x_mm,
    ...(spot.y_mm === undefined ? {} : { y_mm: spot.y_mm }),
    x_sigma_mm: spot.x_sigma_mm ?? beam.x_sigma_mm,
    weight: spot.weight,
  };
}

/** `fromFile` are the spots of the file that the beam names. */
export async function withEnergies(
  scenario: TransportWithConstants,
  context: TransportContext,
  fromFile: readonly SpotWithConstants[] | null,
): Promise<TransportWithBeam> {
  const { spots: wanted, energy_MeV, ...rest } = scenario.beam;
  const list = Array.isArray(wanted) ? wanted : fromFile;
  if (wanted === undefined || list === null) {
    // An unreadable file has its own issue; the rest is checked with an arbitrary energy.
    const energy = wanted === undefined ? (await energiesOf([scenario.beam], scenario, context))(scenario.beam) : 100;
    return { ...scenario, beam: { ...rest, energy_MeV: energy } };
  }
  const energyOf = await energiesOf(
    list.map((spot) => ({ ...spot, energy_sigma_MeV: sigmaOf(spot, scenario.beam) })),
    scenario,
    context,
  );
  const spots = list.map((spot) => spotOf(spot, scenario.beam, energyOf));
  const beam: CompleteBeam = {
    ...rest,
    energy_MeV: spots.reduce((most, spot) => Math.max(most, spot.energy_MeV), 0),
    energy_sigma_MeV: spots.reduce((most, spot) => Math.max(most, spot.energy_sigma_MeV), 0),
    spots,
    ...(Array.isArray(wanted) ? {} : { spots_file: wanted.file }),
  };
  return { ...scenario, beam };
}
