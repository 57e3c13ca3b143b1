/**
 * Computes the energy of a beam. The scenario specifies it directly, by a range in water, or per spot. For a given
 * range R80 or R90, the mean range follows by quadrature over the spread of ranges, with the selected range table. The
 * detour is then added, because the CSDA path is longer than the depth by half of the mean square angle.
 */
import type {
  CompleteBeam,
  Spot,
  TransportWithBeam,
  TransportWithStaticDefaults,
} from '../../../../contract/scenario/index.ts';
import type { SpotWithStaticDefaults } from '../../../../contract/scenario/transport/beam.ts';
import { loadAddon } from '../../../io/addon/addon.ts';
import { defineThreadTask } from '../../../io/threads/task.ts';
import { highestEnergy, lowestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { energyLossOfStep } from './bins-per-step.ts';
import { rangeStraggling_mm, type TransportContext } from './context.ts';

type RangeKind = TransportWithStaticDefaults['beam']['range_is'];

interface RequestedRange {
  readonly range_mm: number;
  readonly range_is: RangeKind;
  readonly energy_sigma_MeV: number;
  readonly physics: TransportWithStaticDefaults['physics'];
}

/** The part of the context that is needed to compute energies. */
type RangeContext = Pick<TransportContext, 'water' | 'materials' | 'rangeTable'>;

/**
 * Half width of the quadrature in standard deviations around the mean range, and number of points per standard
 * deviation.
 */
const REACH = 5;
const POINTS = 40;
/**
 * Number of Newton iterations for the energy of a range. Few suffice, because the range is nearly a power of the
 * energy.
 */
const STEPS = 8;
/**
 * Number of iterations that adjust the offset between range and mean range to the energy. The first guess has an error
 * below one percent.
 */
const ROUNDS = 3;
/**
 * Number of depths per standard deviation at which the dose is evaluated, from REACH before to REACH behind the mean
 * range.
 */
const DEPTHS = 10;
/** Number of bins of residual range in which the energy loss of protons is computed. */
const BINS = 3 * REACH * POINTS;

/**
 * Weights exp(−u²/2) by depth and index i, where u = (i + ½) / POINTS minus the depth before the mean range. 0 far from
 * the mean. They are equal for all beams.
 */
const weights: readonly Float64Array[] = Array.from({ length: 2 * REACH * DEPTHS + 1 }, (_, k) =>
  Float64Array.from({ length: BINS }, (__, i) => {
    const off = (i + 0.5) / POINTS - (REACH - k / DEPTHS);
    return Math.abs(off) < 2 * REACH ? Math.exp(-0.5 * off * off) : 0;
  }),
);

/** Factor slightly above 1. With it, checks detect that a range is outside of the table. */
const OUT_OF_TABLE_FACTOR = 1.001;

/**
 * Energy in MeV of a proton with this CSDA range in mm of water. A range outside of the table gives the nearest end of
 * the table.
 */
function energyOfRange(context: RangeContext, range_mm: number): number {
  const { water, rangeTable } = context;
  const [lowest, highest] = [lowestEnergy(water), highestEnergy(water)];
  let energy = 10 * (range_mm / 1.23) ** 0.565;
  for (let step = 0; step < STEPS; step += 1) {
    energy = Math.min(highest, Math.max(lowest, energy));
    const at = stoppingAt(rangeTable, water, energy);
    // Newton step on a logarithmic scale: there, the range is nearly linear in the energy, and the energy remains
    // positive.
    energy *= Math.exp((Math.log(range_mm / (at.range * 10)) * at.range * at.stopping) / energy);
  }
  return Math.min(highest, Math.max(lowest, energy));
}

/** Mean path minus depth in mm, for protons that stop in water. */
function detour_mm(context: RangeContext, energy_MeV: number): number {
  const { range_mm, angle } = energyLossOfStep(energy_MeV, context);
  let sum = 0;
  for (let i = 1; i < range_mm.length; i += 1) {
    const middle = ((angle[i] ?? 0) ** 2 + (angle[i - 1] ?? 0) ** 2) / 2;
    sum += 0.5 * middle * ((range_mm[i] ?? 0) - (range_mm[i - 1] ?? 0));
  }
  return sum;
}

/**
 * Returns the residual energy (MeV) as a function of the residual range (mm), for the ranges in a beam with the spread
 * `sigma_mm`.
 */
function residualEnergyFunction(context: RangeContext, sigma_mm: number): (range_mm: number) => number {
  const most_mm = 4 * REACH * sigma_mm;
  const top = energyOfRange(context, most_mm);
  const { range_mm, energies_MeV } = energyLossOfStep(top, context);
  return (range) => {
    if (range <= 0) return 0;
    const after = range_mm.findIndex((one) => one >= range);
    const [a, b] = [Math.max(0, after - 1), Math.max(1, after)];
    const [r0, r1] = [range_mm[a] ?? 1, range_mm[b] ?? 1];
    const [e0, e1] = [energies_MeV[a] ?? 0, energies_MeV[b] ?? 0];
    if (after <= 0) return after === 0 ? e0 * (range / Math.max(r0, 1e-9)) : (energies_MeV.at(-1) ?? 0);
    return e0 * (e1 / e0) ** (Math.log(range / r0) / Math.log(r1 / r0));
  };
}

/**
 * Distance in mm from the depth where the dose has fallen to `share`, to the mean range. `sigma_mm`: standard deviation
 * of the ranges. Scattering is not included.
 */
function falloffToMeanRange_mm(context: RangeContext, sigma_mm: number, share: number): number {
  const left = residualEnergyFunction(context, sigma_mm);
  const step = sigma_mm / POINTS;
  const lost = new Float64Array(BINS);
  for (let i = 0, before = left(0); i < BINS; i += 1) {
    const next = left((i + 1) * step);
    lost[i] = next - before;
    before = next;
  }
  // Dose at a distance `before` in front of the mean range, as the energy loss of all protons with their residual
  // ranges.
  const dose = (before: number): number => {
    let sum = 0;
    for (let i = 0; i < BINS; i += 1) {
      const off = ((i + 0.5) * step - before) / sigma_mm;
      if (Math.abs(off) < 2 * REACH) sum += (lost[i] ?? 0) * Math.exp(-0.5 * off * off);
    }
    return sum;
  };
  const depths = weights.map((_, k) => (REACH - k / DEPTHS) * sigma_mm);
  const doses = weights.map((at) => {
    let sum = 0;
    for (let i = 0; i < BINS; i += 1) sum += (lost[i] ?? 0) * (at[i] ?? 0);
    return sum;
  });
  const peak = Math.max(...doses);
  const from = doses.indexOf(peak);
  const past = doses.findIndex((value, i) => i > from && value < share * peak);
  let [near, far] = [depths[past - 1] ?? 0, depths[past] ?? 0];
  for (let i = 0; i < 30; i += 1) {
    const middle = (near + far) / 2;
    if (dose(middle) >= share * peak) near = middle;
    else far = middle;
  }
  return (near + far) / 2;
}

/**
 * Energy (MeV) of a beam with the requested range in water. If the range exceeds the table, the energy is slightly
 * above the table, so that checks reject it.
 */
function energyFromRange(requested: RequestedRange, context: RangeContext): number {
  const highest = highestEnergy(context.water);
  if (requested.range_mm > stoppingAt(context.rangeTable, context.water, highest).range * 10)
    return OUT_OF_TABLE_FACTOR * highest;
  let energy = energyOfRange(context, requested.range_mm);
  if (requested.range_is === 'csda') return energy;
  const share = requested.range_is === 'r80' ? 0.8 : 0.9;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { range, stopping } = stoppingAt(context.rangeTable, context.water, energy);
    const straggling = requested.physics.straggling === 'off' ? 0 : rangeStraggling_mm(range * 10);
    const sigma = Math.hypot(straggling, (requested.energy_sigma_MeV * 10) / stopping);
    const offset = sigma > 0 ? falloffToMeanRange_mm(context, sigma, share) : 0;
    const detour = requested.physics.scattering === 'off' ? 0 : detour_mm(context, energy);
    // If reactions are followed, paths are three-dimensional, so the detour counts in both planes.
    const planes = requested.physics.nuclear === 'icru63' ? 2 : 1;
    energy = energyOfRange(context, requested.range_mm + offset + planes * detour);
  }
  return energy;
}

