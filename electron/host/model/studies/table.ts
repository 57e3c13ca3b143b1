/**
 * Results of a study as a table with one row per point, and one column, with a unit, per value. Also writes the table
 * as CSV (RFC 4180), Parquet and HDF5.
 */
import { formatPath, scenarioKindNames, schemaAt, unitOf, valueAt } from '../../../contract/scenario/index.ts';
import type { Measure, PlanHead, PlanLine, PointResult, SavedCurve } from '../../../contract/study/index.ts';
import { parseConfigured } from '../../../contract/tuning/configured.ts';
import { unitSymbols } from '../../../domain/values/units.ts';
import { createFile } from '../../io/hdf5/h5.ts';
import { writeAttribute, writeDataset } from '../../io/hdf5/put.ts';
import { parquetBytes } from '../../io/parquet/parquet.ts';
import { applyOverrides } from '../scenarios/overrides.ts';
import { canonicalJson } from './points.ts';

/** Error of a point's result relative to the reference point. */
interface PointError {
  readonly name: string;
  readonly unit: string;
  readonly value: number | null;
}

interface SolvedPoint {
  readonly line: PlanLine;
  readonly result: PointResult;
}

/**
 * Value of a curve at a position, by linear interpolation. It is 0 outside, because there is no dose in front of the
 * entrance or behind the box.
 */
function interpolateCurve(curve: SavedCurve, position: number): number {
  const { positions, values } = curve;
  let [low, high] = [0, positions.length - 1];
  const first = positions[low];
  const last = positions[high];
  if (first == null || last == null || position < first || position > last) return 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? Number.NaN) <= position) low = middle;
    else high = middle;
  }
  const [from, to] = [positions[low] ?? Number.NaN, positions[high] ?? Number.NaN];
  const [a, b] = [values[low] ?? Number.NaN, values[high] ?? Number.NaN];
  return from === to ? a : a + ((b - a) * (position - from)) / (to - from);
}

/** Relative L2 difference of two curves, at the positions of the reference; null if it is not finite. */
function relativeCurveError(here: SavedCurve, reference: SavedCurve): number | null {
  let [difference, norm] = [0, 0];
  for (const [i, position] of reference.positions.entries()) {
    const value = reference.values[i];
    if (position === null || value == null) continue;
    difference += (interpolateCurve(here, position) - value) ** 2;
    norm += value ** 2;
  }
  const error = Math.sqrt(difference / norm);
  return Number.isFinite(error) ? error : null;
}

function pointErrors(here: PointResult, reference: PointResult): readonly PointError[] {
  const readouts = here.measures.flatMap(({ group, name, unit, value }): readonly PointError[] => {
    if (group !== 'readouts' || typeof value !== 'number') return [];
    const other = reference.measures.find((one) => one.group === group && one.name === name)?.value;
    return [{ name: `error.${name}`, unit, value: typeof other === 'number' ? value - other : null }];
  });
  const curves = here.curves.flatMap((curve): readonly PointError[] => {
    const other = reference.curves.find(({ name }) => name === curve.name);
    return other === undefined
      ? []
      : [{ name: `error.${curve.name}_rel_l2`, unit: '', value: relativeCurveError(curve, other) }];
  });
  return [...readouts, ...curves];
}

/** Errors of each row. Empty if the study names no reference point, or if that point is not solved. */
function rowErrors(head: PlanHead, rows: readonly SolvedPoint[]): readonly (readonly PointError[])[] {
  const { reference } = head.study as { readonly reference?: Readonly<Record<string, unknown>> };
  if (reference === undefined) return rows.map(() => []);
  /**
   * Key of the settings in which a point and its reference point agree, and whether the point is a reference point.
   */
  const keyOf = ({ base, settings }: PlanLine) => {
    const named = settings.map(({ path, value }) => ({ name: formatPath(path), value }));
    const others = named.filter(({ name }) => !(name in reference));
    const own = named.filter(({ name }) => name in reference);
    return {
      key: canonicalJson([base, others]),
      isReference: own.every(({ name, value }) => canonicalJson(value) === canonicalJson(reference[name])),
    };
  };
  const keys = rows.map(({ line }) => keyOf(line));
  const references = new Map<string, PointResult>();
  for (const [i, { key, isReference }] of keys.entries()) {
    const result = rows[i]?.result;
    if (isReference && result?.status === 'done') references.set(key, result);
  }
  return rows.map(({ result }, i) => {
    const found = references.get(keys[i]?.key ?? '');
    return found === undefined || result.status !== 'done' ? [] : pointErrors(result, found);
  });
}

