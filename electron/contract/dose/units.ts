/**
 * Absolute dose units of other programs, and their conversion to the units of a run: energy per area, length or mass.
 */
import { z } from 'zod';

/** Converts MeV/g to nGy: 1 MeV is 1.602176634e-13 J (exact, SI). */
const nGyOfMeVPerGram = 0.1602176634;

interface PlaneUnit {
  /** Title for display. */
  readonly title: string;
  /** 3 for values in a volume; 2 for values in a plane, which are integrated along the third axis. */
  readonly axes: 2 | 3;
  /** Quantity of the run to compare with: energy per mass or per area. */
  readonly by: 'mass' | 'area';
  /** True if the values are per proton; false if they are for all protons of the run. */
  readonly perProton: boolean;
  /** Factor that converts values to nGy or MeV/mm³ for a volume, and to nGy mm or MeV/mm² for a plane. */
  readonly factor: number;
}

const planeUnitNames = [
  ...['Gy/1e9', 'Gy', 'MeV/g', 'MeV/mm3'],
  ...['Gy mm/1e9', 'nGy mm', 'MeV cm/g', 'MeV/mm2'],
] as const;
export const planeUnitSchema = z.enum(planeUnitNames);
export type PlaneUnitName = z.infer<typeof planeUnitSchema>;

export const planeUnits: Readonly<Record<PlaneUnitName, PlaneUnit>> = {
  'Gy/1e9': { title: 'Gy per 10⁹ protons', axes: 3, by: 'mass', perProton: true, factor: 1 },
  Gy: { title: 'Gy, of all protons of the run', axes: 3, by: 'mass', perProton: false, factor: 1e9 },
  'MeV/g': { title: 'MeV g⁻¹ per proton', axes: 3, by: 'mass', perProton: true, factor: nGyOfMeVPerGram },
  'MeV/mm3': { title: 'MeV mm⁻³ per proton', axes: 3, by: 'area', perProton: true, factor: 1 },
  'Gy mm/1e9': { title: 'Gy mm per 10⁹ protons', axes: 2, by: 'mass', perProton: true, factor: 1 },
  'nGy mm': { title: 'nGy mm, of all protons of the run', axes: 2, by: 'mass', perProton: false, factor: 1 },
  'MeV cm/g': { title: 'MeV cm g⁻¹ per proton', axes: 2, by: 'mass', perProton: true, factor: 10 * nGyOfMeVPerGram },
  'MeV/mm2': { title: 'MeV mm⁻², of all protons of the run', axes: 2, by: 'area', perProton: false, factor: 1 },
};

interface DepthDoseUnit {
  /** Quantity of the depth dose: energy per depth in MeV/mm, or per mass in nGy mm². */
  readonly by: 'length' | 'mass';
  readonly factor: number;
  readonly perProton: boolean;
}

const depthUnits: readonly (readonly [RegExp, DepthDoseUnit['by'], number])[] = [
  [/^mev(\/| )mm(\^-1)?$/, 'length', 1],
  [/^mev(\/| )cm(\^-1)?$/, 'length', 0.1],
  [/^mev cm2(\/g| g\^-1)$/, 'mass', 100 * nGyOfMeVPerGram],
  [/^mev mm2(\/g| g\^-1)$/, 'mass', nGyOfMeVPerGram],
  [/^ngy mm2$/, 'mass', 1],
  [/^ngy cm2$/, 'mass', 100],
  [/^gy mm2$/, 'mass', 1e9],
  [/^gy cm2$/, 'mass', 1e11],
];

/** Factor that converts values in this unit to those of a run with this number of protons. */
export const factorToRunUnit = (unit: { readonly factor: number; readonly perProton: boolean }, protons: number) =>
  unit.factor * (unit.perProton ? protons : 1);

/** Units that a table header may have, for messages. */
export const allowedDepthUnits =
  'MeV/mm, MeV/cm, MeV cm2/g, nGy mm2, Gy cm2; optionally followed by "per proton" or "per 1e9"';

/** Parses the unit of a depth dose in a table header; null if it is not a unit of absolute dose. */
export function parseDepthDoseUnit(text: string | null): DepthDoseUnit | null {
  if (text === null) return null;
  const plain = text
    .toLowerCase()
    .replaceAll(/[_·*\s]+/g, ' ')
    .replaceAll(/ ?\bper\b ?/g, '/')
    .replaceAll(/ ?\/ ?/g, '/')
    .replaceAll(/²|\^2/g, '2')
    .replaceAll(/⁻¹|\^?-1\b/g, '^-1')
    .trim();
  const [, body = '', count] =
    /^(.*?)(\/(?:1e9|10\^?9|10⁹)(?: protons?)?|\/(?:proton|primary|particle))?$/.exec(plain) ?? [];
  const found = depthUnits.find(([form]) => form.test(body));
  if (found === undefined) return null;
  const [, by, factor] = found;
  const each = count?.startsWith('/1') === true ? 1e-9 : 1;
  return { by, factor: factor * each, perProton: count !== undefined };
}
