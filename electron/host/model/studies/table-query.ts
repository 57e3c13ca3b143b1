/**
 * Answers queries on a study's table: filtered and sorted rows, or whole columns. Rows can be grouped: each combination
 * of values then has one line, with the medians of the measured columns.
 */
import { randomUUID } from 'node:crypto';
import { BraggError } from '../../../contract/errors.ts';
import { type PathStep, parsePath } from '../../../contract/scenario/index.ts';
import type {
  StudyCell,
  StudyColumnInfo,
  StudyColumns,
  StudyRows,
  StudyValues,
} from '../../../contract/study/calls.ts';
import { ExpressionError, isTrue, parseExpression } from '../../../contract/study/index.ts';
import { packedIds } from '../../../contract/study/result.ts';
import { median } from '../bench/statistics.ts';
import { type StudyColumn, type StudyTable, tableNotes } from './table.ts';

type Row = readonly StudyCell[];

interface GroupLine {
  readonly cells: Row;
  /** Smallest and largest of the values whose median a cell shows; null if there are fewer than two values. */
  readonly spans: readonly (readonly [number, number] | null)[];
}

const groupColumn = (name: string): StudyColumnInfo => ({
  ...{ key: `group ${name}`, name, unit: '', of: 'group', equal: false, numeric: true },
});

/**
 * Columns that identify the machine. A group shows the number of machines, because times of different machines must not
 * be averaged.
 */
const MACHINE = ['where machine', 'where gpu_uuid'];

/** Groups rows by the columns with the indices `by`. Groups have the order of their first rows. */
function groupRows(
  infos: readonly StudyColumnInfo[],
  rows: readonly Row[],
  by: readonly number[],
): { readonly columns: readonly StudyColumnInfo[]; readonly lines: readonly GroupLine[] } {
  const measured = infos.flatMap(({ numeric, equal, of }, i) =>
    numeric && !equal && !by.includes(i) && of !== 'where' && of !== 'point' ? [i] : [],
  );
  const machine = MACHINE.map((key) => infos.findIndex((info) => info.key === key)).filter((i) => i >= 0);
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(by.map((i) => row[i] ?? null));
    const mine = groups.get(key);
    if (mine === undefined) groups.set(key, [row]);
    else mine.push(row);
  }
  const lines = [...groups.values()].map((mine): GroupLine => {
    const machines = new Set(mine.map((row) => JSON.stringify(machine.map((i) => row[i])))).size;
    const numbers = measured.map((i) => mine.map((row) => row[i]).filter((cell) => typeof cell === 'number'));
    return {
      cells: [
        ...by.map((i) => mine[0]?.[i] ?? null),
        ...[mine.length, machines],
        ...numbers.map((values) => (values.length === 0 ? null : median(values))),
      ],
      spans: [
        ...[...by, 0, 0].map(() => null),
        ...numbers.map((values): [number, number] | null => {
          if (values.length < 2) return null;
          // `Math.min(...values)` would fail for a hundred thousand values, which are too many arguments.
          const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
          return low === high ? null : [low, high];
        }),
      ],
    };
  });
  const several = lines.some(({ cells }) => Number(cells[by.length + 1]) > 1);
  const infoOf = (i: number): readonly StudyColumnInfo[] => {
    const info = infos[i];
    return info === undefined ? [] : [{ ...info, equal: false }];
  };
  return {
    columns: [
      ...by.flatMap(infoOf),
      groupColumn('rows'),
      { ...groupColumn('machines'), equal: !several },
      ...measured.flatMap(infoOf),
    ],
    lines,
  };
}

export interface TableQuery {
  readonly filter: string;
  readonly sort: { readonly key: string; readonly descending: boolean } | null;
  readonly groups: readonly string[];
  readonly from: number;
  readonly count: number;
}

const columnKey = ({ of, name }: StudyColumn): string => `${of} ${name}`;

