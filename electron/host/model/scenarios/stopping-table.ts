/**
 * Reads data of materials: stopping power tables in CSV files, the material library in assets/materials, and the
 * nuclear reactions in assets/nuclear. Interpolation and range are computed by the engine (kernels/physics/stopping),
 * so that defaults and checks agree with the solver.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type MaterialName, materialNames, suggestSimilarWord } from '../../../contract/scenario/index.ts';
import { parseDecimal } from '../../../domain/values/csv.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';

export interface StoppingTable {
  /** Name of the table in results, such as `NIST PSTAR (ICRU 49)`. */
  readonly title: string;
  /** Energies in MeV, ascending. */
  readonly energies_MeV: Float64Array;
  /** Mass stopping power in MeV cm²/g. */
  readonly stopping_MeV_cm2_g: Float64Array;
}

export type RangeTable = NativeAddon['rangeTable'];

export interface StoppingValues {
  /** Mass stopping power in MeV cm²/g. */
  readonly stopping: number;
  /** CSDA range in g/cm². */
  readonly range: number;
}

export function lowestEnergy(table: StoppingTable): number {
  return table.energies_MeV[0] ?? Number.NaN;
}

export function highestEnergy(table: StoppingTable): number {
  return table.energies_MeV.at(-1) ?? Number.NaN;
}

/**
 * Cached values for recent energies, by table. Checking a scenario requests those at its beam energy hundreds of times.
 */
const cachedStopping = new WeakMap<StoppingTable, Map<number, StoppingValues>>();
const MAX_CACHED = 64;

/** Stopping power and range at an energy. Energies outside of the table are clamped to its ends. */
export function stoppingAt(rangeTable: RangeTable, table: StoppingTable, energy_MeV: number): StoppingValues {
  const inside = Math.min(Math.max(energy_MeV, lowestEnergy(table)), highestEnergy(table));
  const known = cachedStopping.get(table) ?? new Map<number, StoppingValues>();
  const kept = known.get(inside);
  if (kept !== undefined) return kept;
  const found = rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, Float64Array.of(inside));
  const at = { stopping: found.stopping_MeV_cm2_g[0] ?? Number.NaN, range: found.range_g_cm2[0] ?? Number.NaN };
  if (known.size === MAX_CACHED) known.clear();
  cachedStopping.set(table, known.set(inside, at));
  return at;
}

/** Minimum number of entries in a table. */
const minEntries = 4;
/** Maximum number of entries. Longer tables are a mistake, and would make every lookup slow. */
const maxEntries = 10_000;
/** Maximum number of reported errors; further ones are only counted. A file with more is probably not a table. */
const maxIssues = 20;

/** Plausible range of stopping powers in MeV cm²/g: protons from 0.01 MeV in hydrogen to 10 GeV in lead. */
const stoppingBounds = [0.1, 10_000] as const;

const energyNames = ['T_MeV', 'E_MeV'] as const;
const stoppingNames = ['S_MeV_cm2_g', 'S'] as const;
/** Names of columns that are ignored. Shipped files contain them only for human readers. */
const ignoredNames: readonly string[] = ['R_csda_g_cm2', 'R'];

interface CsvError {
  readonly line: number;
  readonly message: string;
}

type CsvTable =
  | { readonly ok: true; readonly table: StoppingTable }
  | { readonly ok: false; readonly faults: readonly CsvError[] };

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function rowsOf(text: string): readonly Row[] {
  const rows: Row[] = [];
  for (const [index, raw] of text.split(/\r\n?|\n/).entries()) {
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    // If semicolons separate the columns, commas are decimal marks, as many spreadsheets write them.
    const cells = content.includes(';') ? content.replaceAll(',', '.').split(';') : content.split(',');
    rows.push({ line: index + 1, cells: cells.map((cell) => cell.trim()) });
  }
  return rows;
}

