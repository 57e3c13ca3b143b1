/**
 * Lines of equal value through the centres of a field's samples: marching squares. By hand: d3-contour closes its lines
 * along the field's edge, where nothing crosses, and gives objects instead of one array.
 */
import type { FieldMap } from '../../electron/contract/fields.ts';
import { sampleEdge } from './field-image.ts';
import type { ScaleKind } from './normalisation.ts';

export interface Contour {
  readonly value: number;
  readonly label: string;
  /** Pieces, each two points: x0, y0, x1, y1 in the axes' units. */
  readonly segments: Float32Array;
}

/** Shares of the largest value: isodose lines as they are read, or decades where decades are shown. */
const LINEAR_SHARES = [0.1, 0.3, 0.5, 0.8, 0.9, 0.95];
const LOG_SHARES = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5];

interface Level {
  readonly value: number;
  readonly label: string;
}

/** Levels at fixed shares of the larger end of the field; on both sides of zero where values have both signs. */
export function contourLevels({ min, max }: Pick<FieldMap, 'min' | 'max'>, scale: ScaleKind): readonly Level[] {
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (!(size > 0)) return [];
  const shares = scale === 'linear' ? LINEAR_SHARES : LOG_SHARES;
  const text = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;
  const above = shares.map((share) => ({ value: share * size, label: text(share) }));
  if (!(min < -1e-9 * size)) return above;
  const below = above.map(({ value, label }) => ({ value: -value, label: `−${label}` }));
  return [...below, ...above].filter(({ value }) => value > min && value < max);
}

/** For each of the 16 cases of corners above the level (1 left bottom, 2 right bottom, 4 right top, 8 left top): edges that a line joins. */
const BOTTOM = 0;
const RIGHT = 1;
const TOP = 2;
const LEFT = 3;
const lines: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[LEFT, BOTTOM]],
  [[BOTTOM, RIGHT]],
  [[LEFT, RIGHT]],
  [[RIGHT, TOP]],
  [
    [LEFT, BOTTOM],
    [RIGHT, TOP],
  ],
  [[BOTTOM, TOP]],
  [[LEFT, TOP]],
  [[TOP, LEFT]],
  [[TOP, BOTTOM]],
  [
    [BOTTOM, RIGHT],
    [TOP, LEFT],
  ],
  [[TOP, RIGHT]],
  [[RIGHT, LEFT]],
  [[RIGHT, BOTTOM]],
  [[BOTTOM, LEFT]],
  [],
];

function centres(axis: FieldMap['horizontal']): Float64Array {
  return Float64Array.from({ length: axis.count }, (_, i) => (sampleEdge(axis, i) + sampleEdge(axis, i + 1)) / 2);
}

export function contour(field: FieldMap, { value, label }: Level): Contour {
  const { values, horizontal, vertical } = field;
  const [nx, ny] = [horizontal.count, vertical.count];
  const [xs, ys] = [centres(horizontal), centres(vertical)];
  const out: number[] = [];
  for (let j = 0; j + 1 < ny; j += 1) {
    for (let i = 0; i + 1 < nx; i += 1) {
      const at = j * nx + i;
      const [a, b, c, d] = [values[at] ?? 0, values[at + 1] ?? 0, values[at + nx + 1] ?? 0, values[at + nx] ?? 0];
      const index = (a >= value ? 1 : 0) | (b >= value ? 2 : 0) | (c >= value ? 4 : 0) | (d >= value ? 8 : 0);
      if (index === 0 || index === 15) continue;
      const [x0, x1, y0, y1] = [xs[i] ?? 0, xs[i + 1] ?? 0, ys[j] ?? 0, ys[j + 1] ?? 0];
      const share = (from: number, to: number): number => (value - from) / (to - from);
      const point = (edge: number): readonly [number, number] => {
        if (edge === BOTTOM) return [x0 + share(a, b) * (x1 - x0), y0];
        if (edge === RIGHT) return [x1, y0 + share(b, c) * (y1 - y0)];
        if (edge === TOP) return [x0 + share(d, c) * (x1 - x0), y1];
        return [x0, y0 + share(a, d) * (y1 - y0)];
      };
      for (const [from, to] of lines[index] ?? []) out.push(...point(from), ...point(to));
    }
  }
  return { value, label, segments: Float32Array.from(out) };
}

export function contours(field: FieldMap, levels: readonly Level[]): readonly Contour[] {
  return levels.map((level) => contour(field, level)).filter(({ segments }) => segments.length > 0);
}
