/**
 * Plane-model Monte Carlo of a proton beam: position (z, x), plane angle and energy of each proton, with exact borders
 * of regions, Bohr's straggling, Gottschalk's scattering power, no nuclear reactions. Each step is half of the
 * scattering, a straight path, and the other half: second order in the step. Seeded random numbers, equal on every
 * machine. Protons in matter: stopping power and range (NIST PSTAR tables of assets/materials), Bohr's straggling,
 * Gottschalk's scattering power (arXiv 0908.1413). Written only for the tests, without the product's code.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ASSETS = path.resolve(import.meta.dirname, '../../../assets/materials');
const PROTON_MASS_MEV = 938.272;
/** 4π N_A r_e² (m_e c²)² per (Z/A), MeV² cm²/g. */
const BOHR = 0.1569;
const SCATTERING_ENERGY_MEV = 15;
/** Mesh points of the logarithmic axes, for an error below 1e-6 by linear interpolation. */
const MESH = 8192;
const HIGHEST_MEV = 400;

/** Momentum times velocity (pv), MeV. */
const pv = (energy_MeV: number): number =>
  (energy_MeV * (energy_MeV + 2 * PROTON_MASS_MEV)) / (energy_MeV + PROTON_MASS_MEV);

/** Values at equal steps of ln x, with linear interpolation. */
class LogMesh {
  private readonly low: number;
  private readonly scale: number;
  private readonly values: Float64Array;

  constructor(low: number, high: number, value: (x: number) => number) {
    this.low = Math.log(low);
    this.scale = MESH / (Math.log(high) - this.low);
    this.values = Float64Array.from({ length: MESH + 1 }, (_, i) => value(Math.exp(this.low + i / this.scale)));
  }

  at(x: number): number {
    const place = Math.min(MESH - 1e-9, Math.max(0, (Math.log(x) - this.low) * this.scale));
    const i = Math.floor(place);
    const below = this.values[i] ?? 0;
    return below + (place - i) * ((this.values[i + 1] ?? 0) - below);
  }
}

/** Natural cubic spline through (x, y). */
function spline(x: readonly number[], y: readonly number[]): (at: number) => number {
  const n = x.length;
  const second = new Float64Array(n);
  const upper = new Float64Array(n);
  const X = (i: number): number => x[i] ?? 0;
  const Y = (i: number): number => y[i] ?? 0;
  for (let i = 1; i < n - 1; i += 1) {
    const share = (X(i) - X(i - 1)) / (X(i + 1) - X(i - 1));
    const pivot = share * (second[i - 1] ?? 0) + 2;
    second[i] = (share - 1) / pivot;
    const slopes = (Y(i + 1) - Y(i)) / (X(i + 1) - X(i)) - (Y(i) - Y(i - 1)) / (X(i) - X(i - 1));
    upper[i] = ((6 * slopes) / (X(i + 1) - X(i - 1)) - share * (upper[i - 1] ?? 0)) / pivot;
  }
  second[n - 1] = 0;
  for (let i = n - 2; i >= 0; i -= 1) second[i] = (second[i] ?? 0) * (second[i + 1] ?? 0) + (upper[i] ?? 0);
  return (at) => {
    let i = x.findIndex((one) => one > at) - 1;
    if (i < 0) i = at < X(0) ? 0 : n - 2;
    const width = X(i + 1) - X(i);
    const b = (at - X(i)) / width;
    const a = 1 - b;
    const bend = (a ** 3 - a) * (second[i] ?? 0) + (b ** 3 - b) * (second[i + 1] ?? 0);
    return a * Y(i) + b * Y(i + 1) + (bend * width * width) / 6;
  };
}

interface Constants {
  readonly density_g_cm3: number;
  readonly z_over_a: number;
  readonly scattering_length_g_cm2: number;
}

/** One material, with lengths in mm. */
class Matter {
  readonly density_g_cm3: number;
  /** CSDA range, mm. */
  readonly range: (energy_MeV: number) => number;
  /** Energy of a proton with this range, MeV; 0 for a range of zero. */
  readonly energyAt: (range_mm: number) => number;
  /** MeV/mm. */
  readonly stopping: (energy_MeV: number) => number;
  /** Variance of the energy per path length, MeV²/mm. */
  readonly straggling: (energy_MeV: number) => number;
  /** Scattering power without the correction, rad²/mm. */
  readonly rossi: (energy_MeV: number) => number;
  /** Energy of the table's first entry, MeV, whose S is used below it. */
  readonly lowest_MeV: number;

