/**
 * Converts Hounsfield units (HU) to matter. The density is interpolated linearly, the material is constant between
 * thresholds.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { huTableSchema, type UserMaterial } from '../../../contract/scenario/index.ts';

export interface HuTable {
  readonly density: readonly (readonly [hu: number, g_cm3: number])[];
  readonly materials: readonly (readonly [hu: number, material: string])[];
}

const fileSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  source: z.string(),
  licence: z.string(),
  ...huTableSchema.shape,
  compositions: z.array(
    z.strictObject({
      name: z.string(),
      density_g_cm3: z.number().positive(),
      composition: z.record(z.string(), z.number().positive()),
    }),
  ),
});

/** A shipped conversion table, with the materials that it uses. */
export interface ShippedHuTable extends HuTable {
  readonly title: string;
  readonly source: string;
  readonly licence: string;
  readonly compositions: readonly UserMaterial[];
}

/** Loads a shipped table. Throws if a file of the program is damaged. */
export async function loadHuTable(assetsFolder: string, name: string): Promise<ShippedHuTable> {
  return fileSchema.parse(JSON.parse(await readFile(join(assetsFolder, 'hu-tables', `${name}.json`), 'utf8')));
}

/** Index of the last point whose HU are not above `hu`; 0 if there is none. */
function indexAtOrBelow(points: readonly (readonly [number, unknown])[], hu: number): number {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((points[middle]?.[0] ?? 0) <= hu) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Density in g/cm³; outside of the table, the density at its nearest end. */
export function densityAt({ density }: HuTable, hu: number): number {
  const i = indexAtOrBelow(density, hu);
  const [[h0, d0], [h1, d1]] = [density[i] ?? [0, 1], density[i + 1] ?? density[i] ?? [0, 1]];
  if (hu <= h0 || h1 === h0) return d0;
  return d0 + ((Math.min(hu, h1) - h0) / (h1 - h0)) * (d1 - d0);
}

/** Index in `materials` of the material for a value in HU. */
export const materialAt = ({ materials }: HuTable, hu: number): number => indexAtOrBelow(materials, hu);

/** Range of HU in which both density and material are defined. */
export function huRange({ density, materials }: HuTable): readonly [number, number] {
  const lowest = Math.max(density[0]?.[0] ?? 0, materials[0]?.[0] ?? 0);
  return [lowest, density.at(-1)?.[0] ?? 0];
}
