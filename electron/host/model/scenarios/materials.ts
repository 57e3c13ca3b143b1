/** The material library: assets/materials, read once and checked. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type MaterialName, materialNames } from '../../../contract/scenario/index.ts';
import { readStoppingCsv } from './stopping-csv.ts';
import type { StoppingTable } from './stopping-table.ts';

const positive = z.number().positive();

const materialFileSchema = z.strictObject({
  name: z.enum(materialNames),
  title: z.string().min(1),
  density_g_cm3: positive,
  z_over_a: positive,
  mean_excitation_eV: positive,
  radiation_length_g_cm2: positive,
  scattering_length_g_cm2: positive,
  /** Mass fraction of each element. */
  composition: z.record(z.string(), positive),
  /** The first one is used unless a scenario names another. */
  stopping_power: z
    .array(z.strictObject({ id: z.string(), title: z.string(), mean_excitation_eV: positive, file: z.string() }))
    .min(1),
  sources: z.record(z.string(), z.string()),
  notes: z.string().optional(),
});

export interface Material extends Omit<z.infer<typeof materialFileSchema>, 'name'> {
  readonly name: string;
  /** By the id of `stopping_power`. */
  readonly tables: ReadonlyMap<string, StoppingTable>;
}

/** Those of the library. */
export type Materials = Readonly<Record<MaterialName, Material>>;

/** Those of the library and a scenario's own. */
export type MaterialSet = Materials & Readonly<Record<string, Material>>;

async function loadTable(folder: string, file: string, title: string): Promise<StoppingTable> {
  const path = join(folder, file);
  const read = readStoppingCsv(await readFile(path, 'utf8'), title);
  if (read.ok) return read.table;
  throw new Error(read.faults.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'));
}

async function loadMaterial(folder: string, name: MaterialName): Promise<Material> {
  const path = join(folder, `${name}.json`);
  const file = materialFileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  if (file.name !== name) throw new Error(`${path}: name is ${file.name}`);
  const tables = await Promise.all(
    file.stopping_power.map(async ({ id, title, file: csv }) => [id, await loadTable(folder, csv, title)] as const),
  );
  return { ...file, tables: new Map(tables) };
}

/** `assetsFolder` holds `materials/`. Throws if the program's own data are damaged. */
export async function loadMaterials(assetsFolder: string): Promise<Materials> {
  const folder = join(assetsFolder, 'materials');
  const loaded = await Promise.all(
    materialNames.map(async (name) => [name, await loadMaterial(folder, name)] as const),
  );
  return Object.fromEntries(loaded) as Record<MaterialName, Material>;
}

/** The table that a material uses unless a scenario says otherwise. */
export function standardTable(material: Material): StoppingTable {
  const table = material.tables.get(material.stopping_power[0]?.id ?? '');
  if (table === undefined) throw new Error(`${material.name} has no stopping power table`);
  return table;
}
