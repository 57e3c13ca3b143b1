/** Monte Carlo depth doses in water by TOPAS, read from the bundled file on demand. */
import type { CurveFile } from '../../electron/domain/dose/curve-csv.ts';

// Vite puts the file into a separate chunk.
const files = import.meta.glob('../../assets/reference/topas-water-depth-dose.csv', {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>;

/** Conversion from MeV cm²/g in water of 1 g/cm³ to MeV/mm. */
const PER_MM = 0.1;

/** Rows of energy (MeV), depth (mm) and dose (MeV cm²/g), without comment lines. */
const rows = (Object.values(files)[0] ?? '')
  .split('\n')
  .filter((line) => /^\d/.test(line))
  .map((line) => line.split(',').map(Number));

export const topasEnergies_MeV: readonly number[] = [...new Set(rows.map(([energy = 0]) => energy))];

/** Throws if the file has no beam with that energy. */
export function topasBeam(energy_MeV: number): CurveFile {
  const beam = rows.filter(([energy]) => energy === energy_MeV);
  if (beam.length === 0) throw new Error(`The file has no beam of ${energy_MeV} MeV.`);
  return {
    depth_mm: Float64Array.from(beam, ([, depth = Number.NaN]) => depth),
    dose: Float64Array.from(beam, ([, , dose = Number.NaN]) => dose * PER_MM),
    unit: 'MeV/mm',
  };
}
