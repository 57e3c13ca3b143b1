/**
 * Exportable contents of a panel. One mechanism for all panels:
 *
 *     const figure: Figure = {
 *       name: 'Bone slab, depth dose',              // becomes the file name
 *       title: 'Bone slab: depth dose, step 120',   // printed above the drawing
 *       width, height,                              // CSS pixels, as on the screen
 *       paint: (context) => { … },                  // on any Drawing2D: a canvas (PNG) or an SVG file
 *       arrays: [depth, dose],                      // plotted data, with names and units
 *     };
 *     <ExportMenu onChoose={(format) => workbench.figures.save(figure, format)} />
 *
 * `MapView.figure` and `ChartView.figure` create one from their current contents, `combineFigures` combines several. A
 * panel that draws in another manner passes its own drawing as `paint`; one that cannot draw on a context (Plotly)
 * passes `svg`. PNG and SVG come from the drawing, CSV, NPZ and HDF5 from the arrays: exactly the plotted data, at the
 * plotted resolution.
 *
 * Plotted data as comma-separated values: one header line, numbers with all their digits.
 */
import { csvCell } from '../../../electron/domain/values/csv.ts';
import type { Drawing2D } from '../context-2d.ts';

export interface FigureArray {
  /** A Python identifier of letters, digits and underscores; unique in its figure. */
  readonly name: string;
  /** Empty for a plain number. */
  readonly unit: string;
  /** Description of the array in words. */
  readonly description: string;
  /** Row-major; one entry per axis. */
  readonly shape: readonly number[];
  readonly values: Float64Array | Float32Array | Uint32Array;
  /** Names of the arrays with the positions along each axis, slow axis first; missing if this array is an axis. */
  readonly axes?: readonly string[];
}

interface FigureBase {
  readonly name: string;
  readonly title: string;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly arrays: readonly FigureArray[];
  /** Metadata for readers of the numbers: run, step, variant. Saved in NPZ and HDF5. */
  readonly notes: Readonly<Record<string, string | number>>;
}

export type Figure =
  | (FigureBase & {
      /** Draws inside width × height. */
      paint(context: Drawing2D): void;
    })
  | (FigureBase & {
      /** Returns the complete figure as SVG. */
      svg(): Promise<string>;
    });

export type FigureFormat = 'png' | 'svg' | 'csv' | 'npz' | 'h5';

/** An array of positions along an axis. */
export function axisArray(name: string, unit: string, description: string, values: ArrayLike<number>): FigureArray {
  return { name, unit, description, shape: [values.length], values: new Float64Array(values) };
}

/** Values over one axis. */
export function curveArray(
  name: string,
  unit: string,
  description: string,
  axis: string,
  values: ArrayLike<number>,
): FigureArray {
  return { name, unit, description, shape: [values.length], values: new Float64Array(values), axes: [axis] };
}

/** Identifier made from any text: `θ – E` becomes `theta_E`. */
export function identifier(words: string): string {
  const greek = words.replace(/θ/g, 'theta').replace(/σ/g, 'sigma').replace(/ψ/g, 'psi').replace(/µ|μ/g, 'u');
  const plain = greek
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return plain === '' ? 'array' : /^\d/.test(plain) ? `_${plain}` : plain;
}

type PaintedFigure = Extract<Figure, { paint: unknown }>;

interface CombineOptions {
  readonly name: string;
  readonly title: string;
  readonly columns: number;
  /** Heading above each figure, and prefix of the names of its arrays. */
  readonly labels: readonly string[];
}

/** Combines several figures in rows into one figure. */
export function combineFigures(
  figures: readonly PaintedFigure[],
  { name, title, columns, labels }: CombineOptions,
  heading: (context: Drawing2D, text: string, x: number, y: number) => void,
): PaintedFigure {
  const HEADING = 20;
  const cell = {
    width: Math.max(1, ...figures.map(({ width }) => width)),
    height: Math.max(1, ...figures.map(({ height }) => height)) + HEADING,
  };
  const prefixed = (label: string, { arrays }: PaintedFigure): readonly FigureArray[] => {
    const prefix = identifier(label);
    return arrays.map(({ axes, ...array }) => ({
      ...array,
      name: `${prefix}_${array.name}`,
      ...(axes && { axes: axes.map((axis) => `${prefix}_${axis}`) }),
    }));
  };
  return {
    name,
    title,
    width: cell.width * Math.min(columns, figures.length),
    height: cell.height * Math.ceil(figures.length / columns),
    arrays: figures.flatMap((figure, i) => prefixed(labels[i] ?? `part ${i + 1}`, figure)),
    notes: Object.assign({}, ...figures.map(({ notes }) => notes)),
    paint: (context) => {
      for (const [i, figure] of figures.entries()) {
        context.save();
        context.translate((i % columns) * cell.width, Math.floor(i / columns) * cell.height);
        heading(context, labels[i] ?? '', figure.width / 2, HEADING / 2);
        context.translate(0, HEADING);
        figure.paint(context);
        context.restore();
      }
    },
  };
}

const columnTitle = ({ name, unit }: FigureArray): string =>
  unit === '' || name.endsWith(unitName(unit)) ? name : `${name}_${unitName(unit)}`;

/** Unit for use in a column header: `MeV/mm²` becomes `MeV_per_mm2`. */
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

/** Joins columns to CSV; shorter columns end in empty fields. */
function tableCsv(columns: readonly Column[]): string {
  const rows = Math.max(0, ...columns.map(([, values]) => values.length));
  const lines = [columns.map(([title]) => csvCell(title)).join(',')];
  for (let row = 0; row < rows; row += 1) {
    lines.push(columns.map(([, values]) => (row < values.length ? String(values[row]) : '')).join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** A map as CSV: the vertical axis runs down the rows, with one column per sample of the horizontal axis. */
function matrixCsv(field: FigureArray, vertical: FigureArray | null, horizontal: FigureArray | null): string {
  const [rows = 0, columns = 0] = field.shape;
  const down: Column =
    vertical === null ? ['row', Array.from({ length: rows }, (_, i) => i)] : [columnTitle(vertical), vertical.values];
  const across = Array.from({ length: columns }, (_, j): Column => {
    const at = horizontal === null ? j : Number((horizontal.values[j] ?? 0).toPrecision(10));
    const place = horizontal === null ? `column_${at}` : `${horizontal.name}_${at}_${unitName(horizontal.unit)}`;
    return [
      `${columnTitle(field)}_at_${place}`.replace(/_+$/, ''),
      Array.from({ length: rows }, (_, i) => field.values[i * columns + j] ?? 0),
    ];
  });
  return tableCsv([down, ...across]);
}

/** Curves share a table; every map has a separate table after an empty line. */
export function figureCsv(arrays: readonly FigureArray[]): string {
  const named = (name: string | undefined): FigureArray | null => arrays.find((array) => array.name === name) ?? null;
  const maps = arrays.filter(({ shape }) => shape.length === 2);
  const ofCurves = new Set(arrays.flatMap(({ shape, axes }) => (shape.length === 1 ? (axes ?? []) : [])));
  const curves = arrays.filter(
    ({ shape, name, axes }) => shape.length === 1 && (axes !== undefined || ofCurves.has(name)),
  );
  const blocks = maps.map((map) => matrixCsv(map, named(map.axes?.[0]), named(map.axes?.[1])));
  if (curves.length > 0) blocks.unshift(tableCsv(curves.map((array) => [columnTitle(array), array.values])));
  return blocks.join('\n');
}
