/** Dose in Gy per 10⁹ protons, from the plane's energy and the width across y. */
import type { Curve } from '../../../../contract/fields.ts';
import type { RunData } from '../run-data.ts';

/** nGy mm³ of 1 MeV in 1 mm³ of 1 g/cm³, as in dose-per-mass.ts; times 10⁹ protons and 10⁻⁹ Gy it is the same number. */
const GRAY = 160.2176634;

/** Share of the protons per mm of y, `y_mm` from the axis. */
const gaussian = (sigma_mm: number, y_mm: number): number =>
  Math.exp(-0.5 * (y_mm / sigma_mm) ** 2) / (Math.sqrt(2 * Math.PI) * sigma_mm);

/** What the dose in Gy is made from. */
export type GrayRun = Pick<RunData, 'acrossY' | 'axes' | 'beam' | 'dose'>;

/** Gy per 10⁹ protons, [z][x], at `y_mm` from the axis; or why there is none. */
export function grayField(run: GrayRun, y_mm: number): { readonly values: Float64Array } | { readonly reason: string } {
  const { acrossY, axes, beam, dose } = run;
  if (acrossY === null) return { reason: 'this run was stored without the width across y' };
  if ('reason' in acrossY) return acrossY;
  const { density_g_cm3, nx, nz, dz_mm, dx_mm } = axes;
  if (density_g_cm3 === null) return { reason: 'this run was stored without the densities of its cells' };
  const values = new Float64Array(dose.length);
  for (let z = 0; z < nz; z += 1) {
    const factor = (GRAY * gaussian(acrossY.sigma_y_mm[z] ?? 1, y_mm)) / (dz_mm * dx_mm * beam.weight);
    for (let x = 0; x < nx; x += 1) {
      const cell = z * nx + x;
      values[cell] = ((dose[cell] ?? 0) * factor) / (density_g_cm3[cell] ?? 1);
    }
  }
  return { values };
}

/** On the beam's axis, between the two columns beside it; or why there is none. */
export function grayOnAxis(run: GrayRun): { readonly curve: Curve } | { readonly reason: string } {
  const field = grayField(run, 0);
  if ('reason' in field) return field;
  const { nx, nz, dz_mm, dx_mm } = run.axes;
  const place = run.beam.x_mm / dx_mm + nx / 2 - 0.5;
  const low = Math.min(Math.max(Math.floor(place), 0), nx - 2);
  const share = Math.min(Math.max(place - low, 0), 1);
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
