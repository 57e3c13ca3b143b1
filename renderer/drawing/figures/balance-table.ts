/** The balance of a run as a table, drawn so that it can be exported as a figure. */
import { curveArray } from '../export/figure.ts';
import { type Figure, type FigureSize, fitted, rowAxis, type Shape, withCaption } from './figure.ts';

export interface BalanceRow {
  readonly name: string;
  /** Null where the balance has no such entry. */
  readonly number: number | null;
  /** MeV. */
  readonly energy_MeV: number | null;
  /** Of the row above it. */
  readonly part: boolean;
  readonly strong: boolean;
}

const COLUMN = 11;

/** `text` writes the numbers of a column as the page shows them. */
export function balanceFigure(
  rows: readonly BalanceRow[],
  text: (column: 'number' | 'energy_MeV', value: number) => string,
  caption: string,
  { width, label }: FigureSize,
): Figure {
  const line = label * 1.7;
  const [energy, number] = [width - label / 2, width - label / 2 - COLUMN * label];
  const shapes: Shape[] = [];
  const row = (y: number, name: string, protons: string, carried: string, bold: boolean, indent: number): void => {
    const at = y + line * 0.7;
    const room = number - COLUMN * label * 0.7 - indent;
    shapes.push({
      kind: 'text',
      at: [label / 2 + indent, at],
      text: fitted(name, room, label),
      ink: 'text',
      size: label,
      bold,
    });
    shapes.push({ kind: 'text', at: [number, at], text: protons, ink: 'text', size: label, anchor: 'end', bold });
    shapes.push({ kind: 'text', at: [energy, at], text: carried, ink: 'text', size: label, anchor: 'end', bold });
    shapes.push({ kind: 'line', from: [0, y + line], to: [width, y + line], ink: 'plot-grid' });
  };
  row(0, '', 'Protons', 'Energy (MeV)', true, 0);
  rows.forEach((one, i) => {
    const shown = (column: 'number' | 'energy_MeV'): string => {
      const value = one[column];
      return value === null ? '' : text(column, value);
    };
    row((i + 1) * line, one.name, shown('number'), shown('energy_MeV'), one.strong, one.part ? label : 0);
  });
  const axis = rowAxis(rows.length);
  const column = (key: 'number' | 'energy_MeV'): number[] => rows.map((one) => one[key] ?? Number.NaN);
  const figure = {
    width,
    height: Math.ceil((rows.length + 1) * line + label / 2),
    title: 'Number and energy balance',
    shapes,
    arrays: [
      axis,
      curveArray('protons', '', 'protons, as the row of that number says', axis.name, column('number')),
      curveArray('energy', 'MeV', 'energy, as the row of that number says', axis.name, column('energy_MeV')),
    ],
    notes: Object.fromEntries(rows.map(({ name, part }, i) => [`row_${i + 1}`, part ? `… ${name}` : name])),
  };
  return withCaption(figure, caption, label);
}
