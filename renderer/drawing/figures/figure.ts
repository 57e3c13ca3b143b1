/**
 * A figure as a list of shapes in CSS pixels, without the DOM: drawn on the page or a canvas, or written as SVG by the
 * report and the command line. The SVG text of a figure has the same bytes in every program.
 */
import { axisArray, curveArray, type FigureArray } from '../export/figure.ts';

/** Colours by meaning; the page takes them from its theme, files from `paperInks`. */
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
      /** True for vertical text that reads upwards. */
      upright?: boolean;
    }>
  /** An image as a data URL, shown without smoothing of its pixels. */
  | Readonly<{ kind: 'image'; x: number; y: number; width: number; height: number; href: string }>;

export interface Figure {
  readonly width: number;
  readonly height: number;
  /** Title for headings, file names and screen readers. */
  readonly title: string;
  readonly shapes: readonly Shape[];
  /** Plotted data. */
  readonly arrays: readonly FigureArray[];
  /** Text that numeric arrays cannot hold, such as the names of rows. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Available width in CSS pixels, and the size of the labels. The height follows from the contents. */
export interface FigureSize {
  readonly width: number;
  /** Font size of labels, CSS pixels. */
  readonly label: number;
}

/** Colours for files, which are light and suited to print. A test checks their contrast with the page's light theme. */
const paperInks: Readonly<Record<string, string>> = {
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

/** Series colours repeat after the last one. */
export function seriesInk(index: number): Ink {
  return `series-${(((index % SERIES) + SERIES) % SERIES) + 1}`;
}

/** Estimated width of text, equal in every program, so that files are reproducible. */
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

/** The text, shortened with an ellipsis if it does not fit. */
export function shortenToFit(text: string, width: number, size: number): string {
  if (textWidth(text, size) <= width) return text;
  let end = text.length - 1;
  while (end > 1 && textWidth(`${text.slice(0, end)}…`, size) > width) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** Wraps words into lines of a given width. */
export function captionLines(caption: string, width: number, label: number): readonly string[] {
  const lines = [''];
  for (const word of caption.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (textWidth(longer, label) <= width - label || lines.at(-1) === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The figure with a caption of one or more lines below, such as the machine it was measured on. */
export function withCaption(figure: Figure, caption: string, label: number): Figure {
  const lines = captionLines(caption, figure.width, label);
  const texts = lines.map((text, i): Shape => {
    const at = [label / 2, figure.height + (i + 1) * 1.4 * label] as const;
    return { kind: 'text', at, text, ink: 'text-muted', size: label };
  });
  const height = Math.round(figure.height + (lines.length + 0.6) * 1.4 * label);
  return { ...figure, height, shapes: [...figure.shapes, ...texts], notes: { ...figure.notes, caption } };
}

/** A ratio per row and the ends of its interval; NaN if missing. */
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

/** Axis of row numbers; the names of the rows are in the notes. */
export function rowAxis(count: number): FigureArray {
  return axisArray(
    'row',
    '',
    'row of the figure, from the top',
    Array.from({ length: count }, (_, i) => i + 1),
  );
}

const FAMILY = "Inter, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Rounds to hundredths of a pixel: finer is not visible, and coarser shows in curves. */
function pixelText(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(Object.is(rounded, -0) ? 0 : rounded);
}

export function pathOf(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${pixelText(x)} ${pixelText(y)}`).join('');
}

const inkOf = (ink: Ink): string => paperInks[ink] ?? '#000000';
const dashAttribute = (dash: readonly number[] | undefined): string =>
  dash === undefined || dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
const opacityAttribute = (opacity: number | undefined): string =>
  opacity === undefined ? '' : ` opacity="${pixelText(opacity)}"`;
const elementWithTip = (tag: string, attributes: string, tip: string | undefined): string =>
  tip === undefined ? `<${tag} ${attributes}/>` : `<${tag} ${attributes}><title>${escapeXml(tip)}</title></${tag}>`;

function shapeSvg(shape: Shape): string {
  switch (shape.kind) {
    case 'line': {
      const { from, to, ink, width = 1, dash } = shape;
      const ends = `x1="${pixelText(from[0])}" y1="${pixelText(from[1])}" x2="${pixelText(to[0])}" y2="${pixelText(to[1])}"`;
      return `<line ${ends} stroke="${inkOf(ink)}" stroke-width="${width}"${dashAttribute(dash)}/>`;
    }
    case 'path': {
      const { points, ink, width = 1.5, dash } = shape;
      const stroke = `stroke="${inkOf(ink)}" stroke-width="${width}" stroke-linejoin="round"`;
      return `<path d="${pathOf(points)}" fill="none" ${stroke}${dashAttribute(dash)}/>`;
    }
    case 'area':
      return `<path d="${pathOf(shape.points)}Z" fill="${inkOf(shape.ink)}"${opacityAttribute(shape.opacity)}/>`;
    case 'rect': {
      const { x, y, width, height, ink, opacity, tip } = shape;
      const box = `x="${pixelText(x)}" y="${pixelText(y)}" width="${pixelText(width)}" height="${pixelText(height)}"`;
      return elementWithTip('rect', `${box} fill="${inkOf(ink)}"${opacityAttribute(opacity)}`, tip);
    }
    case 'frame': {
      const { x, y, width, height, ink } = shape;
      const box = `x="${pixelText(x)}" y="${pixelText(y)}" width="${pixelText(width)}" height="${pixelText(height)}"`;
      return `<rect ${box} fill="none" stroke="${inkOf(ink)}"/>`;
    }
    case 'dot': {
      const { at, radius: r, ink, form = 'round', opacity, tip } = shape;
      const color = inkOf(ink);
      if (form === 'square') {
        const side = `x="${pixelText(at[0] - r)}" y="${pixelText(at[1] - r)}" width="${pixelText(2 * r)}" height="${pixelText(2 * r)}"`;
        return elementWithTip('rect', `${side} fill="${color}"${opacityAttribute(opacity)}`, tip);
      }
      const fill = form === 'ring' ? `fill="none" stroke="${color}" stroke-width="1.5"` : `fill="${color}"`;
      return elementWithTip(
        'circle',
        `cx="${pixelText(at[0])}" cy="${pixelText(at[1])}" r="${pixelText(r)}" ${fill}${opacityAttribute(opacity)}`,
        tip,
      );
    }
    case 'text': {
      const { at, text, ink, size, anchor = 'start', bold = false, upright = false } = shape;
      const turn = upright ? ` transform="rotate(-90 ${pixelText(at[0])} ${pixelText(at[1])})"` : '';
      const place = `x="${pixelText(at[0])}" y="${pixelText(at[1])}" font-size="${pixelText(size)}" fill="${inkOf(ink)}"`;
      const weight = bold ? ' font-weight="600"' : '';
      return `<text ${place} text-anchor="${anchor}"${weight}${turn}>${escapeXml(text)}</text>`;
    }
    case 'image': {
      const { x, y, width, height, href } = shape;
      const box = `x="${pixelText(x)}" y="${pixelText(y)}" width="${pixelText(width)}" height="${pixelText(height)}"`;
      return `<image ${box} preserveAspectRatio="none" image-rendering="pixelated" href="${href}"/>`;
    }
  }
}

/** `background`: a light background, for files that are shown by themselves. */
export function figureSvg(
  { width, height, title, shapes }: Figure,
  { background }: { readonly background: boolean },
): string {
  const size = `width="${pixelText(width)}" height="${pixelText(height)}" viewBox="0 0 ${pixelText(width)} ${pixelText(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" font-family="${FAMILY}">`,
    `<title>${escapeXml(title)}</title>`,
    ...(background ? [`<rect width="${pixelText(width)}" height="${pixelText(height)}" fill="#ffffff"/>`] : []),
    ...shapes.map(shapeSvg),
    '</svg>',
    '',
  ].join('\n');
}
