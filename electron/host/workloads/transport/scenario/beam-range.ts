/**
 * The energy of a beam that is given by its range in water. A proton's way is the CSDA range; where the dose has fallen
 * to 80 or 90 % behind the peak follows from the spread of ranges. That is by quadrature over the table in use, less the
 * detour: the way is longer than the depth by half the mean square angle.
 */
import type { TransportWithConstants } from '../../../../contract/scenario/index.ts';
import { loadAddon } from '../../../io/addon/addon.ts';
import { aside } from '../../../io/aside/task.ts';
import { highestEnergy, lowestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { slowing } from './bins-per-step.ts';
import type { TransportContext } from './context.ts';
import { rangeStraggling_mm } from './straggling.ts';

type RangeKind = TransportWithConstants['beam']['range_is'];

export interface AskedRange {
  readonly range_mm: number;
  readonly range_is: RangeKind;
  readonly energy_sigma_MeV: number;
  readonly physics: TransportWithConstants['physics'];
}

/** Tables from which energies are computed. */
type RangeContext = Pick<TransportContext, 'water' | 'materials' | 'rangeTable'>;

/** Standard deviations about the mean range in which the dose is looked at, and points in one of them. */
const REACH = 5;
const POINTS = 40;
/** Newton's steps to a range; the function is nearly a power of the energy. */
const STEPS = 8;
/** Rounds between offset and energy: the first guess is within a percent. */
const ROUNDS = 3;
/** Depths at which the dose is looked at: so many in a standard deviation, from REACH in front to REACH behind. */
const DEPTHS = 10;
/** Bins of residual range in which protons lose their energy. */
const BINS = 3 * REACH * POINTS;

/** exp(−u²/2) at u = (i + ½) / POINTS less the depth in front, by i and depth; 0 where that is far off. The same for all. */
const weights: readonly Float64Array[] = Array.from({ length: 2 * REACH * DEPTHS + 1 }, (_, k) =>
  Float64Array.from({ length: BINS }, (__, i) => {
    const off = (i + 0.5) / POINTS - (REACH - k / DEPTHS);
    return Math.abs(off) < 2 * REACH ? Math.exp(-0.5 * off * off) : 0;
  }),
);

/** Enough for the checks to see that a range lies beyond the table. */
const BEYOND = 1.001;

/** Energy with this CSDA range in water, mm; the table's ends where it lies outside. */
function energyOfRange(context: RangeContext, range_mm: number): number {
  const { water, rangeTable } = context;
  const [lowest, highest] = [lowestEnergy(water), highestEnergy(water)];
  let energy = 10 * (range_mm / 1.23) ** 0.565;
  for (let step = 0; step < STEPS; step += 1) {
    energy = Math.min(highest, Math.max(lowest, energy));
    const at = stoppingAt(rangeTable, water, energy);
    // On logarithms, where range against energy is nearly straight: it cannot step below zero.
    energy *= Math.exp((Math.log(range_mm / (at.range * 10)) * at.range * at.stopping) / energy);
  }
  return Math.min(highest, Math.max(lowest, energy));
}

/** Mean way more than the depth, mm, of protons that stop in water. */
function detour_mm(context: RangeContext, energy_MeV: number): number {
  const { range_mm, angle } = slowing(energy_MeV, context);
  let sum = 0;
  for (let i = 1; i < range_mm.length; i += 1) {
    const middle = ((angle[i] ?? 0) ** 2 + (angle[i - 1] ?? 0) ** 2) / 2;
    sum += 0.5 * middle * ((range_mm[i] ?? 0) - (range_mm[i - 1] ?? 0));
  }
  return sum;
}

/** Energy left (MeV) at a residual range (mm), for the ranges that a beam of the spread `sigma` meets. */
function energyLeft(context: RangeContext, sigma_mm: number): (range_mm: number) => number {
  const most_mm = 4 * REACH * sigma_mm;
  const top = energyOfRange(context, most_mm);
  const { range_mm, energies_MeV } = slowing(top, context);
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
 * By how much the mean range lies behind the depth where the dose has fallen to `share`, mm; for ranges with the
 * standard deviation `sigma_mm`; without scattering.
 */
function behindFalloff_mm(context: RangeContext, sigma_mm: number, share: number): number {
  const left = energyLeft(context, sigma_mm);
  const step = sigma_mm / POINTS;
  const lost = new Float64Array(BINS);
  for (let i = 0, before = left(0); i < BINS; i += 1) {
    const next = left((i + 1) * step);
    lost[i] = next - before;
    before = next;
  }
  // Dose at a depth `before` in front of the mean range: what protons with residual ranges about it lose.
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

/** The energy (MeV) of a beam with that range in water; beyond the end of the table, where the range is. */
function energyFromRange(asked: AskedRange, context: RangeContext): number {
  const highest = highestEnergy(context.water);
  if (asked.range_mm > stoppingAt(context.rangeTable, context.water, highest).range * 10) return BEYOND * highest;
  let energy = energyOfRange(context, asked.range_mm);
  if (asked.range_is === 'csda') return energy;
  const share = asked.range_is === 'r80' ? 0.8 : 0.9;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { range, stopping } = stoppingAt(context.rangeTable, context.water, energy);
    const straggling = asked.physics.straggling === 'off' ? 0 : rangeStraggling_mm(range * 10);
    const sigma = Math.hypot(straggling, (asked.energy_sigma_MeV * 10) / stopping);
    const offset = sigma > 0 ? behindFalloff_mm(context, sigma, share) : 0;
    const detour = asked.physics.scattering === 'off' ? 0 : detour_mm(context, energy);
    // If reactions are followed, paths are three-dimensional: the detour counts in both planes.
    const planes = asked.physics.nuclear === 'icru63' ? 2 : 1;
    energy = energyOfRange(context, asked.range_mm + offset + planes * detour);
  }
  return energy;
}

/** Each energy needs milliseconds, so larger numbers are computed on a worker thread. */
const FEW = 4;

interface Several extends Pick<TransportContext, 'water' | 'materials'> {
  readonly asked: readonly AskedRange[];
}

const findAside = aside('find energies of ranges', ({ asked, ...tables }: Several) => {
  const { rangeTable } = loadAddon();
  return asked.map((one) => energyFromRange(one, { ...tables, rangeTable }));
});

/** The energies of several; a file may give each of ten thousand spots a range of its own. */
export async function energiesFromRanges(
  asked: readonly AskedRange[],
  context: RangeContext,
): Promise<readonly number[]> {
  const { water, materials } = context;
  if (asked.length > FEW) return findAside({ asked, water, materials });
  return asked.map((one) => energyFromRange(one, context));
}
