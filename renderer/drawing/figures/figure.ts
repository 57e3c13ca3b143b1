/**
 * A figure as a list of shapes in CSS pixels: drawn on the page, on a canvas,
 * and written as SVG by the report and the command line. Knows no DOM.
 */

import { axisArray, curveArray, type FigureArray } from '../export/figure.ts';

/** Colours by what they mean; the page takes them from its theme, files from `paper`. */
export type Ink =
  | 'text'
  | 'text-muted'
  | 'plot-axis'
  | 'plot-grid'
  | 'plot-surface'
  | 'good'
  | 'warning'
  | 'danger'
  | 'accent'
  | 'plot-curve'
  | 'plot-r80'
  | 'plot-reference'
  | `series-${number}`;

export type Point = readonly [x: number, y: number];

export type Shape =
  | Readonly<{ kind: 'line'; from: Point; to: Point; ink: Ink; width?: number; dash?: readonly number[] }>
  | Readonly<{ kind: 'path'; points: readonly Point[]; ink: Ink; width?: number; dash?: readonly number[] }>
  | Readonly<{ kind: 'area'; points: readonly Point[]; ink: Ink; opacity: number }>
  | Readonly<{
      kind: 'rect';
      x: number;
      y: number;
      width: number;
      height: number;
      ink: Ink;
      opacity?: number;
      /** Hover text. */
      tip?: string;
    }>
  | Readonly<{ kind: 'frame'; x: number; y: number; width: number; height: number; ink: Ink }>
  | Readonly<{
      kind: 'dot';
      at: Point;
      radius: number;
      ink: Ink;
      form?: 'round' | 'square' | 'ring';
      opacity?: number;
      tip?: string;
    }>
  | Readonly<{
      kind: 'text';
      at: Point;
      text: string;
      ink: Ink;
      size: number;
      anchor?: 'start' | 'middle' | 'end';
      bold?: boolean;
      /** Upwards along the vertical. */
      upright?: boolean;
    }>
  /** A data URL, its pixels shown as they are. */
  | Readonly<{ kind: 'image'; x: number; y: number; width: number; height: number; href: string }>;

export interface Figure {
  readonly width: number;
  readonly height: number;
  /** Title for headings, file names and screen readers. */
  readonly title: string;
  readonly shapes: readonly Shape[];
  /** Plotted data. */
  readonly arrays: readonly FigureArray[];
  /** Names of rows and the like, which arrays of numbers do not hold. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Size that every figure receives. */
export interface FigureSize {
  readonly width: number;
  /** Font size of labels, CSS pixels. */
  readonly label: number;
}

/** Colours of files, which are read in light and printed. Tested for contrast with the page's light theme. */
export const paper: Readonly<Record<string, string>> = {
  text: '#171c24',
  'text-muted': '#4b5565',
  'plot-axis': '#8d97a6',
  'plot-grid': '#e3e7ed',
  'plot-surface': '#f7f8fa',
  good: '#17693c',
  warning: '#7d4f00',
  danger: '#b0241c',
  accent: '#1d5bbf',
  'plot-curve': '#1d5bbf',
  'plot-r80': '#b0441c',
  'plot-reference': '#17693c',
  'series-1': '#1d5bbf',
  'series-2': '#b0441c',
  'series-3': '#17693c',
  'series-4': '#8a3ba8',
  'series-5': '#7d4f00',
  'series-6': '#0b6f80',
  'series-7': '#b01e6c',
  'series-8': '#5f6a7a',
};

const SERIES = 8;

/** Series colours go round. */
export function seriesInk(index: number): Ink {
  return `series-${(((index % SERIES) + SERIES) % SERIES) + 1}`;
}

/** Width of text without measuring it: the same in every program, so that files come out the same. */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) {
    if (/[ilj.,:;'|!()[\]]/.test(character)) width += 0.34;
    else if (/[mwMW@%—]/.test(character)) width += 0.9;
    else if (/[A-Z]/.test(character)) width += 0.7;
    else width += 0.6;
  }
  return width * size;
}

/** As much of the text as fits, with an ellipsis for the rest. */
export function fitted(text: string, width: number, size: number): string {
  if (textWidth(text, size) <= width) return text;
  let end = text.length - 1;
  while (end > 1 && textWidth(`${text.slice(0, end)}…`, size) > width) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** Words in lines within a width. */
export function captionLines(caption: string, width: number, label: number): readonly string[] {
  const lines = [''];
  for (const word of caption.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (textWidth(longer, label) <= width - label || lines.at(-1) === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The figure with a line or more below it, such as the machine it was measured on. */
export function withCaption(figure: Figure, caption: string, label: number): Figure {
  const lines = captionLines(caption, figure.width, label);
  const texts = lines.map((text, i): Shape => {
    const at = [label / 2, figure.height + (i + 1) * 1.4 * label] as const;
    return { kind: 'text', at, text, ink: 'text-muted', size: label };
  });
  const height = Math.round(figure.height + (lines.length + 0.6) * 1.4 * label);
  return { ...figure, height, shapes: [...figure.shapes, ...texts], notes: { ...figure.notes, caption } };
}

/** A ratio per row, and the ends of its interval; NaN where there is none. */
export function ratioArrays(
  name: string,
  description: string,
  axis: string,
  ratios: readonly {
    readonly value: number;
    readonly interval: { readonly low: number; readonly high: number } | null;
  }[],
): readonly FigureArray[] {
  const column = (suffix: string, words: string, values: readonly number[]): FigureArray =>
    curveArray(`${name}${suffix}`, '', `${description}${words}`, axis, values);
  return [
    column(
      '',
      '',
      ratios.map(({ value }) => value),
    ),
    column(
      '_low',
      ', 95 % interval, lower end',
      ratios.map(({ interval }) => interval?.low ?? Number.NaN),
    ),
    column(
      '_high',
      ', 95 % interval, upper end',
      ratios.map(({ interval }) => interval?.high ?? Number.NaN),
    ),
  ];
}

/** Rows by number; their names are in the notes. */
export function rowAxis(count: number): FigureArray {
  return axisArray(
    'row',
    '',
    'row of the figure, from the top',
    Array.from({ length: count }, (_, i) => i + 1),
  );
}