type Cell = number | string | null;

export interface StudyColumn {
  readonly name: string;
  readonly unit: string;
  readonly of: 'point' | 'axis' | 'measure' | 'error' | 'where';
}

export interface StudyTable {
  readonly columns: readonly StudyColumn[];
  /** Cells of each row, in the order of the columns. */
  readonly rows: readonly (readonly Cell[])[];
  /** Number of points without a result. `damaged` lists ids of points whose result file was damaged. */
  readonly missing: number;
  readonly damaged: readonly string[];
  /** Machines and GPUs on which points were solved, with their numbers of rows. */
  readonly machines: readonly { readonly machine: string; readonly rows: number }[];
}

export interface Row {
  readonly line: PlanLine;
  readonly result: PointResult;
}

/** Cells of a row by column index. Later rows may be longer, because columns are added when they first occur. */
type Values = Cell[];

/** Collects columns in the order of their first use, and finds them by name in a map, because there are many rows. */
class Columns {
  readonly all: StudyColumn[] = [];
  readonly #places = new Map<StudyColumn['of'], Map<string, number>>();

  set(into: Values, of: StudyColumn['of'], name: string, value: Cell, unit = ''): void {
    const names = this.#places.get(of) ?? new Map<string, number>();
    if (names.size === 0) this.#places.set(of, names);
    const place = names.get(name) ?? this.all.length;
    const known = this.all[place];
    if (known === undefined || (known.unit === '' && unit !== '')) {
      names.set(name, place);
      this.all[place] = { name, unit, of };
    }
    into[place] = value;
  }
}

function toCell(value: unknown): Cell {
  if (typeof value === 'number' || typeof value === 'string' || value === null) return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return value === undefined ? null : JSON.stringify(value);
}

/** Unit of an axis, from the scenario's schema. */
function axisUnit(head: PlanHead, line: PlanLine, path: PlanLine['settings'][number]['path']): string {
  const base = head.bases[line.base]?.document;
  const kind = scenarioKindNames.find((name) => name === valueAt(base, ['kind']));
  if (kind === undefined) return '';
  const { document } = applyOverrides(base, line.settings);
  const schema = schemaAt(kind, path, document);
  return schema === null ? '' : unitSymbols[unitOf(schema)];
}

function setMeasures(columns: Columns, measures: readonly Measure[], into: Values): void {
  for (const { name, unit, value, low, high } of measures) {
    columns.set(into, 'measure', name, value, unit);
    if (low !== undefined) columns.set(into, 'measure', `${name}_low`, low, unit);
    if (high !== undefined) columns.set(into, 'measure', `${name}_high`, high, unit);
  }
}

function addMachineColumns(columns: Columns, { where, started, finished }: PointResult, into: Values): void {
  const told = {
    ...{ machine: where.machine, cpu: where.cpu, cores: where.cores, os: where.os },
    ...{ gpu: where.gpu, gpu_uuid: where.gpu_uuid, driver: where.driver, at_once: where.at_once, job: where.job },
    ...{ version: where.version, build: where.build, commit: where.commit, started, finished },
  };
  for (const [name, value] of Object.entries(told)) columns.set(into, 'where', name, value);
}

