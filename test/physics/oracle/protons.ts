/**
 * Plane-model Monte Carlo of a proton beam: position (z, x), plane angle and energy of each proton, with exact borders
 * of regions, Bohr's straggling, Gottschalk's scattering power, no nuclear reactions. Each step is half of the
 * scattering, a straight way, the other half: second order in the step.
 */
import { correction, type Matter, matter } from './matter.ts';
import { random } from './random.ts';

interface Region {
  readonly material: string;
  readonly x_mm: readonly [number, number];
  readonly z_mm: readonly [number, number];
}

interface Beam {
  readonly energy_MeV: number;
  /** From +z. */
  readonly angle_deg: number;
  readonly x_mm: number;
  /** Along the entry plane z = 0. */
  readonly x_sigma_mm: number;
}

export interface Setup {
  readonly beam: Beam;
  readonly background: string;
  /** The last that holds a point counts. */
  readonly regions: readonly Region[];
  /** The box in x; z runs from 0. A proton that leaves is gone. */
  readonly box_x_mm: readonly [number, number];
  readonly scattering: boolean;
}

/** Scoring of energy: bins along the axis, and columns of x along z. */
interface Bins {
  readonly width_mm: number;
  readonly count: number;
  readonly columns: readonly (readonly [number, number])[];
  /** Depths z at which the beam's cross section is looked at, mm. */
  readonly planes_mm: readonly number[];
}

/** Sums over the protons that cross a plane forwards: number, x, x², angle, angle². */
type Crossing = Record<'n' | 'x' | 'xx' | 'angle' | 'angle2', number>;

/** Sums over protons. */
export interface Scores {
  protons: number;
  /** MeV per bin of the way along the beam's axis. */
  readonly along: Float64Array;
  /** The same for z. */
  readonly depth: Float64Array;
  /** MeV per bin of z, for each column. */
  readonly columns: readonly Float64Array[];
  readonly planes: readonly Crossing[];
  deposited_MeV: number;
  stopped: number;
  /** Sum of the way along the axis at which protons stop, mm. */
  stop_along_mm: number;
}

export function noScores(bins: Bins): Scores {
  return {
    protons: 0,
    along: new Float64Array(bins.count + 2),
    depth: new Float64Array(bins.count + 2),
    columns: bins.columns.map(() => new Float64Array(bins.count + 2)),
    planes: bins.planes_mm.map(() => ({ n: 0, x: 0, xx: 0, angle: 0, angle2: 0 })),
    deposited_MeV: 0,
    stopped: 0,
    stop_along_mm: 0,
  };
}

/** Longest step as a share of the beam's range in water, and as a share of what is left of the range. */
const SHARE_OF_RANGE = 1 / 150;
const SHARE_OF_REST = 0.06;
/** A proton with less range than this, mm, ends where it is. */
const END_MM = 0.003;
/** Start of the next step beyond a border, mm. */
const BEYOND = 1e-7;

/** Adds `energy` to the bins between two places, evenly. */
function score(into: Float64Array, from_mm: number, to_mm: number, width_mm: number, energy: number): void {
  const last = into.length - 1;
  const place = (mm: number): number => Math.min(last, Math.max(0, mm / width_mm));
  const [a, b] = from_mm < to_mm ? [place(from_mm), place(to_mm)] : [place(to_mm), place(from_mm)];
  const [first, end] = [Math.floor(a), Math.floor(b)];
  if (first === end) {
    into[first] = (into[first] ?? 0) + energy;
    return;
  }
  const rate = energy / (b - a);
  into[first] = (into[first] ?? 0) + rate * (first + 1 - a);
  for (let i = first + 1; i < end; i += 1) into[i] = (into[i] ?? 0) + rate;
  into[end] = (into[end] ?? 0) + rate * (b - end);
}

