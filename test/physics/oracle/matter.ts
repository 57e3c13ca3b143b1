/**
 * Protons in matter: stopping power and range (NIST PSTAR tables of assets/materials), Bohr's straggling, Gottschalk's
 * scattering power (arXiv 0908.1413). Written for the tests alone; the product's code is not used.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ASSETS = path.resolve(import.meta.dirname, '../../../assets/materials');
const PROTON_MASS_MEV = 938.272;
/** 4π N_A r_e² (m_e c²)² per (Z/A), MeV² cm²/g. */
const BOHR = 0.1569;
const SCATTERING_ENERGY_MEV = 15;
/** Mesh points of the logarithmic axes; linear between them errs by less than 1e-6. */
const MESH = 8192;
const HIGHEST_MEV = 400;

/** Momentum times velocity, MeV. */
const pv = (energy_MeV: number): number =>
  (energy_MeV * (energy_MeV + 2 * PROTON_MASS_MEV)) / (energy_MeV + PROTON_MASS_MEV);

/** Values on equal steps of ln x, linear between them. */
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

/** One material; lengths in mm of it. */
export class Matter {
  readonly density_g_cm3: number;
  /** CSDA range, mm. */
  readonly range: (energy_MeV: number) => number;
  /** Energy of a proton that has this range, MeV; 0 for none. */
  readonly energyAt: (range_mm: number) => number;
  /** MeV/mm. */
  readonly stopping: (energy_MeV: number) => number;
  /** Variance of the energy gained on the way, MeV²/mm. */
  readonly straggling: (energy_MeV: number) => number;
  /** Scattering power but for the correction, rad²/mm. */
  readonly rossi: (energy_MeV: number) => number;
  /** Energy of the table's first entry, MeV: below it S is taken from there. */
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
    // Below the first entry the range is short and linear in energy is good enough: 1.6 µm of water.
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
export function correction(entrance_MeV: number): (energy_MeV: number) => number {
  const entrance = pv(entrance_MeV);
  return (energy) => {
    const here = pv(energy);
    const loss = 1 - (here / entrance) ** 2;
    if (loss <= 0) return 0;
    const [lgLoss, lgPv] = [Math.log10(loss), Math.log10(here)];
    return Math.max(0, 0.5244 + 0.1975 * lgLoss + 0.232 * lgPv - 0.0098 * lgPv * lgLoss);
  };
}

const known = new Map<string, Matter>();

export function matter(name: string): Matter {
  const found = known.get(name) ?? new Matter(name);
  known.set(name, found);
  return found;
}
