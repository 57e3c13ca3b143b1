/** Depth doses of a Monte Carlo that came with the program, to lay over one's own. */
import type { CurveFile } from '../../electron/contract/dose/curve-csv.ts';
import type { Overlays } from '../data/overlays.ts';

/** MeV cm²/g in water of 1 g/cm³, as MeV/mm. */
const PER_MM = 0.1;

/**
 * One beam of the file: lines of energy (MeV), depth (mm) and dose (MeV cm²/g), comments aside. Throws where it has none
 * of that energy.
 */
export function curveOfBeam(text: string, energy_MeV: number): CurveFile {
  const lines = text
    .split('\n')
    .map((line) => line.split(',').map(Number))
    .filter(([energy]) => energy === energy_MeV);
  if (lines.length === 0) throw new Error(`No beam of ${energy_MeV} MeV is in the file.`);
  return {
    depth_mm: Float64Array.from(lines, ([, depth = Number.NaN]) => depth),
    dose: Float64Array.from(lines, ([, , dose = Number.NaN]) => dose * PER_MM),
    unit: 'MeV/mm',
  };
}

/** The same curve is laid over once. */
export async function layMonteCarlo(overlays: Overlays, energy_MeV: number): Promise<void> {
  const name = `TOPAS, ${energy_MeV} MeV`;
  if (overlays.list.getState().items.some((item) => item.name === name)) return;
  const { topas } = await import('../data/topas.ts');
  if (!overlays.addFile(name, curveOfBeam(topas, energy_MeV))) throw new Error('There is no room for one more curve.');
}
