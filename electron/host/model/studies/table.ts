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

type Values = ReadonlyMap<string, Cell>;

/** Collects columns as they come, each once. */
class Columns {
  readonly #byName = new Map<string, StudyColumn>();

  add(of: StudyColumn['of'], name: string, unit = ''): string {
    const key = `${of} ${name}`;
    const known = this.#byName.get(key);
    if (known === undefined || (known.unit === '' && unit !== '')) this.#byName.set(key, { name, unit, of });
    return key;
  }

  get all(): readonly (readonly [string, StudyColumn])[] {
    return [...this.#byName];
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

function measured(columns: Columns, measures: readonly Measure[], into: Map<string, Cell>): void {
  for (const { name, unit, value, low, high } of measures) {
    into.set(columns.add('measure', name, unit), value);
    if (low !== undefined) into.set(columns.add('measure', `${name}_low`, unit), low);
    if (high !== undefined) into.set(columns.add('measure', `${name}_high`, unit), high);
  }
}

function whereOf(columns: Columns, { where, started, finished }: PointResult, into: Map<string, Cell>): void {
  const told = {
    ...{ machine: where.machine, cpu: where.cpu, cores: where.cores, os: where.os },
    ...{ gpu: where.gpu, gpu_uuid: where.gpu_uuid, driver: where.driver, at_once: where.at_once, job: where.job },
    ...{ version: where.version, build: where.build, commit: where.commit, started, finished },
  };
  for (const [name, value] of Object.entries(told)) into.set(columns.add('where', name), value);
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
    const into = new Map<string, Cell>();
    const point = { point: line.id, base: head.bases[line.base]?.name ?? '', status: result.status };
    for (const [name, value] of Object.entries(point)) into.set(columns.add('point', name), value);
    for (const { path, value } of line.settings) {
      const name = formatPath(path);
      const unit = units.get(`${line.base} ${name}`) ?? axisUnit(head, line, path);
      units.set(`${line.base} ${name}`, unit);
      into.set(columns.add('axis', name, unit), cellOf(value));
      const configured = typeof value === 'string' ? parseConfigured(value) : null;
      for (const [constant, set] of Object.entries(configured?.configuration ?? {}))
        into.set(columns.add('axis', constant), set);
    }
    const { workload, variant, precision, threads, repeats } = result;
    const solved = { workload, variant, precision, threads, repeats, error: result.error?.message ?? null };
    for (const [name, value] of Object.entries(solved)) into.set(columns.add('point', name), value);
    measured(columns, result.measures, into);
    for (const { name, unit, value } of errors[i] ?? []) into.set(columns.add('error', name, unit), value);
    whereOf(columns, result, into);
    all.push(into);
  }
  // Groups side by side, whichever row brought a column first.
  const order: readonly StudyColumn['of'][] = ['point', 'axis', 'measure', 'error', 'where'];
  const sorted = order.flatMap((of) => columns.all.filter(([, column]) => column.of === of));
  return {
    columns: sorted.map(([, column]) => column),
    rows: all.map((values) => sorted.map(([key]) => values.get(key) ?? null)),
    missing: head.points - rows.length,
    damaged,
    machines: machinesOf(rows),
  };
}