function countMachines(rows: readonly Row[]): StudyTable['machines'] {
  const counts = new Map<string, number>();
  for (const { result } of rows) {
    const { machine, cpu, gpu, gpu_uuid } = result.where;
    const name = `${machine}, ${gpu === null ? cpu : `${gpu} ${gpu_uuid}`}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([machine, count]) => ({ machine, rows: count }));
}

/**
 * Builds the table. `rows` are in the order of the plan. If the study names a reference point, the errors relative to
 * it are further columns.
 */
export function studyTable(head: PlanHead, rows: readonly Row[], damaged: readonly string[] = []): StudyTable {
  const columns = new Columns();
  const all: Values[] = [];
  const units = new Map<string, string>();
  const errors = rowErrors(head, rows);
  for (const [i, { line, result }] of rows.entries()) {
    const into: Values = [];
    const point = { point: line.id, base: head.bases[line.base]?.name ?? '', status: result.status };
    for (const [name, value] of Object.entries(point)) columns.set(into, 'point', name, value);
    for (const { path, value } of line.settings) {
      const name = formatPath(path);
      const unit = units.get(`${line.base} ${name}`) ?? axisUnit(head, line, path);
      units.set(`${line.base} ${name}`, unit);
      columns.set(into, 'axis', name, toCell(value), unit);
      const configured = typeof value === 'string' ? parseConfigured(value) : null;
      for (const [constant, set] of Object.entries(configured?.configuration ?? {}))
        columns.set(into, 'axis', constant, set);
    }
    const { workload, variant, precision, threads, repeats } = result;
    const solved = { workload, variant, precision, threads, repeats, error: result.error?.message ?? null };
    for (const [name, value] of Object.entries(solved)) columns.set(into, 'point', name, value);
    setMeasures(columns, result.measures, into);
    for (const { name, unit, value } of errors[i] ?? []) columns.set(into, 'error', name, value, unit);
    addMachineColumns(columns, result, into);
    all.push(into);
  }
  // Columns of a group are adjacent, even if rows used them in another order.
  const order: readonly StudyColumn['of'][] = ['point', 'axis', 'measure', 'error', 'where'];
  const places = order.flatMap((of) => columns.all.flatMap((column, place) => (column.of === of ? [place] : [])));
  return {
    columns: places.flatMap((place) => columns.all[place] ?? []),
    rows: all.map((values) => places.map((place) => values[place] ?? null)),
    missing: head.points - rows.length,
    damaged,
    machines: countMachines(rows),
  };
}

/** Notes on the table, such as a warning that its times are from different machines. */
export function tableNotes({ machines, missing, damaged, rows, columns }: StudyTable): readonly string[] {
  const atOnce = columns.findIndex(({ of, name }) => of === 'where' && name === 'at_once');
  const [joules, counted] = ['energy_J', 'energy_of'].map((wanted) =>
    columns.findIndex(({ of, name }) => of === 'measure' && name === wanted),
  );
  const unknown = new Map<string, number>();
  for (const row of rows) {
    const why = row[counted ?? -1];
    if (typeof why === 'string' && row[joules ?? -1] === null) unknown.set(why, (unknown.get(why) ?? 0) + 1);
  }
  const shared = rows.filter((row) => Number(row[atOnce]) > 1).length;
  return [
    ...(missing > 0 ? [`${missing} points have no result yet.`] : []),
    ...(damaged.length > 0
      ? [`Damaged files were moved, and their points will be solved again: ${damaged.join(', ')}.`]
      : []),
    ...(machines.length > 1
      ? [
          `The rows come from ${machines.length} machines, so their times cannot be compared: ${machines.map(({ machine, rows: count }) => `${machine} (${count})`).join('; ')}. Group by the columns machine and gpu_uuid.`,
        ]
      : []),
    ...[...unknown].map(([why, count]) => `The energy of ${count} points is ${why}.`),
    ...(shared > 0
      ? [
          `${shared} points ran at the same time as others (at_once), so their times are inflated. Use timing: alone for measurements.`,
        ]
      : []),
  ];
}

export const columnTitle = ({ name, unit }: StudyColumn): string => (unit === '' ? name : `${name} [${unit}]`);

/** Pattern for text that a spreadsheet would interpret as a formula. Such text is prefixed with an apostrophe. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const inert = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function tableCsv({ columns, rows }: StudyTable): string {
  const lines = [columns.map((column) => csvCell(columnTitle(column))), ...rows.map((row) => row.map(csvCell))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

const FORMAT = 'braggbench-study-table';

const textOf = (cell: Cell): string => (cell === null ? '' : String(cell));

/** Whether all values of a column are numbers. A column with other values is written as text. */
const isNumeric = (cells: readonly Cell[]): boolean =>
  cells.some((cell) => cell !== null) && cells.every((cell) => cell === null || typeof cell === 'number');

/** Unique names for the columns: a name that occurs several times is prefixed with its group. */
function uniqueNames(
  columns: StudyTable['columns'],
  nameOf: (column: StudyTable['columns'][number]) => string,
): readonly string[] {
  const all = columns.map(nameOf);
  return columns.map((column, i) => {
    const name = all[i] ?? '';
    return all.filter((one) => one === name).length > 1 ? `${column.of}.${name}` : name;
  });
}

const cellsOf = ({ rows }: StudyTable, i: number): readonly Cell[] => rows.map((row) => row[i] ?? null);

/** Table as a Parquet file. Column names contain the unit, as in CSV; the metadata also lists the units as JSON. */
export function tableParquet(table: StudyTable): Promise<Uint8Array> {
  const { columns, machines, missing } = table;
  const names = uniqueNames(columns, columnTitle);
  const data = columns.map((_, i) => {
    const cells = cellsOf(table, i);
    const name = names[i] ?? '';
    if (isNumeric(cells)) return { name, type: 'DOUBLE' as const, data: cells };
    return { name, type: 'STRING' as const, data: cells.map((cell) => (cell === null ? null : String(cell))) };
  });
  return parquetBytes(data, {
    format: FORMAT,
    columns: JSON.stringify(columns.map(({ name, unit, of }, i) => ({ column: names[i], name, unit, of }))),
    machines: JSON.stringify(machines),
    missing: String(missing),
  });
}

/**
 * Table as an HDF5 file, with a dataset per column and its unit as an attribute. A missing number is NaN, a missing
 * text is empty.
 */
export function tableHdf5(table: StudyTable): Promise<Uint8Array> {
  const { columns, machines, missing, rows } = table;
  // A slash in a name would create an HDF5 group, so it is replaced by a similar character.
  const names = uniqueNames(columns, ({ name }) => name.replaceAll('/', '∕'));
  return createFile((file) => {
    writeAttribute(file, 'format', FORMAT);
    writeAttribute(file, 'rows', rows.length);
    writeAttribute(file, 'missing', missing);
    if (machines.length > 0)
      writeAttribute(
        file,
        'machines',
        machines.map(({ machine, rows: of }) => `${machine}: ${of} rows`),
      );
    // HDF5 sorts datasets by name, so the order of the columns is stored too.
    if (names.length > 0) writeAttribute(file, 'columns', [...names]);
    if (rows.length === 0) return;
    for (const [i, { unit, of }] of columns.entries()) {
      const cells = cellsOf(table, i);
      const name = names[i] ?? '';
      const notes = { unit, of };
      if (isNumeric(cells)) {
        writeDataset(
          file,
          name,
          Float64Array.from(cells, (cell) => (typeof cell === 'number' ? cell : Number.NaN)),
          [cells.length],
          notes,
        );
        continue;
      }
      const texts = cells.map(textOf);
      const size = Math.max(1, ...texts.map((text) => Buffer.byteLength(text)));
      const dataset = file.create_dataset({ name, data: texts, shape: [texts.length], dtype: `S${size}` });
      for (const [key, value] of Object.entries(notes)) writeAttribute(dataset, key, value);
    }
  });
}
