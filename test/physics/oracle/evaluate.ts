/**
 * The quantities of a case, with statistical errors for Monte Carlo cases. Peak and distal positions of a noisy
 * depth-dose curve: least-squares polynomials around them. Depth dose of a beam in water without angles, by quadrature:
 * the distribution of the residual range is stepped along depth, on bins so fine that their width does not matter. An
 * energy spread is a Gaussian in energy. Energy has drift -S and variance B per length, so residual range r has drift
 * -1 - S' B / (2 S²) and variance B / S². Cases of the oracle.
 */
import { matter, type Scores, type Setup, transportProtons, zeroScores } from './protons.ts';

interface ProtonCase {
  readonly name: string;
  readonly setup: Setup;
  /** Approximate standard deviation of the stopping depth in mm, which determines the widths of bins and fits. */
  readonly scale_mm: number;
  /** End of the bins, mm. */
  readonly reach_mm: number;
  /** Depth, mm, beyond which the peak is searched. */
  readonly peak_from_mm: number;
  readonly columns: readonly (readonly [number, number])[];
  readonly planes_mm: readonly number[];
  /** Number of protons relative to other cases. */
  readonly times: number;
}

interface SpreadCase {
  readonly name: string;
  readonly material: string;
  readonly energy_MeV: number;
  readonly sigma_MeV: number;
}

const FULL_WIDTH_MM = [-1000, 1000] as const;

const WATER_MATTER = {
  70: { scale_mm: 0.47, reach_mm: 46, peak_from_mm: 30 },
  90: { scale_mm: 0.71, reach_mm: 70, peak_from_mm: 50 },
  150: { scale_mm: 1.7, reach_mm: 172, peak_from_mm: 120 },
} as const;

type Change = Partial<Omit<Setup, 'beam'>> & Partial<Setup['beam']> & Partial<Omit<ProtonCase, 'name' | 'setup'>>;

function beam(name: string, energy_MeV: keyof typeof WATER_MATTER, change: Change = {}): ProtonCase {
  return {
    name,
    setup: {
      beam: {
        energy_MeV,
        angle_deg: change.angle_deg ?? 0,
        x_mm: change.x_mm ?? 0,
        x_sigma_mm: change.x_sigma_mm ?? 0,
      },
      background: change.background ?? 'water',
      regions: change.regions ?? [],
      box_x_mm: change.box_x_mm ?? FULL_WIDTH_MM,
      scattering: change.scattering ?? true,
    },
    scale_mm: change.scale_mm ?? WATER_MATTER[energy_MeV].scale_mm,
    reach_mm: change.reach_mm ?? WATER_MATTER[energy_MeV].reach_mm,
    peak_from_mm: change.peak_from_mm ?? WATER_MATTER[energy_MeV].peak_from_mm,
    columns: change.columns ?? [],
    planes_mm: change.planes_mm ?? [],
    times: change.times ?? 1,
  };
}

const slab = (material: string, from: number, to: number): Pick<Setup, 'regions'> => ({
  regions: [{ material, x_mm: FULL_WIDTH_MM, z_mm: [from, to] }],
});

const TILTS_DEG = [0, 10, 30, 45] as const;
/** Positions of a beam in a box that ends at 20 mm. */
export const EDGES_MM = [19.9, 19.5, 19, 18] as const;

export const protonCases: readonly ProtonCase[] = [
  ...([90, 150] as const).flatMap((energy) =>
    TILTS_DEG.map((angle_deg) => beam(`tilt-${energy}MeV-${angle_deg}deg`, energy, { angle_deg })),
  ),
  // The front of a wide beam that is given along the entry plane is sheared relative to the beam's axis.
  beam('tilt-90MeV-30deg-wide', 90, { angle_deg: 30, x_sigma_mm: 2, scale_mm: 1.2 }),
  beam('slab-bone-150MeV', 150, { ...slab('bone-compact-icru', 40, 60), planes_mm: [70, 100] }),
  beam('slab-lead-150MeV', 150, { ...slab('lead', 20, 26), reach_mm: 160, peak_from_mm: 80, planes_mm: [30, 60, 90] }),
  beam('thin-lead-70MeV', 70, { ...slab('lead', 10, 10.1), planes_mm: [12, 20, 30] }),
  beam('thin-lead-70MeV-off-planes', 70, { ...slab('lead', 10.07, 10.17), planes_mm: [12, 20, 30] }),
  beam('half-slab-bone-150MeV', 150, {
    regions: [{ material: 'bone-compact-icru', x_mm: [0, 1000], z_mm: [40, 60] }],
    x_sigma_mm: 5,
    columns: [
      [-15, -5],
      [5, 15],
    ],
    planes_mm: [80],
  }),
  beam('lead-150MeV', 150, { background: 'lead', scale_mm: 0.5, reach_mm: 30, peak_from_mm: 18 }),
  // Beams along a side of the box, through which protons leave.
  ...([70, 150] as const).flatMap((energy) =>
    EDGES_MM.map((x_mm) => {
      const times = energy === 150 && x_mm > 19 ? 4 : 1;
      return beam(`edge-${energy}MeV-${x_mm}mm`, energy, { x_mm, x_sigma_mm: 0.4, box_x_mm: [-20, 20], times });
    }),
  ),
];