/** Cached answers for one table, because scrolling repeats the same queries. */
interface CachedQueries {
  columns: readonly StudyColumnInfo[] | null;
  notes: readonly string[] | null;
  /** Lists of filtered and sorted rows, by query. */
  readonly lists: Map<string, unknown>;
}
const queryCache = new WeakMap<StudyTable, CachedQueries>();
const MAX_CACHED_LISTS = 6;

function cachedQueriesOf(table: StudyTable): CachedQueries {
  const found = queryCache.get(table) ?? { columns: null, notes: null, lists: new Map() };
  queryCache.set(table, found);
  return found;
}

/** Returns a cached list, or computes and caches it. The least recently used list is evicted. */
function cachedList<T>(table: StudyTable, question: readonly unknown[], make: () => T): T {
  const { lists } = cachedQueriesOf(table);
  const key = JSON.stringify(question);
  const list = lists.has(key) ? (lists.get(key) as T) : make();
  lists.delete(key);
  lists.set(key, list);
  for (const oldest of [...lists.keys()].slice(0, -MAX_CACHED_LISTS)) lists.delete(oldest);
  return list;
}

/** Descriptions of the columns. A column whose values are equal in all rows has this value in its description. */
function columnsOf(table: StudyTable): readonly StudyColumnInfo[] {
  const found = cachedQueriesOf(table);
  found.columns ??= describeColumns(table);
  return found.columns;
}

function describeColumns({ columns, rows }: StudyTable): readonly StudyColumnInfo[] {
  return columns.map((column, i) => {
    const first = rows[0]?.[i] ?? null;
    const some = rows.some((row) => row[i] !== null);
    return {
      ...column,
      key: columnKey(column),
      equal: rows.every((row) => row[i] === first),
      numeric: some && rows.every((row) => row[i] === null || typeof row[i] === 'number'),
    };
  });
}

function columnIndex({ columns }: StudyTable, key: string): number {
  const found = columns.findIndex((column) => columnKey(column) === key);
  if (found < 0) throw new BraggError('not-found', `The study has no column ${JSON.stringify(key)}.`);
  return found;
}

type Values = Record<PathStep, unknown>;

/**
 * Returns a function that converts a row to a document whose keys are the column names. If columns of two groups have
 * the same name, the first one is used.
 */
function createRowConverter({ columns }: StudyTable): (row: Row) => unknown {
  const paths = columns.map(({ name }) => parsePath(name));
  return (row) => {
    const document: Values = {};
    for (let i = columns.length - 1; i >= 0; i -= 1) {
      const path = paths[i];
      const value = row[i] ?? null;
      if (path === null || path === undefined || value === null) continue;
      let into = document;
      for (const step of path.slice(0, -1)) {
        const next = into[step];
        const inner: Values = typeof next === 'object' && next !== null ? (next as Values) : {};
        into[step] = inner;
        into = inner;
      }
      into[path.at(-1) ?? ''] = value;
    }
    return document;
  };
}

/**
 * Rows that meet a condition, from the cache. Rows that lack a value in the condition are left out; it is an error if
 * all rows lack it.
 */
function cachedMatchingRows(table: StudyTable, filter: string): readonly Row[] {
  return cachedList(table, ['matching', filter], () => matchingRows(table, filter));
}

function matchingRows(table: StudyTable, filter: string): readonly Row[] {
  const { rows } = table;
  if (filter.trim() === '') return rows;
  const refuse = (error: ExpressionError): BraggError =>
    new BraggError('invalid', `The filter is not a valid condition: at character ${error.at + 1}, ${error.message}.`);
  const documentOf = createRowConverter(table);
  try {
    const expression = parseExpression(filter);
    let failure: ExpressionError | null = null;
    let looked = false;
    const found = rows.filter((row) => {
      try {
        const is = isTrue(expression, documentOf(row));
        looked = true;
        return is;
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        failure ??= error;
        return false;
      }
    });
    if (failure !== null && !looked) throw refuse(failure);
    return found;
  } catch (error) {
    throw error instanceof ExpressionError ? refuse(error) : error;
  }
}

