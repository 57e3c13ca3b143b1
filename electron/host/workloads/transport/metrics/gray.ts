/** Computes the dose in Gy per 10⁹ protons from the energy in the plane and the beam's width along y. */
import type { Curve } from '../../../../contract/fields.ts';
import type { RunData } from '../run-data.ts';
import type { YKind } from './across-y.ts';

/**
 * Dose in nGy of 1 MeV in 1 mm³ with 1 g/cm³, as in dose-per-mass.ts. For 10⁹ protons the number is the same in Gy.
 */
const GRAY = 160.2176634;

/** Share of the protons per mm of y, at a distance `y_mm` from the axis. */
const gaussian = (sigma_mm: number, y_mm: number): number =>
  Math.exp(-0.5 * (y_mm / sigma_mm) ** 2) / (Math.sqrt(2 * Math.PI) * sigma_mm);

/** The parts of a run that are needed for the dose in Gy. */
export type GrayRun = Pick<RunData, 'acrossY' | 'axes' | 'beam' | 'dose'>;

/** Share of the dose of a cell per mm of y. */
type RowShares = (row: number, x: number) => number;

/** Distance in standard deviations beyond which a spot does not contribute to a column. */
const REACH = 8;

/** Relative share of one kind of spots in the column at `at_mm`, by Gaussians in the plane. */
function columnShare({ sigma_x_mm, x_mm, weight }: YKind, all: number, row: number, at_mm: number): number {
  const sigma = Math.max(sigma_x_mm[row] ?? 1, 1e-6);
  let sum = 0;
  for (let i = 0; i < x_mm.length; i += 1) {
    const away = ((x_mm[i] ?? 0) - at_mm) / sigma;
    if (Math.abs(away) < REACH) sum += (weight[i] ?? 0) * Math.exp(-0.5 * away * away);
  }
  return sum / (sigma * all);
}

/**
 * Means over the kinds of spots, weighted by their dose in the cell. If no spot reaches the cell, they are weighted by
 * their dose in the row.
 */
function sharesOfKinds(kinds: readonly YKind[], { nx, dx_mm }: GrayRun['axes'], y_mm: number): RowShares {
  const weights = kinds.map(({ weight }) => weight.reduce((a, b) => a + b, 0));
  return (row, x) => {
    const at_mm = (x + 0.5 - nx / 2) * dx_mm;
    let [sum, all, rowSum, rowAll] = [0, 0, 0, 0];
    for (const [i, kind] of kinds.entries()) {
      const deposited = kind.depth_dose[row] ?? 0;
      const share = gaussian(kind.sigma_y_mm[row] ?? 1, y_mm);
      const part = deposited * columnShare(kind, weights[i] ?? 1, row, at_mm);
      sum += part * share;
      all += part;
      rowSum += deposited * share;
      rowAll += deposited;
    }
    if (all > 0) return sum / all;
    return rowAll > 0 ? rowSum / rowAll : 0;
  };
}

type Columns = readonly [from: number, to: number];

/**
 * Dose in Gy per 10⁹ protons at a distance `y_mm` from the axis, in rows of z, or the reason why there is none.
 * `columns`: the only columns to compute; others remain 0.
 */
export function grayField(
  run: GrayRun,
  y_mm: number,
  columns: Columns = [0, run.axes.nx],
): { readonly values: Float64Array } | { readonly reason: string } {
  const { acrossY, axes, beam } = run;
  if (acrossY === null) return { reason: 'this run was stored without the width along y' };
  if ('reason' in acrossY) return acrossY;
  const { density_g_cm3, nx, nz, dz_mm, dx_mm } = axes;
  if (density_g_cm3 === null) return { reason: 'this run was stored without the densities of its cells' };
  const { dose } = run;
  const values = new Float64Array(dose.length);
  const factor = GRAY / (dz_mm * dx_mm * beam.weight);
  const shareAt: RowShares =
    'kinds' in acrossY
      ? sharesOfKinds(acrossY.kinds, axes, y_mm)
      : (row) => gaussian(acrossY.sigma_y_mm[row] ?? 1, y_mm);
  for (let z = 0; z < nz; z += 1) {
    for (let x = columns[0]; x < columns[1]; x += 1) {
      const cell = z * nx + x;
      const energy = dose[cell] ?? 0;
      values[cell] = energy === 0 ? 0 : (energy * factor * shareAt(z, x)) / (density_g_cm3[cell] ?? 1);
    }
  }
  return { values };
}

/** Dose on the beam axis, interpolated between the two nearest columns, or the reason why there is none. */
export function grayOnAxis(run: GrayRun): { readonly curve: Curve } | { readonly reason: string } {
  const { nx, nz, dz_mm, dx_mm } = run.axes;
  const place = run.beam.x_mm / dx_mm + nx / 2 - 0.5;
  const low = Math.min(Math.max(Math.floor(place), 0), nx - 2);
  const share = Math.min(Math.max(place - low, 0), 1);
  const field = grayField(run, 0, [Math.max(low, 0), Math.min(low + 2, nx)]);
  if ('reason' in field) return field;
  const rows = Array.from({ length: nz }, (_, row) => row);
  const at = (row: number, column: number): number => field.values[row * nx + column] ?? 0;
  return {
    curve: {
      quantity: 'dose on the axis',
      unit: 'Gy per 10⁹ protons',
      axis: 'depth along the beam axis',
      axisUnit: 'mm',
      positions: Float64Array.from(rows, (row) => (row + 0.5) * dz_mm - run.beam.z_mm),
      values: Float64Array.from(rows, (row) => (1 - share) * at(row, low) + share * at(row, low + 1)),
    },
  };
}