const spreadCase = (material: string, energy_MeV: number, share: number): SpreadCase => ({
  name: `${material}-${energy_MeV}MeV${share > 0 ? `-spread-${100 * share}%` : ''}`,
  material,
  energy_MeV,
  sigma_MeV: share * energy_MeV,
});

export const spreadCases: readonly SpreadCase[] = [
  ...[30, 65, 70, 90, 110, 150, 210].map((energy) => spreadCase('water', energy, 0)),
  ...[70, 150, 210].flatMap((energy) => [0.005, 0.01, 0.02].map((share) => spreadCase('water', energy, share))),
  spreadCase('pmma', 140, 0),
];

interface Reading {
  readonly peak: number;
  readonly peak_mm: number;
  readonly r80_mm: number;
  readonly w80_20_mm: number;
}

/** Coefficients of the least-squares polynomial of `degree` through the points. */
function fitPolynomial(x: readonly number[], y: readonly number[], degree: number): readonly number[] {
  const n = degree + 1;
  const rows = Array.from({ length: n }, (_, i) => [
    ...Array.from({ length: n }, (_, j) => x.reduce((sum, one) => sum + one ** (i + j), 0)),
    x.reduce((sum, one, k) => sum + one ** i * (y[k] ?? 0), 0),
  ]);
  for (let i = 0; i < n; i += 1) {
    const pivot = rows[i] ?? [];
    for (const [j, row] of rows.entries()) {
      if (j === i) continue;
      const factor = (row[i] ?? 0) / (pivot[i] ?? 1);
      for (let k = i; k <= n; k += 1) row[k] = (row[k] ?? 0) - factor * (pivot[k] ?? 0);
    }
  }
  return rows.map((row, i) => (row[n] ?? 0) / (row[i] ?? 1));
}

/**
 * `values`: dose per length, one per bin of `width`. `scale` is the standard deviation of the stopping depth, mm: the
 * length over which the curve bends. The peak is searched from `from_mm` on.
 */