let collator: Intl.Collator | null = null;

/** The collator is created on first use, because the start-up snapshot of the program cannot contain one. */
function textCollator(): Intl.Collator {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator;
}

/** Sorts rows by a cell: numbers before texts, and missing values last in both directions. */
function sortRows<T>(rows: readonly T[], cellOf: (row: T) => StudyCell, descending: boolean): readonly T[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [cellOf(one), cellOf(other)];
    if (a === b) return 0;
    if (a === null) return 1;
    if (b === null) return -1;
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return sign * textCollator().compare(String(a), String(b));
  });
}

/**
 * Answers a query for rows. Throws BraggError `invalid` for an invalid condition, and `not-found` for an unknown
 * column.
 */
export function queryTable(table: StudyTable, { filter, sort, groups, from, count }: TableQuery): StudyRows {
  const matched = cachedMatchingRows(table, filter);
  const found = cachedQueriesOf(table);
  found.notes ??= tableNotes(table);
  const told = { matching: matched.length, all: table.rows.length, notes: found.notes };
  const infos = columnsOf(table);
  if (groups.length === 0) {
    const at = sort === null ? 0 : columnIndex(table, sort.key);
    const ordered =
      sort === null
        ? matched
        : cachedList(table, ['sorted', filter, sort], () =>
            sortRows(matched, (row) => row[at] ?? null, sort.descending),
          );
    return { columns: infos, rows: ordered.slice(from, from + count), spans: [], shown: ordered.length, ...told };
  }
  const by = groups.map((key) => columnIndex(table, key));
  const { columns, lines } = cachedList(table, ['grouped', filter, groups], () => groupRows(infos, matched, by));
  // A grouped table may lack the column by which it was sorted. The groups then retain their order.
  const at = columns.findIndex(({ key }) => key === sort?.key);
  const ordered = sort === null || at < 0 ? lines : sortRows(lines, ({ cells }) => cells[at] ?? null, sort.descending);
  const part = ordered.slice(from, from + count);
  return {
    columns,
    rows: part.map(({ cells }) => cells),
    spans: part.map(({ spans }) => spans),
    shown: lines.length,
    ...told,
  };
}

/**
 * Numbers of a column. The loop is indexed: `Float64Array.from` with a function needs ten times as long for 100,000
 * rows.
 */
function numbersIn(rows: readonly Row[], at: number): Float64Array {
  const numbers = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) {
    const cell = rows[i]?.[at];
    numbers[i] = typeof cell === 'number' ? cell : Number.NaN;
  }
  return numbers;
}

function textsIn(rows: readonly Row[], at: number): NonNullable<StudyValues['texts']> {
  const places = new Map<string, number>();
  const of = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) {
    const cell = rows[i]?.[at] ?? null;
    const text = cell === null ? '' : typeof cell === 'string' ? cell : String(cell);
    const place = places.get(text) ?? places.size;
    if (place === places.size) places.set(text, place);
    of[i] = place;
  }
  return { different: [...places.keys()], of };
}

export interface RequestedColumns {
  readonly filter: string;
  readonly keys: readonly string[];
  readonly known: string | null;
}

export function columnValues(table: StudyTable, { filter, keys, known }: RequestedColumns): StudyColumns {
  const rows = cachedMatchingRows(table, filter);
  const infos = new Map(columnsOf(table).map((info) => [info.key, info]));
  const point = table.columns.findIndex(({ of, name }) => of === 'point' && name === 'point');
  const name = cachedList(table, ['name', filter], randomUUID);
  return {
    rows: name,
    points: name === known ? null : packedIds(rows.map((row) => String(row[point] ?? ''))),
    columns: keys.map((key) => {
      const at = columnIndex(table, key);
      return infos.get(key)?.numeric === true
        ? { key, numbers: numbersIn(rows, at), texts: null }
        : { key, numbers: null, texts: textsIn(rows, at) };
    }),
  };
}