function columnsOf(header: Row): { energy: number; stopping: number } | CsvError {
  const allowed = 'T_MeV,S';
  const energy = header.cells.findIndex((name) => (energyNames as readonly string[]).includes(name));
  const stopping = header.cells.findIndex((name) => (stoppingNames as readonly string[]).includes(name));
  const known: readonly string[] = [...energyNames, ...stoppingNames, ...ignoredNames];
  const strange = header.cells.find((name) => !known.includes(name));
  if (strange !== undefined) {
    const near = suggestSimilarWord(strange, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    return {
      line: header.line,
      message: `the column ${JSON.stringify(strange.slice(0, 40))} is not known${hint}; allowed: ${allowed}`,
    };
  }
  const twice = [energyNames, stoppingNames]
    .map((names) => header.cells.filter((name) => (names as readonly string[]).includes(name)))
    .find((found) => found.length > 1);
  if (twice !== undefined) {
    return {
      line: header.line,
      message: `the columns ${twice.join(' and ')} have the same quantity; allowed: ${allowed}`,
    };
  }
  if (energy < 0 || stopping < 0) {
    return { line: header.line, message: `the first line must name the columns; allowed: ${allowed}` };
  }
  return { energy, stopping };
}

function numberIn(row: Row, column: number, name: string, bounds: readonly [number, number]): number | CsvError {
  const text = row.cells[column] ?? '';
  const value = parseDecimal(text);
  if (Number.isFinite(value) && value >= bounds[0] && value <= bounds[1]) return value;
  const shown = text === '' ? 'nothing' : text.slice(0, 40);
  const says = Number.isFinite(value) ? 'is out of range' : 'is not a finite number';
  return { line: row.line, message: `${name}: ${shown} ${says}; allowed: ${bounds[0]} to ${bounds[1]}` };
}

/** Reads a stopping power table, or returns an error for every invalid line. */
export function readStoppingCsv(text: string, title: string): CsvTable {
  const [header, ...rows] = rowsOf(text);
  if (header === undefined)
    return { ok: false, faults: [{ line: 1, message: 'the table is empty; allowed: T_MeV,S and at least 4 rows' }] };
  const columns = columnsOf(header);
  if ('message' in columns) return { ok: false, faults: [columns] };
  const faults: CsvError[] = [];
  if (rows.length < minEntries || rows.length > maxEntries) {
    faults.push({
      line: header.line,
      message: `the table has ${rows.length} rows; allowed: ${minEntries} to ${maxEntries}`,
    });
  }
  const energies: number[] = [];
  const stopping: number[] = [];
  for (const row of rows.slice(0, maxEntries)) {
    // An additional cell may come from a decimal comma, which would shift the following numbers by a column.
    if (row.cells.length > header.cells.length) {
      const message = `${row.cells.length} values; allowed: ${header.cells.length}, the number of columns in the first line`;
      faults.push({ line: row.line, message });
      continue;
    }
    const energy = numberIn(row, columns.energy, 'T_MeV', [0.001, 10_000]);
    const value = numberIn(row, columns.stopping, 'S', stoppingBounds);
    if (typeof energy !== 'number') faults.push(energy);
    if (typeof value !== 'number') faults.push(value);
    if (typeof energy !== 'number' || typeof value !== 'number') continue;
    const before = energies.at(-1);
    if (before !== undefined && energy <= before) {
      faults.push({
        line: row.line,
        message: `T_MeV: ${energy} is not in ascending order; allowed: more than ${before}`,
      });
      continue;
    }
    energies.push(energy);
    stopping.push(value);
  }
  if (faults.length > maxIssues) {
    const more = faults.length - maxIssues;
    faults.splice(maxIssues, more, { line: faults[maxIssues]?.line ?? 1, message: `and ${more} more issues` });
  }
  if (faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    table: { title, energies_MeV: Float64Array.from(energies), stopping_MeV_cm2_g: Float64Array.from(stopping) },
  };
}

const positiveNumber = z.number().positive();

const materialFileSchema = z.strictObject({
  name: z.enum(materialNames),
  title: z.string().min(1),
  density_g_cm3: positiveNumber,
  z_over_a: positiveNumber,
  mean_excitation_eV: positiveNumber,
  radiation_length_g_cm2: positiveNumber,
  scattering_length_g_cm2: positiveNumber,
  /** Composition: mass fraction of each element. */
  composition: z.record(z.string(), positiveNumber),
  /** Stopping power tables. The first one is used unless a scenario selects another. */
  stopping_power: z
    .array(z.strictObject({ id: z.string(), title: z.string(), mean_excitation_eV: positiveNumber, file: z.string() }))
    .min(1),
  sources: z.record(z.string(), z.string()),
  notes: z.string().optional(),
});

export interface Material extends Omit<z.infer<typeof materialFileSchema>, 'name'> {
  readonly name: string;
  /** Stopping power tables, by their ids in `stopping_power`. */
  readonly tables: ReadonlyMap<string, StoppingTable>;
}

/** All materials of the shipped library. */
export type Materials = Readonly<Record<MaterialName, Material>>;

/** Materials of the shipped library and those that the scenario defines. */
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

/**
 * Loads the material library from the folder `materials` in `assetsFolder`. Throws if a file of the program is damaged.
 */
export async function loadMaterials(assetsFolder: string): Promise<Materials> {
  const folder = join(assetsFolder, 'materials');
  const loaded = await Promise.all(
    materialNames.map(async (name) => [name, await loadMaterial(folder, name)] as const),
  );
  return Object.fromEntries(loaded) as Record<MaterialName, Material>;
}

/** Stopping power table of a material that is used unless a scenario selects another. */
export function standardTable(material: Material): StoppingTable {
  const table = material.tables.get(material.stopping_power[0]?.id ?? '');
  if (table === undefined) throw new Error(`${material.name} has no stopping power table`);
  return table;
}

export interface NuclearTable {
  /** Name of the table in messages. */
  readonly name: string;
  readonly text: string;
}

/**
 * Elements with a table of nuclear reactions. Other elements use the table of the nearest one, scaled. Hydrogen has a
 * formula instead, because it only scatters.
 */
const elements = { C: 'carbon', N: 'nitrogen', O: 'oxygen', Ca: 'calcium' } as const;

/** Loads the tables of nuclear reactions from the folder `nuclear` in `assetsFolder`. */
export function loadNuclearTables(assetsFolder: string): Promise<readonly NuclearTable[]> {
  return Promise.all(
    Object.values(elements).map(async (element) => {
      const file = join('nuclear', `${element}.csv`);
      return { name: file, text: await readFile(join(assetsFolder, file), 'utf8') };
    }),
  );
}
