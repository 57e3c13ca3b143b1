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
 * `MapView.figure` and `ChartView.figure` create one from their current contents,
 * `joined` combines several. A panel that draws in another manner passes its own
 * drawing as `paint`; one that cannot draw on a context (Plotly) passes `svg`.
 * PNG and SVG come from the drawing, CSV, NPZ and HDF5 from the arrays: exactly
 * the plotted data, at the plotted resolution.
 */
import type { Drawing2D } from '../context-2d.ts';

export interface FigureArray {
  /** A Python identifier: letters, digits and underscores. Unique in its figure. */
  readonly name: string;
  /** Empty: a plain number. */
  readonly unit: string;
  /** Description in words. */
  readonly description: string;
  /** Row-major; one entry per axis. */
  readonly shape: readonly number[];
  readonly values: Float64Array | Float32Array | Uint32Array;
  /** Names of the arrays that hold the positions along each axis, slow axis first; missing: it is an axis itself. */
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
      /** Draws within width × height. */
      paint(context: Drawing2D): void;
    })
  | (FigureBase & {
      /** The whole figure as SVG. */
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

/** Letters, digits and underscores of any words: `θ – E` becomes `theta_E`. */
export function identifier(words: string): string {
  const greek = words.replace(/θ/g, 'theta').replace(/σ/g, 'sigma').replace(/ψ/g, 'psi').replace(/µ|μ/g, 'u');
  const plain = greek
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return plain === '' ? 'array' : /^\d/.test(plain) ? `_${plain}` : plain;
}

type Painted = Extract<Figure, { paint: unknown }>;

interface JoinedParts {
  readonly name: string;
  readonly title: string;
  readonly columns: number;
  /** Heading above each figure, and prefix of the names of its arrays. */
  readonly labels: readonly string[];
}

/** Several figures in rows, as one. */
export function joined(
  figures: readonly Painted[],
  { name, title, columns, labels }: JoinedParts,
  heading: (context: Drawing2D, text: string, x: number, y: number) => void,
): Painted {
  const HEADING = 20;
  const cell = {
    width: Math.max(1, ...figures.map(({ width }) => width)),
    height: Math.max(1, ...figures.map(({ height }) => height)) + HEADING,
  };
  const prefixed = (label: string, { arrays }: Painted): readonly FigureArray[] => {
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