/** Follows `protons` protons and returns their sums. */
export function follow(setup: Setup, bins: Bins, protons: number, seed: number): Scores {
  const { beam, regions } = setup;
  const scores = noScores(bins);
  const { normal } = random(seed);
  const background = matter(setup.background);
  const filled = regions.map((region) => ({ ...region, matter: matter(region.material) }));
  const nonlocal = correction(beam.energy_MeV);
  const axis = (beam.angle_deg * Math.PI) / 180;
  const [uz, ux] = [Math.cos(axis), Math.sin(axis)];
  const longest = matter('water').range(beam.energy_MeV) * SHARE_OF_RANGE;
  const [left, right] = setup.box_x_mm;
  const columns = bins.columns.map((range, i) => ({ range, into: scores.columns[i] ?? new Float64Array() }));
  const planes = scores.planes.map((sums, i) => ({ at: bins.planes_mm[i] ?? 0, sums }));

  const matterAt = (z: number, x: number): Matter => {
    let found = background;
    for (const { x_mm, z_mm, matter: here } of filled) {
      if (z >= z_mm[0] && z < z_mm[1] && x >= x_mm[0] && x < x_mm[1]) found = here;
    }
    return found;
  };
  /** Way to the next border of a region or the box. */
  const toBorder = (z: number, x: number, cosine: number, sine: number): number => {
    let way = Number.POSITIVE_INFINITY;
    const cross = (distance: number, speed: number): void => {
      const at = distance / speed;
      if (at > 0 && at < way) way = at;
    };
    for (const { x_mm, z_mm } of filled) {
      for (const border of z_mm) cross(border - z, cosine);
      for (const border of x_mm) cross(border - x, sine);
    }
    cross(left - x, sine);
    cross(right - x, sine);
    cross(-z, cosine);
    return way;
  };

  for (let n = 0; n < protons; n += 1) {
    let [z, energy, angle, pending] = [0, beam.energy_MeV, axis, 0];
    let x = beam.x_mm + (beam.x_sigma_mm > 0 ? beam.x_sigma_mm * normal() : 0);
    scores.protons += 1;
    if (x <= left || x >= right) continue;
    for (;;) {
      const [nudgeZ, nudgeX] = [z + BEYOND * Math.cos(angle), x + BEYOND * Math.sin(angle)];
      if (nudgeZ < 0 || nudgeX <= left || nudgeX >= right) break;
      const here = matterAt(nudgeZ, nudgeX);
      const rest = here.range(energy);
      if (rest <= END_MM) {
        const along = z * uz + (x - beam.x_mm) * ux;
        score(scores.along, along, along, bins.width_mm, energy);
        score(scores.depth, z, z, bins.width_mm, energy);
        for (const { range, into } of columns)
          if (x >= range[0] && x < range[1]) score(into, z, z, bins.width_mm, energy);
        scores.deposited_MeV += energy;
        scores.stopped += 1;
        scores.stop_along_mm += along;
        break;
      }
      let way = Math.min(longest, Math.max(SHARE_OF_REST * rest, END_MM));
      way = Math.min(way, BEYOND + toBorder(nudgeZ, nudgeX, Math.cos(angle), Math.sin(angle)));
      const planned = here.energyAt(rest - way / 2);
      const power = setup.scattering ? here.rossi(planned) * nonlocal(planned) : 0;
      const variance = pending + (power * way) / 2;
      if (variance > 0) {
        angle += Math.sqrt(variance) * normal();
        pending = 0;
      } else {
        pending = variance;
      }
      const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
      const planned_mm = way;
      way = Math.min(way, BEYOND + toBorder(nudgeZ, nudgeX, cosine, sine));
      pending += power * (way - planned_mm / 2);

      const after = here.energyAt(rest - way);
      let next = after;
      if (after > here.lowest_MeV) {
        const middle = here.energyAt(rest - way / 2);
        const stretch = here.stopping(after) / here.stopping(middle);
        next = Math.max(0, after + stretch * Math.sqrt(here.straggling(middle) * way) * normal());
      }
      const [z1, x1] = [z + way * cosine, x + way * sine];
      const lost = energy - next;
      score(scores.along, z * uz + (x - beam.x_mm) * ux, z1 * uz + (x1 - beam.x_mm) * ux, bins.width_mm, lost);
      score(scores.depth, z, z1, bins.width_mm, lost);
      const middle_x = (x + x1) / 2;
      for (const { range, into } of columns) {
        if (middle_x >= range[0] && middle_x < range[1]) score(into, z, z1, bins.width_mm, lost);
      }
      for (const { at, sums } of planes) {
        if (z >= at || z1 < at) continue;
        const there = x + ((x1 - x) * (at - z)) / (z1 - z);
        sums.n += 1;
        sums.x += there;
        sums.xx += there * there;
        sums.angle += angle;
        sums.angle2 += angle * angle;
      }
      scores.deposited_MeV += lost;
      [z, x, energy] = [z1, x1, next];
    }
  }
  return scores;
}
