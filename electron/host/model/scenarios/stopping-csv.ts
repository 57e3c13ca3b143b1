/** Stopping power tables as CSV: the program's own and the user's. */
import { decimalOf } from '../../../contract/csv.ts';
import { suggest } from '../../../contract/scenario/index.ts';
import type { StoppingTable } from './stopping-table.ts';

/** Fewer entries than this describe no curve. */
const fewestEntries = 4;
/** More than this is a mistake, and would slow every lookup. */
const mostEntries = 10_000;
/** A file with more mistakes than this is of another kind; further ones are counted. */
const mostFaults = 20;

/** Protons between 0.01 MeV in hydrogen and 10 GeV in lead stay well inside these, MeV cm²/g. */
const stoppingBounds = [0.1, 10_000] as const;

const energyNames = ['T_MeV', 'E_MeV'] as const;
const stoppingNames = ['S_MeV_cm2_g', 'S'] as const;
/** Carried along in the program's own files, for the reader. */
const ignoredNames: readonly string[] = ['R_csda_g_cm2', 'R'];

interface CsvFault {
  readonly line: number;
  readonly message: string;
}

type CsvTable =
  | { readonly ok: true; readonly table: StoppingTable }
  | { readonly ok: false; readonly faults: readonly CsvFault[] };

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function rowsOf(text: string): readonly Row[] {
  const rows: Row[] = [];
  for (const [index, raw] of text.split(/\r\n?|\n/).entries()) {
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    // With semicolons a comma is a decimal point, as many spreadsheets write it.
    const cells = content.includes(';') ? content.replaceAll(',', '.').split(';') : content.split(',');
    rows.push({ line: index + 1, cells: cells.map((cell) => cell.trim()) });
  }
  return rows;
}

function columnsOf(header: Row): { energy: number; stopping: number } | CsvFault {
  const allowed = 'T_MeV,S';
  const energy = header.cells.findIndex((name) => (energyNames as readonly string[]).includes(name));
  const stopping = header.cells.findIndex((name) => (stoppingNames as readonly string[]).includes(name));
  const known: readonly string[] = [...energyNames, ...stoppingNames, ...ignoredNames];
  const strange = header.cells.find((name) => !known.includes(name));
  if (strange !== undefined) {
    const near = suggest(strange, known);
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
      message: `the columns ${twice.join(' and ')} are of one quantity; allowed: ${allowed}`,
    };
  }
  if (energy < 0 || stopping < 0) {
    return { line: header.line, message: `the first line has to name the columns; allowed: ${allowed}` };
  }
  return { energy, stopping };
}

function numberIn(row: Row, column: number, name: string, bounds: readonly [number, number]): number | CsvFault {
  const text = row.cells[column] ?? '';
  const value = decimalOf(text);
  if (Number.isFinite(value) && value >= bounds[0] && value <= bounds[1]) return value;
  const shown = text === '' ? 'nothing' : text.slice(0, 40);
  const says = Number.isFinite(value) ? 'is out of bounds' : 'is not a finite number';
  return { line: row.line, message: `${name}: ${shown} ${says}; allowed: ${bounds[0]} to ${bounds[1]}` };
}

/** Reads a table, or reports an error for every invalid line. */
export function readStoppingCsv(text: string, title: string): CsvTable {
  const [header, ...rows] = rowsOf(text);
  if (header === undefined)
    return { ok: false, faults: [{ line: 1, message: 'the table is empty; allowed: T_MeV,S and at least 4 rows' }] };
  const columns = columnsOf(header);
  if ('message' in columns) return { ok: false, faults: [columns] };
  const faults: CsvFault[] = [];
  if (rows.length < fewestEntries || rows.length > mostEntries) {
    faults.push({
      line: header.line,
      message: `the table has ${rows.length} rows; allowed: ${fewestEntries} to ${mostEntries}`,
    });
  }
  const energies: number[] = [];
  const stopping: number[] = [];
  for (const row of rows.slice(0, mostEntries)) {
    // A decimal comma would move the numbers behind it by a column.
    if (row.cells.length > header.cells.length) {
      const message = `${row.cells.length} values; allowed: ${header.cells.length}, as the first line names columns`;
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
      faults.push({ line: row.line, message: `T_MeV: ${energy} does not ascend; allowed: more than ${before}` });
      continue;
    }
    energies.push(energy);
    stopping.push(value);
  }
  if (faults.length > mostFaults) {
    const more = faults.length - mostFaults;
    faults.splice(mostFaults, more, { line: faults[mostFaults]?.line ?? 1, message: `and ${more} more faults` });
  }
  if (faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    table: { title, energies_MeV: Float64Array.from(energies), stopping_MeV_cm2_g: Float64Array.from(stopping) },
  };
}