function readCurve(values: ArrayLike<number>, width: number, scale: number, from_mm = 0): Reading {
  const at = (i: number): number => values[i] ?? 0;
  const centre = (i: number): number => (i + 0.5) * width;
  /** The curve around bin `middle`, as a polynomial of (position - centre) / scale. */
  const local = (middle: number, below: number, above: number, degree: number): ((mm: number) => number) => {
    const [x, y]: [number[], number[]] = [[], []];
    for (
      let i = middle - Math.round((below * scale) / width);
      i <= middle + Math.round((above * scale) / width);
      i += 1
    ) {
      x.push((centre(i) - centre(middle)) / scale);
      y.push(at(i));
    }
    const c = fitPolynomial(x, y, degree);
    return (mm) => c.reduceRight((sum, one) => sum * ((mm - centre(middle)) / scale) + one, 0);
  };
  let top = 0;
  // A running mean finds the region of the peak, the fit its height.
  const span = Math.max(1, Math.round((0.25 * scale) / width));
  let highest = 0;
  for (let i = span + Math.floor(Math.max(0, from_mm) / width); i < values.length - span - 2; i += 1) {
    let sum = 0;
    for (let k = -span; k <= span; k += 1) sum += at(i + k);
    if (sum > highest) [highest, top] = [sum, i];
  }
  const cap = local(top, 1.1, 0.9, 5);
  let [peak, peak_mm] = [0, 0];
  for (let k = -500; k <= 500; k += 1) {
    const mm = centre(top) + (k / 1000) * scale;
    if (cap(mm) > peak) [peak, peak_mm] = [cap(mm), mm];
  }
  const falls = (level: number): number => {
    let i = top;
    const mean = (k: number): number => {
      let sum = 0;
      for (let j = -span; j <= span; j += 1) sum += at(k + j);
      return sum / (2 * span + 1);
    };
    while (i < values.length - span - 2 && mean(i) > level) i += 1;
    const flank = local(i, 0.5, 0.5, 3);
    let [low, high] = [centre(i) - 0.5 * scale, centre(i) + 0.5 * scale];
    for (let k = 0; k < 50; k += 1) {
      const middle = (low + high) / 2;
      if (flank(middle) > level) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const r80 = falls(0.8 * peak);
  return { peak, peak_mm, r80_mm: r80, w80_20_mm: falls(0.2 * peak) - r80 };
}

interface SpreadResult extends Reading {
  readonly peak_to_entrance: number;
  /** Mean depth at which protons stop, mm. */
  readonly mean_range_mm: number;
}

const SIGMAS = 6;
/** Variance of a step of one bin, in bins²; with this value the weights to both sides are positive. */
const VARIANCE_PER_BIN = 0.7;
const GAUSS = [
  [0.1127016653792583, 5 / 18],
  [0.5, 8 / 18],
  [0.8872983346207417, 5 / 18],
] as const;

/** `coarse`: width of bins relative to the narrowest ones whose weights are all positive. */
function solveSpread(material: string, energy_MeV: number, sigma_MeV: number, coarse = 1): SpreadResult {
  const medium = matter(material);
  const S = medium.stopping;
  const variance = (energy: number): number => medium.straggling(energy) / S(energy) ** 2;
  const top = energy_MeV + SIGMAS * sigma_MeV;
  const start = medium.range(energy_MeV);
  // A whole number of bins up to the range of the mean energy: without a spread the beam then starts at the centre of a
  // bin.
  const wanted = (variance(top) / VARIANCE_PER_BIN) * coarse;
  const bins = Math.ceil(start / wanted - 0.5);
  const h = start / (bins + 0.5);
  const size = Math.ceil(medium.range(top) / h) + 20;
  const centre = (i: number): number => (i + 0.5) * h;
  /** Mean energy of each bin, because near zero the energy is approximately a root of the range. */
  const held = Float64Array.from({ length: size }, (_, i) =>
    GAUSS.reduce((sum, [node, weight]) => sum + weight * medium.energyAt((i + node) * h), 0),
  );
  const [up, down] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < size; i += 1) {
    const energy = medium.energyAt(centre(i));
    if (energy <= medium.lowest_MeV) continue;
    const slope = (S(energy * 1.001) - S(energy * 0.999)) / (0.002 * energy);
    // Mean and second moment in bins and bins², for a step of one bin.
    const mean = (-slope * medium.straggling(energy)) / (2 * S(energy) ** 2);
    const second = variance(energy) / h + mean * mean;
    up[i] = Math.max(0, (second + mean) / 2);
    down[i] = Math.max(0, (second - mean) / 2);
  }
  let now = new Float64Array(size);
  if (sigma_MeV > 0) {
    let sum = 0;
    for (let i = 0; i < size; i += 1) {
      const energy = medium.energyAt(centre(i));
      const off = (energy - energy_MeV) / sigma_MeV;
      if (Math.abs(off) < SIGMAS) now[i] = Math.exp((-off * off) / 2) * S(energy);
      sum += now[i] ?? 0;
    }
    now = now.map((one) => one / sum);
  } else {
    now[bins] = 1;
  }
  let entrance = 0;
  for (let i = 0; i < size; i += 1) entrance += (now[i] ?? 0) * S(medium.energyAt(centre(i)));
  const dose: number[] = [];
  let [stopDepth, stopDepth2] = [0, 0];
  for (let step = 0; step < size + 200; step += 1) {
    // Moves down by one bin, then spreads to both sides: content of bin 0 stops within the step.
    const next = new Float64Array(size);
    let [lost, stopped] = [0, now[0] ?? 0];
    for (let i = 0; i < size; i += 1) lost += (now[i] ?? 0) * (held[i] ?? 0);
    for (let i = 1; i < size; i += 1) {
      const number = now[i] ?? 0;
      if (number === 0) continue;
      const to = i - 1;
      const [u, d] = [number * (up[to] ?? 0), number * (down[to] ?? 0)];
      next[to] = (next[to] ?? 0) + number - u - d;
      next[to + 1] = (next[to + 1] ?? 0) + u;
      if (to > 0) next[to - 1] = (next[to - 1] ?? 0) + d;
      else stopped += d;
    }
    for (let i = 0; i < size; i += 1) lost -= (next[i] ?? 0) * (held[i] ?? 0);
    dose.push(lost / h);
    const depth = (step + 0.5) * h;
    stopDepth += stopped * depth;
    stopDepth2 += stopped * depth * depth;
    now = next;
  }
  const reading = readCurve(dose, h, Math.sqrt(stopDepth2 - stopDepth * stopDepth));
  return { ...reading, peak_to_entrance: reading.peak / entrance, mean_range_mm: stopDepth };
}

/** Values by name; the names include the units. */
export type Values = Readonly<Record<string, number>>;
interface MonteCarloValues {
  readonly value: Values;
  /** Standard deviation of each value. */
  readonly error: Values;
}

const BATCHES = 20;
/** Bins per standard deviation of the stopping depth. */
const BINS_PER_SCALE = 16;

function quantities(one: ProtonCase, width: number, sums: Scores): Values {
  const { scale_mm, peak_from_mm, setup } = one;
  const perLength = (energies: Float64Array): readonly number[] =>
    Array.from(energies, (energy) => energy / sums.protons / width);
  const cosine = Math.cos((setup.beam.angle_deg * Math.PI) / 180);
  const along = readCurve(perLength(sums.along), width, scale_mm, peak_from_mm);
  const depth = readCurve(perLength(sums.depth), width, scale_mm * cosine, peak_from_mm * cosine);
  const entrance = matter(setup.background).stopping(setup.beam.energy_MeV);
  const planes = sums.planes.flatMap((sum, i): readonly (readonly [string, number])[] => {
    const root = (first: number, second: number): number => Math.sqrt(second / sum.n - (first / sum.n) ** 2);
    const at = `at_${one.planes_mm[i]}_mm`;
    return [
      [`sigma_x_${at}`, root(sum.x, sum.xx)],
      [`theta_rms_mrad_${at}`, 1000 * root(sum.angle, sum.angle2)],
    ];
  });
  const columns = sums.columns.map((column, i): readonly [string, number] => {
    const [from, to] = one.columns[i] ?? [0, 0];
    return [`r80_mm_x_from_${from}_to_${to}`, readCurve(perLength(column), width, scale_mm, peak_from_mm).r80_mm];
  });
  return {
    deposited_MeV: sums.deposited_MeV / sums.protons,
    mean_range_mm: sums.stop_along_mm / sums.stopped,
    r80_mm: along.r80_mm,
    w80_20_mm: along.w80_20_mm,
    peak_to_entrance: along.peak / entrance,
    ...(setup.beam.angle_deg === 0 ? {} : { r80_depth_mm: depth.r80_mm, w80_20_depth_mm: depth.w80_20_mm }),
    ...Object.fromEntries([...planes, ...columns]),
  };
}

function addScores(batches: readonly Scores[], bins: Parameters<typeof zeroScores>[0]): Scores {
  const all = zeroScores(bins);
  const into = (to: Float64Array, from: Float64Array): void => {
    for (const [i, value] of from.entries()) to[i] = (to[i] ?? 0) + value;
  };
  for (const batch of batches) {
    for (const key of ['protons', 'deposited_MeV', 'stopped', 'stop_along_mm'] as const) all[key] += batch[key];
    into(all.along, batch.along);
    into(all.depth, batch.depth);
    for (const [i, column] of batch.columns.entries()) into(all.columns[i] ?? new Float64Array(), column);
    for (const [i, plane] of batch.planes.entries()) {
      const sum = all.planes[i];
      if (sum) for (const key of ['n', 'x', 'xx', 'angle', 'angle2'] as const) sum[key] += plane[key];
    }
  }
  return all;
}

/** Values by Monte Carlo, in batches with different seeds; errors by leaving out each batch in turn (jackknife). */
export function simulateCase(one: ProtonCase, protons: number, seed: number): MonteCarloValues {
  const width_mm = one.scale_mm / BINS_PER_SCALE;
  const bins = {
    width_mm,
    count: Math.ceil(one.reach_mm / width_mm),
    columns: one.columns,
    planes_mm: one.planes_mm,
  };
  const each = Math.ceil(protons / BATCHES);
  const batches = Array.from({ length: BATCHES }, (_, i) => transportProtons(one.setup, bins, each, seed + i));
  const value = quantities(one, width_mm, addScores(batches, bins));
  const without = batches.map((left) =>
    quantities(
      one,
      width_mm,
      addScores(
        batches.filter((batch) => batch !== left),
        bins,
      ),
    ),
  );
  const error = Object.keys(value).map((key) => {
    const each = without.map((values) => values[key] ?? 0);
    const mean = each.reduce((sum, next) => sum + next, 0) / BATCHES;
    const square = each.reduce((sum, next) => sum + (next - mean) ** 2, 0);
    return [key, Math.sqrt((square * (BATCHES - 1)) / BATCHES)] as const;
  });
  return { value, error: Object.fromEntries(error) };
}

/** Values by quadrature, without angles. */
export function integrateCase(one: SpreadCase, coarse = 1): Values {
  const { r80_mm, w80_20_mm, peak_to_entrance, mean_range_mm } = solveSpread(
    one.material,
    one.energy_MeV,
    one.sigma_MeV,
    coarse,
  );
  return { mean_range_mm, r80_mm, w80_20_mm, peak_to_entrance };
}