/** Maximum number of energies that are computed on this thread. Each needs milliseconds. */
const FEW_SIGMAS = 4;

interface RangesRequest extends Pick<TransportContext, 'water' | 'materials'> {
  readonly asked: readonly RequestedRange[];
}

const findOnThread = defineThreadTask('find energies of ranges', ({ asked, ...tables }: RangesRequest) => {
  const { rangeTable } = loadAddon();
  return asked.map((one) => energyFromRange(one, { ...tables, rangeTable }));
});

/** Computes energies for several ranges, because a file may give a range for each of ten thousand spots. */
async function energiesFromRanges(asked: readonly RequestedRange[], context: RangeContext): Promise<readonly number[]> {
  const { water, materials } = context;
  if (asked.length > FEW_SIGMAS) return findOnThread({ asked, water, materials });
  return asked.map((one) => energyFromRange(one, context));
}

interface Energies {
  readonly energy_MeV?: number | undefined;
  readonly range_mm?: number | undefined;
  readonly energy_sigma_MeV: number;
}

const keyOf = ({ range_mm, energy_sigma_MeV }: Energies): string => `${range_mm} ${energy_sigma_MeV}`;

/**
 * Computes the energies for given ranges. Each distinct range is computed once, because a field has many spots but few
 * ranges.
 */
async function energiesOf(
  all: readonly Energies[],
  { beam, physics }: TransportWithStaticDefaults,
  context: TransportContext,
): Promise<(one: Energies) => number> {
  const asked = new Map<string, RequestedRange>();
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

const sigmaOf = (spot: SpotWithStaticDefaults, beam: TransportWithStaticDefaults['beam']): number =>
  spot.energy_sigma_MeV ?? beam.energy_sigma_MeV;

function spotOf(
  spot: SpotWithStaticDefaults,
  beam: TransportWithStaticDefaults['beam'],
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

/** Adds energies to a scenario. `fromFile`: spots read from the file that the beam names. */
export async function withEnergies(
  scenario: TransportWithStaticDefaults,
  context: TransportContext,
  fromFile: readonly SpotWithStaticDefaults[] | null,
): Promise<TransportWithBeam> {
  const { spots: wanted, energy_MeV, ...rest } = scenario.beam;
  const list = Array.isArray(wanted) ? wanted : fromFile;
  if (wanted === undefined || list === null) {
    // The file of spots may be unreadable, which has its own issue. Use any energy to check the other values.
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
