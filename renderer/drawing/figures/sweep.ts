/** Time, set-up share and rate against size, with the fitted fixed cost and slope. */

import type { SessionFit, Words } from '../../../electron/contract/bench/session.ts';
import { fixedText, measuredTime, tickTime } from '../../base/measured.ts';
import { compact, percent } from '../../base/numbers.ts';
import { axisArray, curveArray, type FigureArray, identifier } from '../export/figure.ts';
import { type FigureAxis, horizontalRoom, logLimits, plotAxes, verticalRoom } from './axes.ts';
import { type Figure, type FigureSize, type Point, type Shape, seriesInk, textWidth } from './figure.ts';

type SweepPoint = SessionFit['points'][number];

interface Quantity {
  readonly axis: Omit<FigureAxis, 'from' | 'to'>;
  readonly limits: readonly [number, number] | null;
  readonly of: (point: SweepPoint) => number;
  readonly text: (value: number) => string;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What sizes are counted in, in the plural, as one is called in a fit: `per million cells`. */
const isCount = ({ rate }: Words): boolean => rate !== null;

function quantitiesOf({ timeTip, rate }: Words): readonly Quantity[] {
  const all: readonly (Quantity | null)[] = [
    {
      axis: { title: `Time ${timeTip.split(',')[0]}`, unit: '', kind: 'log', format: tickTime },
      limits: null,
      of: ({ time_s }) => time_s,
      text: measuredTime,
    },
    {
      axis: { title: 'Share of set-up', unit: '', kind: 'linear', format: (value) => `${Math.round(100 * value)} %` },
      limits: [0, 1],
      of: ({ setup_share }) => setup_share,
      text: percent,
    },
    rate === null
      ? null
      : {
          axis: { title: `${rate} per second`, unit: '1/s', kind: 'log' },
          limits: null,
          of: (point) => point.rate ?? Number.NaN,
          text: (value) => `${compact(value)}/s`,
        },
  ];
  return all.filter((one) => one !== null);
}

const sizeText = (size: number, words: Words): string =>
  isCount(words) ? `${compact(size)} ${words.size}` : `${words.size} = ${compact(size)}`;

function slopeText(fixed_s: number, slope_s: number, words: Words): string {
  const fixed = fixedText(fixed_s);
  if (!isCount(words)) return `${fixed}, ${measuredTime(slope_s)} for each more of ${words.size}`;
  return `${fixed}, ${measuredTime(slope_s * 1e6)} per million ${words.size}`;
}

/** Sizes at which a fitted line is drawn: it bends on logarithmic axes. */
const FIT_POINTS = 48;

export function sweepFigure(fits: readonly SessionFit[], words: Words, { width, label }: FigureSize): Figure {
  const quantities = quantitiesOf(words);
  const drawn = fits.filter(({ points }) => points.length > 0);
  const columns = width >= 62 * label ? quantities.length : 1;
  const legend = drawn.length * 1.5 * label + label;
  const panel = width / columns;
  const tall = 17 * label;
  const cells = drawn.flatMap(({ points }) => points.map((point) => point.size));
  const [from, to] = logLimits(cells, 1.6);
  const shapes: Shape[] = [];
  drawn.forEach(({ label: name, fixed_s, slope_s }, i) => {
    const y = (i + 0.8) * 1.5 * label;
    shapes.push({ kind: 'line', from: [label, y], to: [3 * label, y], ink: seriesInk(i), width: 2 });
    const fit = fixed_s === null || slope_s === null ? 'too few sizes for a fit' : slopeText(fixed_s, slope_s, words);
    shapes.push({
      kind: 'text',
      at: [3.6 * label, y + 0.35 * label],
      text: name,
      ink: 'text',
      size: label,
      bold: true,
    });
    const after = 3.6 * label + textWidth(name, label) * 1.08 + label;
    shapes.push({ kind: 'text', at: [after, y + 0.35 * label], text: fit, ink: 'text-muted', size: label });
  });
  quantities.forEach((quantity, q) => {
    const [column, row] = columns > 1 ? [q, 0] : [0, q];
    const box = {
      left: column * panel + verticalRoom(label),
      top: legend + row * (tall + horizontalRoom(label) + label) + label / 2,
      width: panel - verticalRoom(label) - label,
      height: tall,
    };
    const values = drawn.flatMap(({ points }) => points.map(quantity.of));
    const [low, high] = quantity.limits ?? logLimits(values, 1.5);
    const across = { title: capital(words.size), unit: '', kind: 'log', from, to } as const;
    const plot = plotAxes(across, { ...quantity.axis, from: low, to: high }, box, label);
    shapes.push(...plot.shapes);
    drawn.forEach((fit, i) => {
      const ink = seriesInk(i);
      const { fixed_s, slope_s } = fit;
      if (q === 0 && fixed_s !== null && slope_s !== null) {
        const line = Array.from({ length: FIT_POINTS }, (_, k): Point => {
          const size = from * (to / from) ** (k / (FIT_POINTS - 1));
          return [plot.x.toPixel(size), plot.y.toPixel(fixed_s + slope_s * size)];
        }).filter(([, y]) => y >= box.top && y <= box.top + box.height);
        shapes.push({ kind: 'path', points: line, ink, width: 1.25, dash: [4, 3] });
      } else {
        const points = [...fit.points].sort((a, b) => a.size - b.size);
        const line = points.map((point): Point => [plot.x.toPixel(point.size), plot.y.toPixel(quantity.of(point))]);
        shapes.push({ kind: 'path', points: line, ink, width: 1.25 });
      }
      for (const point of fit.points) {
        const value = quantity.of(point);
        const tip = `${fit.label}: ${sizeText(point.size, words)}, ${quantity.text(value)}`;
        const at: Point = [plot.x.toPixel(point.size), plot.y.toPixel(value)];
        shapes.push({ kind: 'dot', at, radius: label * 0.34, ink, form: i % 2 === 0 ? 'round' : 'square', tip });
      }
    });
  });
  const bands = columns > 1 ? 1 : quantities.length;
  const height = Math.round(legend + bands * (tall + horizontalRoom(label) + label));
  return {
    width,
    height,
    title: 'Time, set-up and rate against size',
    shapes,
    arrays: drawn.flatMap(({ label: name, points }) => {
      const prefix = identifier(name);
      const sizes = axisArray(
        `${prefix}_${identifier(words.size)}`,
        '',
        `${words.size}, ${name}`,
        points.map((point) => point.size),
      );
      const column = (what: string, unit: string, words: string, of: (point: SweepPoint) => number): FigureArray =>
        curveArray(`${prefix}_${what}`, unit, `${words}, ${name}`, sizes.name, points.map(of));
      return [
        sizes,
        column('time_s', 's', `median time ${words.timeTip}`, ({ time_s }) => time_s),
        column('setup_share', '', 'share of set-up', ({ setup_share }) => setup_share),
        ...(words.rate === null
          ? []
          : [column('rate', '1/s', `${words.rate} per second`, ({ rate }) => rate ?? Number.NaN)]),
      ];
    }),
    notes: Object.fromEntries(
      drawn.map(({ label: name, fixed_s, slope_s }) => [
        `fit of ${name}`,
        `fixed ${fixed_s ?? 'not known'} s, slope ${slope_s ?? 'not known'} s per one of ${words.size}`,
      ]),
    ),
  };
}
