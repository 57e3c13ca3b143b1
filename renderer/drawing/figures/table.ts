/** A table as a figure that can be exported. Its width follows from its contents. */
import { curveArray } from '../export/figure.ts';
import { type Figure, rowAxis, type Shape, textWidth, withCaption } from './figure.ts';

export interface TableColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Texts as on the page, one per row. */
  readonly texts: readonly string[];
  /** Numbers for numeric files; null for a column of words. NaN if a row has none. */
  readonly numbers: {
    readonly name: string;
    readonly unit: string;
    readonly description: string;
    readonly values: readonly number[];
  } | null;
}

interface TableRow {
  readonly strong?: boolean;
  /** True if the row is a detail of the row above. */
  readonly part?: boolean;
}

/** Width of bold letters relative to the estimate of `textWidth`. */
const BOLD_WIDTH_FACTOR = 1.06;

/** Draws a table; the first column contains the names of the rows. */
export function tableFigure(
  title: string,
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  caption: string,
  label: number,
): Figure {
  const line = label * 1.7;
  const gap = label * 2;
  const shapes: Shape[] = [];
  let left = label / 2;
  for (const [index, { title: head, align, texts }] of columns.entries()) {
    const indent = (row: number): number => (index === 0 && rows[row]?.part === true ? label : 0);
    const widest = Math.max(
      textWidth(head, label) * BOLD_WIDTH_FACTOR,
      ...texts.map((text, row) => textWidth(text, label) * BOLD_WIDTH_FACTOR + indent(row)),
    );
    const cell = (text: string, row: number, bold: boolean): void => {
      const x = align === 'right' ? left + widest : left + (row < 0 ? 0 : indent(row));
      const at = [x, (row + 1) * line + line * 0.7] as const;
      const anchor = align === 'right' ? 'end' : 'start';
      shapes.push({ kind: 'text', at, text, ink: 'text', size: label, anchor, bold });
    };
    cell(head, -1, true);
    for (const [row, text] of texts.entries()) cell(text, row, rows[row]?.strong === true);
    left += widest + gap;
  }
  const width = Math.ceil(left - gap + label / 2);
  for (let row = 0; row <= rows.length; row += 1) {
    const y = (row + 1) * line;
    shapes.push({ kind: 'line', from: [0, y], to: [width, y], ink: row === 0 ? 'plot-axis' : 'plot-grid' });
  }
  const axis = rowAxis(rows.length);
  const words = columns.filter(({ numbers }) => numbers === null);
  const figure = {
    width,
    height: Math.ceil((rows.length + 1) * line + label / 2),
    title,
    shapes,
    arrays: [
      axis,
      ...columns.flatMap(({ numbers }) =>
        numbers === null
          ? []
          : [curveArray(numbers.name, numbers.unit, numbers.description, axis.name, numbers.values)],
      ),
    ],
    notes: Object.fromEntries(
      rows.map((_, row) => [`row_${row + 1}`, words.map(({ texts }) => texts[row] ?? '').join('; ')]),
    ),
  };
  return caption === '' ? figure : withCaption(figure, caption, label);
}
