/** The quantities of a case, with the statistical error of those that are drawn. */
import type { ProtonCase, SpreadCase } from './cases.ts';
import { matter } from './matter.ts';
import { follow, noScores, type Scores } from './protons.ts';
import { read } from './read-curve.ts';
import { spread } from './spread.ts';

/** Value by name; units are in the names. */
export type Values = Readonly<Record<string, number>>;
interface Drawn {
  readonly value: Values;
  /** Standard deviation of each. */
  readonly error: Values;
}

const BATCHES = 20;
/** Bins of a standard deviation of the stopping depth. */
const BINS_PER_SCALE = 16;

function quantities(one: ProtonCase, width: number, sums: Scores): Values {
  const { scale_mm, peak_from_mm, setup } = one;
  const perLength = (energies: Float64Array): readonly number[] =>
    Array.from(energies, (energy) => energy / sums.protons / width);
  const cosine = Math.cos((setup.beam.angle_deg * Math.PI) / 180);
  const along = read(perLength(sums.along), width, scale_mm, peak_from_mm);
  const depth = read(perLength(sums.depth), width, scale_mm * cosine, peak_from_mm * cosine);
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
    return [`r80_mm_x_from_${from}_to_${to}`, read(perLength(column), width, scale_mm, peak_from_mm).r80_mm];
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

function added(batches: readonly Scores[], bins: Parameters<typeof noScores>[0]): Scores {
  const all = noScores(bins);
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

/** By Monte Carlo, in batches with seeds of their own; errors by leaving out each batch in turn (jackknife). */
export function drawn(one: ProtonCase, protons: number, seed: number): Drawn {
  const width_mm = one.scale_mm / BINS_PER_SCALE;
  const bins = {
    width_mm,
    count: Math.ceil(one.reach_mm / width_mm),
    columns: one.columns,
    planes_mm: one.planes_mm,
  };
  const each = Math.ceil(protons / BATCHES);
  const batches = Array.from({ length: BATCHES }, (_, i) => follow(one.setup, bins, each, seed + i));
  const value = quantities(one, width_mm, added(batches, bins));
  const without = batches.map((left) =>
    quantities(
      one,
      width_mm,
      added(
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

/** By quadrature, without angles. */
export function integrated(one: SpreadCase, coarse = 1): Values {
  const { r80_mm, w80_20_mm, peak_to_entrance, mean_range_mm } = spread(
    one.material,
    one.energy_MeV,
    one.sigma_MeV,
    coarse,
  );
  return { mean_range_mm, r80_mm, w80_20_mm, peak_to_entrance };
}
