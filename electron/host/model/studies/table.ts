/** A study's results as one table: a row a point, a column a value, units beside the names. */
import { formatPath, scenarioKindNames, schemaAt, unitOf, valueAt } from '../../../contract/scenario/index.ts';
import type { Measure, PlanHead, PlanLine, PointResult } from '../../../contract/study/index.ts';
import { parseConfigured } from '../../../contract/tuning/configured.ts';
import { unitSymbols } from '../../../contract/units.ts';
import { applyOverrides } from '../scenarios/overrides.ts';
import { errorsOf } from './reference.ts';

export type Cell = number | string | null;

export interface StudyColumn {
  readonly name: string;
  readonly unit: string;
  readonly of: 'point' | 'axis' | 'measure' | 'error' | 'where';
}

export interface StudyTable {
  readonly columns: readonly StudyColumn[];
  /** As long as the columns. */
  readonly rows: readonly (readonly Cell[])[];
  /** Points without a result, and those whose file was damaged. */
  readonly missing: number;
  readonly damaged: readonly string[];
  /** Machines and GPUs that the rows are from, with their numbers of rows. */
  readonly machines: readonly { readonly machine: string; readonly rows: number }[];
}

export interface Row {
  readonly line: PlanLine;
  readonly result: PointResult;
}

/** As columns come: a row may be shorter than a later one. */
type Values = Cell[];

/** Collects columns as they come, each once. Rows are many: a column is known by its place. */
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

function cellOf(value: unknown): Cell {
  if (typeof value === 'number' || typeof value === 'string' || value === null) return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return value === undefined ? null : JSON.stringify(value);
}

/** The symbol of an axis' unit, by the scenario's own schema. */
function axisUnit(head: PlanHead, line: PlanLine, path: PlanLine['settings'][number]['path']): string {
  const base = head.bases[line.base]?.document;
  const kind = scenarioKindNames.find((name) => name === valueAt(base, ['kind']));
  if (kind === undefined) return '';
  const { document } = applyOverrides(base, line.settings);
  const schema = schemaAt(kind, path, document);
  return schema === null ? '' : unitSymbols[unitOf(schema)];
}

function measured(columns: Columns, measures: readonly Measure[], into: Values): void {
  for (const { name, unit, value, low, high } of measures) {
    columns.set(into, 'measure', name, value, unit);
    if (low !== undefined) columns.set(into, 'measure', `${name}_low`, low, unit);
    if (high !== undefined) columns.set(into, 'measure', `${name}_high`, high, unit);
  }
}

function whereOf(columns: Columns, { where, started, finished }: PointResult, into: Values): void {
  const told = {
    ...{ machine: where.machine, cpu: where.cpu, cores: where.cores, os: where.os },
    ...{ gpu: where.gpu, gpu_uuid: where.gpu_uuid, driver: where.driver, at_once: where.at_once, job: where.job },
    ...{ version: where.version, build: where.build, commit: where.commit, started, finished },
  };
  for (const [name, value] of Object.entries(told)) columns.set(into, 'where', name, value);
}

function machinesOf(rows: readonly Row[]): StudyTable['machines'] {
  const counts = new Map<string, number>();
  for (const { result } of rows) {
    const { machine, cpu, gpu, gpu_uuid } = result.where;
    const name = `${machine}, ${gpu === null ? cpu : `${gpu} ${gpu_uuid}`}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([machine, count]) => ({ machine, rows: count }));
}

/** `rows` in the order of the plan. Where the study names a reference, errors against it are columns too. */
export function studyTable(head: PlanHead, rows: readonly Row[], damaged: readonly string[] = []): StudyTable {
  const columns = new Columns();
  const all: Values[] = [];
  const units = new Map<string, string>();
  const errors = errorsOf(head, rows);
  for (const [i, { line, result }] of rows.entries()) {
    const into: Values = [];
    const point = { point: line.id, base: head.bases[line.base]?.name ?? '', status: result.status };
    for (const [name, value] of Object.entries(point)) columns.set(into, 'point', name, value);
    for (const { path, value } of line.settings) {
      const name = formatPath(path);
      const unit = units.get(`${line.base} ${name}`) ?? axisUnit(head, line, path);
      units.set(`${line.base} ${name}`, unit);
      columns.set(into, 'axis', name, cellOf(value), unit);
      const configured = typeof value === 'string' ? parseConfigured(value) : null;
      for (const [constant, set] of Object.entries(configured?.configuration ?? {}))
        columns.set(into, 'axis', constant, set);
    }
    const { workload, variant, precision, threads, repeats } = result;
    const solved = { workload, variant, precision, threads, repeats, error: result.error?.message ?? null };
    for (const [name, value] of Object.entries(solved)) columns.set(into, 'point', name, value);
    measured(columns, result.measures, into);
    for (const { name, unit, value } of errors[i] ?? []) columns.set(into, 'error', name, value, unit);
    whereOf(columns, result, into);
    all.push(into);
  }
  // Groups side by side, whichever row brought a column first.
  const order: readonly StudyColumn['of'][] = ['point', 'axis', 'measure', 'error', 'where'];
  const places = order.flatMap((of) => columns.all.flatMap((column, place) => (column.of === of ? [place] : [])));
  return {
    columns: places.flatMap((place) => columns.all[place] ?? []),
    rows: all.map((values) => places.map((place) => values[place] ?? null)),
    missing: head.points - rows.length,
    damaged,
    machines: machinesOf(rows),
  };
}
