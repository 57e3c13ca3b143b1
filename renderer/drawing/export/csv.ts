/** Plotted data as comma-separated values: one header line, numbers with all their digits. */
import { csvCell } from '../../../electron/contract/csv.ts';
import type { FigureArray } from './figure.ts';

const titled = ({ name, unit }: FigureArray): string =>
  unit === '' || name.endsWith(unitName(unit)) ? name : `${name}_${unitName(unit)}`;

/** `MeV/mm²` as a header can hold it: `MeV_per_mm2`. */
export function unitName(unit: string): string {
  return unit
    .replace(/\//g, '_per_')
    .replace(/²/g, '2')
    .replace(/³/g, '3')
    .replace(/%/g, 'percent')
    .replace(/°/g, 'deg')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

type Column = readonly [title: string, values: ArrayLike<number>];

/** Shorter columns end in empty fields. */
function table(columns: readonly Column[]): string {
  const rows = Math.max(0, ...columns.map(([, values]) => values.length));
  const lines = [columns.map(([title]) => csvCell(title)).join(',')];
  for (let row = 0; row < rows; row += 1) {
    lines.push(columns.map(([, values]) => (row < values.length ? String(values[row]) : '')).join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** A map: its vertical axis down the rows, one column per sample of the horizontal one. */
function matrix(field: FigureArray, vertical: FigureArray | null, horizontal: FigureArray | null): string {
  const [rows = 0, columns = 0] = field.shape;
  const down: Column =
    vertical === null ? ['row', Array.from({ length: rows }, (_, i) => i)] : [titled(vertical), vertical.values];
  const across = Array.from({ length: columns }, (_, j): Column => {
    const at = horizontal === null ? j : Number((horizontal.values[j] ?? 0).toPrecision(10));
    const place = horizontal === null ? `column_${at}` : `${horizontal.name}_${at}_${unitName(horizontal.unit)}`;
    return [
      `${titled(field)}_at_${place}`.replace(/_+$/, ''),
      Array.from({ length: rows }, (_, i) => field.values[i * columns + j] ?? 0),
    ];
  });
  return table([down, ...across]);
}

/** Curves share one table; every map has a table of its own, after an empty line. */
export function figureCsv(arrays: readonly FigureArray[]): string {
  const named = (name: string | undefined): FigureArray | null => arrays.find((array) => array.name === name) ?? null;
  const maps = arrays.filter(({ shape }) => shape.length === 2);
  const ofCurves = new Set(arrays.flatMap(({ shape, axes }) => (shape.length === 1 ? (axes ?? []) : [])));
  const curves = arrays.filter(
    ({ shape, name, axes }) => shape.length === 1 && (axes !== undefined || ofCurves.has(name)),
  );
  const blocks = maps.map((map) => matrix(map, named(map.axes?.[0]), named(map.axes?.[1])));
  if (curves.length > 0) blocks.unshift(table(curves.map((array) => [titled(array), array.values])));
  return blocks.join('\n');
}