  constructor(name: string) {
    const constants = JSON.parse(readFileSync(path.join(ASSETS, `${name}.json`), 'utf8')) as Constants;
    const rows = readFileSync(path.join(ASSETS, `stopping/${name}-icru49.csv`), 'utf8')
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map((line) => line.split(',').map(Number));
    const energies = rows.map((row) => row[0] ?? 0);
    const lowest = energies[0] ?? 0;
    const logStopping = spline(
      energies.map(Math.log),
      rows.map((row) => Math.log(row[1] ?? 0)),
    );
    this.density_g_cm3 = constants.density_g_cm3;
    this.lowest_MeV = lowest;
    const perMm = 0.1 * constants.density_g_cm3;
    const stopping = (energy: number): number => Math.exp(logStopping(Math.log(energy))) * perMm;
    // The published range below the first entry, then the integral of 1/S by Simpson's rule in ln T.
    const step = Math.log(HIGHEST_MEV / lowest) / MESH;
    const ranges = new Float64Array(MESH + 1);
    ranges[0] = (rows[0]?.[2] ?? 0) / perMm;
    const integrand = (i: number): number => {
      const energy = lowest * Math.exp(i * step);
      return energy / stopping(energy);
    };
    for (let i = 0; i < MESH; i += 1) {
      ranges[i + 1] = (ranges[i] ?? 0) + (step / 6) * (integrand(i) + 4 * integrand(i + 0.5) + integrand(i + 1));
    }
    let entry = 0;
    const first = ranges[0] ?? 0;
    const energyAt = new LogMesh(first, ranges[MESH] ?? 1, (range) => {
      while (entry < MESH - 1 && (ranges[entry + 1] ?? 0) < range) entry += 1;
      const share = (range - (ranges[entry] ?? 0)) / ((ranges[entry + 1] ?? 0) - (ranges[entry] ?? 0));
      return lowest * Math.exp((entry + share) * step);
    });
    const range = new LogMesh(lowest, HIGHEST_MEV, (energy) => {
      const at = Math.min(MESH - 1e-9, Math.max(0, Math.log(energy / lowest) / step));
      const i = Math.floor(at);
      return (ranges[i] ?? 0) + (at - i) * ((ranges[i + 1] ?? 0) - (ranges[i] ?? 0));
    });
    const mesh = (value: (energy: number) => number): ((energy: number) => number) => {
      const table = new LogMesh(lowest, HIGHEST_MEV, value);
      return (energy) => table.at(energy);
    };
    // Below the first entry the range is so short, 1.6 µm of water, that a linear approximation suffices.
    this.range = (energy) => (energy < lowest ? (first * energy) / lowest : range.at(energy));
    this.energyAt = (mm) => (mm <= 0 ? 0 : mm < first ? (lowest * mm) / first : energyAt.at(mm));
    this.stopping = mesh(stopping);
    this.straggling = mesh((energy) => {
      const gamma = 1 + energy / PROTON_MASS_MEV;
      const beta2 = 1 - 1 / (gamma * gamma);
      return BOHR * constants.z_over_a * gamma * gamma * (1 - beta2 / 2) * perMm;
    });
    this.rossi = mesh(
      (energy) => ((SCATTERING_ENERGY_MEV / pv(energy)) ** 2 / constants.scattering_length_g_cm2) * perMm,
    );
  }
}

/** Gottschalk's nonlocal correction for a beam that entered with `entrance_MeV`, eq. 15; not below 0. */
function correction(entrance_MeV: number): (energy_MeV: number) => number {
  const entrance = pv(entrance_MeV);
  return (energy) => {
    const here = pv(energy);
    const loss = 1 - (here / entrance) ** 2;
    if (loss <= 0) return 0;
    const [lgLoss, lgPv] = [Math.log10(loss), Math.log10(here)];
    return Math.max(0, 0.5244 + 0.1975 * lgLoss + 0.232 * lgPv - 0.0098 * lgPv * lgLoss);
  };
}

