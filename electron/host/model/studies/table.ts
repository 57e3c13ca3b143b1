/** Results of a study as one table: a row per point, a column per value, units next to the names. */
import { formatPath, scenarioKindNames, schemaAt, unitOf, valueAt } from '../../../contract/scenario/index.ts';
import type { KeptCurve, Measure, PlanHead, PlanLine, PointResult } from '../../../contract/study/index.ts';
import { parseConfigured } from '../../../contract/tuning/configured.ts';
import { unitSymbols } from '../../../contract/units.ts';
import { applyOverrides } from '../scenarios/overrides.ts';
import { canonical } from './points.ts';

/** Difference of each point of a study from its reference point. */
interface PointError {
  readonly name: string;
  readonly unit: string;
  readonly value: number | null;
}

interface Solved {
  readonly line: PlanLine;
  readonly result: PointResult;
}

/** By linear interpolation; 0 outside: there is no dose before the entrance, and none behind the end. */
function at(curve: KeptCurve, position: number): number {
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

/** Norm of the difference over the norm of the reference, at the reference's positions; null where that is no number. */
function relativeCurveError(here: KeptCurve, reference: KeptCurve): number | null {
  let [difference, norm] = [0, 0];
  for (const [i, position] of reference.positions.entries()) {
    const value = reference.values[i];
    if (position === null || value == null) continue;
    difference += (at(here, position) - value) ** 2;
    norm += value ** 2;
  }
  const error = Math.sqrt(difference / norm);
  return Number.isFinite(error) ? error : null;
}

function against(here: PointResult, reference: PointResult): readonly PointError[] {
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

/** For each row; empty without a reference, and where the reference point is not solved. */
function errorsOf(head: PlanHead, rows: readonly Solved[]): readonly (readonly PointError[])[] {
  const { reference } = head.study as { readonly reference?: Readonly<Record<string, unknown>> };
  if (reference === undefined) return rows.map(() => []);
  /** Key of the settings that have to be equal, and whether the point is the reference for that key. */
  const keyOf = ({ base, settings }: PlanLine) => {
    const named = settings.map(({ path, value }) => ({ name: formatPath(path), value }));
    const others = named.filter(({ name }) => !(name in reference));
    const own = named.filter(({ name }) => name in reference);
    return {
      key: canonical([base, others]),
      isReference: own.every(({ name, value }) => canonical(value) === canonical(reference[name])),
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
    return found === undefined || result.status !== 'done' ? [] : against(result, found);
  });
}

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
