/** A study's table as Parquet and as HDF5: a column a column, with its unit. */
import { createFile } from '../../io/hdf5/h5.ts';
import { put, putNote } from '../../io/hdf5/put.ts';
import { parquetFile } from '../../io/parquet/parquet.ts';
import { titleOf } from './csv.ts';
import type { Cell, StudyTable } from './table.ts';

const FORMAT = 'braggbench-study-table';

const textOf = (cell: Cell): string => (cell === null ? '' : String(cell));

/** Numbers where all that is there are; what is mixed is text. */
const isNumeric = (cells: readonly Cell[]): boolean =>
  cells.some((cell) => cell !== null) && cells.every((cell) => cell === null || typeof cell === 'number');

/** Unique column names: duplicates are prefixed with their group. */
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

/** Titles carry the units as those of CSV do; the file's metadata has them by column, as JSON. */
export function tableParquet(table: StudyTable): Promise<Uint8Array> {
  const { columns, machines, missing } = table;
  const names = uniqueNames(columns, titleOf);
  const data = columns.map((_, i) => {
    const cells = cellsOf(table, i);
    const name = names[i] ?? '';
    if (isNumeric(cells)) return { name, type: 'DOUBLE' as const, data: cells };
    return { name, type: 'STRING' as const, data: cells.map((cell) => (cell === null ? null : String(cell))) };
  });
  return parquetFile(data, {
    format: FORMAT,
    columns: JSON.stringify(columns.map(({ name, unit, of }, i) => ({ column: names[i], name, unit, of }))),
    machines: JSON.stringify(machines),
    missing: String(missing),
  });
}

/** A dataset a column, with the unit as its attribute. An empty number is NaN, an empty text has no letters. */
export function tableHdf5(table: StudyTable): Promise<Uint8Array> {
  const { columns, machines, missing, rows } = table;
  // A slash would begin a group.
  const names = uniqueNames(columns, ({ name }) => name.replaceAll('/', '∕'));
  return createFile((file) => {
    putNote(file, 'format', FORMAT);
    putNote(file, 'rows', rows.length);
    putNote(file, 'missing', missing);
    if (machines.length > 0)
      putNote(
        file,
        'machines',
        machines.map(({ machine, rows: of }) => `${machine}: ${of} rows`),
      );
    // In the order of the table: HDF5 lists by name.
    if (names.length > 0) putNote(file, 'columns', [...names]);
    if (rows.length === 0) return;
    for (const [i, { unit, of }] of columns.entries()) {
      const cells = cellsOf(table, i);
      const name = names[i] ?? '';
      const notes = { unit, of };
      if (isNumeric(cells)) {
        put(
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
      for (const [key, value] of Object.entries(notes)) putNote(dataset, key, value);
    }
  });
}