const cachedMatter = new Map<string, Matter>();

export function matter(name: string): Matter {
  const found = cachedMatter.get(name) ?? new Matter(name);
  cachedMatter.set(name, found);
  return found;
}

interface Random {
  /** Uniform deviate in (0, 1). */
  readonly uniform: () => number;
  /** Normal deviate with mean 0 and variance 1. */
  readonly normal: () => number;
}

/** Generator sfc32 (C. Doty-Humphrey, PractRand), and normal deviates by Marsaglia's polar method. */
function random(seed: number): Random {
  let [a, b, c, counter] = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88, 1];
  const bits = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 20; i += 1) bits();
  const uniform = (): number => (bits() + 0.5) / 4294967296;
  let spare: number | null = null;
  const normal = (): number => {
    if (spare !== null) {
      const kept = spare;
      spare = null;
      return kept;
    }
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const square = u * u + v * v;
      if (square >= 1 || square === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      spare = v * scale;
      return u * scale;
    }
  };
  return { uniform, normal };
}

interface Region {
  readonly material: string;
  readonly x_mm: readonly [number, number];
  readonly z_mm: readonly [number, number];
}

interface Beam {
  readonly energy_MeV: number;
  /** Angle from +z. */
  readonly angle_deg: number;
  readonly x_mm: number;
  /** Width along the entry plane z = 0. */
  readonly x_sigma_mm: number;
}

export interface Setup {
  readonly beam: Beam;
  readonly background: string;
  /** If regions overlap, the last one counts. */
  readonly regions: readonly Region[];
  /** The box in x; z runs from 0. A proton that leaves the box is lost. */
  readonly box_x_mm: readonly [number, number];
  readonly scattering: boolean;
}

/** Scoring of energy: bins along the axis, and columns of x along z. */
interface Bins {
  readonly width_mm: number;
  readonly count: number;
  readonly columns: readonly (readonly [number, number])[];
  /** Depths z at which the beam's cross section is scored, mm. */
  readonly planes_mm: readonly number[];
}

/** Sums over the protons that cross a plane forwards: number, x, x², angle, angle². */
type Crossing = Record<'n' | 'x' | 'xx' | 'angle' | 'angle2', number>;

/** Sums over protons. */
export interface Scores {
  protons: number;
  /** MeV per bin of the path along the beam's axis. */
  readonly along: Float64Array;
  /** MeV per bin of z. */
  readonly depth: Float64Array;
  /** MeV per bin of z, for each column. */
  readonly columns: readonly Float64Array[];
  readonly planes: readonly Crossing[];
  deposited_MeV: number;
  stopped: number;
  /** Sum of the paths along the axis at which protons stop, mm. */
  stop_along_mm: number;
}

export function zeroScores(bins: Bins): Scores {
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

/** Longest step as a fraction of the beam's range in water, and of the residual range. */
const SHARE_OF_RANGE = 1 / 150;
const SHARE_OF_REST = 0.06;
/** A proton with a residual range below this, mm, stops. */
const END_MM = 0.003;
/** Distance beyond a border at which the next step starts, mm. */
const BORDER_OVERSHOOT_MM = 1e-7;

/** Adds `energy` evenly to the bins between two positions. */
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

/** Transports `protons` protons and returns their sums. */
export function transportProtons(setup: Setup, bins: Bins, protons: number, seed: number): Scores {
  const { beam, regions } = setup;
  const scores = zeroScores(bins);
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
  /** Distance to the next border of a region or of the box. */
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
      const [nudgeZ, nudgeX] = [z + BORDER_OVERSHOOT_MM * Math.cos(angle), x + BORDER_OVERSHOOT_MM * Math.sin(angle)];
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
      way = Math.min(way, BORDER_OVERSHOOT_MM + toBorder(nudgeZ, nudgeX, Math.cos(angle), Math.sin(angle)));
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
      way = Math.min(way, BORDER_OVERSHOOT_MM + toBorder(nudgeZ, nudgeX, cosine, sine));
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
