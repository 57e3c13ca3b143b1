/** Time, set-up share and rate over the problem size, with the fitted fixed cost and slope. */

import { fittedLine, type SessionFit, type SessionTerms } from '../../../electron/contract/bench/session.ts';
import { formatTickTime, measuredTime } from '../../../electron/domain/measured.ts';
import { compactCount, percent } from '../../../electron/domain/numbers.ts';
import { axisArray, curveArray, type FigureArray, identifier } from '../export/figure.ts';
import { type FigureAxis, logLimits } from '../figures/axes.ts';
import { seriesInk } from '../figures/figure.ts';
import type { Chart, Pane, Series } from './chart.ts';

type SweepPoint = SessionFit['points'][number];

interface Quantity {
  readonly axis: Omit<FigureAxis, 'from' | 'to'>;
  readonly limits: readonly [number, number] | null;
  readonly of: (point: SweepPoint) => number;
  readonly text: (value: number) => string;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether the swept parameter is a count: fits then report a slope such as `per million cells`. */
const isCount = ({ rate }: SessionTerms): boolean => rate !== null;

function quantitiesOf({ timeTip, rate }: SessionTerms): readonly Quantity[] {
  const all: readonly (Quantity | null)[] = [
    {
      axis: { title: `Time ${timeTip.split(',')[0]}`, unit: '', kind: 'log', format: formatTickTime },
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
          text: (value) => `${compactCount(value)}/s`,
        },
  ];
  return all.filter((one) => one !== null);
}

const sizeText = (size: number, words: SessionTerms): string =>
  isCount(words) ? `${compactCount(size)} ${words.size}` : `${words.size} = ${compactCount(size)}`;

function slopeText(fixed_s: number, slope_s: number, words: SessionTerms): string {
  const fixed = `${measuredTime(fixed_s)} fixed`;
  if (!isCount(words)) return `${fixed}, ${measuredTime(slope_s)} per additional ${words.size}`;
  return `${fixed}, ${measuredTime(slope_s * 1e6)} per million ${words.size}`;
}

/** Number of sizes at which a fitted line is evaluated, because a straight line is curved on logarithmic axes. */
const FIT_POINTS = 48;

/** Height of a plot and minimum width for plots side by side, in label heights. */
const [TALL, LABELS_AT_RIGHT_FROM] = [17, 62];

export function sweepChart(fits: readonly SessionFit[], words: SessionTerms): Chart {
  const drawn = fits.filter(({ points }) => points.length > 0);
  const [from, to] = logLimits(
    drawn.flatMap(({ points }) => points.map((point) => point.size)),
    1.6,
  );
  const panes = quantitiesOf(words).map((quantity, q): Pane => {
    const [low, high] =
      quantity.limits ??
      logLimits(
        drawn.flatMap(({ points }) => points.map(quantity.of)),
        1.5,
      );
    const series = drawn.flatMap((fit, i): readonly Series[] => {
      const { label: name, points } = fit;
      const ink = seriesInk(i);
      const sorted = [...points].sort((a, b) => a.size - b.size);
      const sizes = sorted.map(({ size }) => size);
      const fitted = fittedLine(fit);
      const legendNote =
        fitted !== null
          ? slopeText(fitted.fixed_s, fitted.slope_s, words)
          : points.length < 2
            ? 'too few sizes for a fit'
            : 'these times do not fit a line';
      const bent = Array.from({ length: FIT_POINTS }, (_, k) => from * (to / from) ** (k / (FIT_POINTS - 1)));
      const line =
        q === 0 && fitted !== null
          ? { dash: [4, 3], x: bent, y: bent.map((size) => fitted.fixed_s + fitted.slope_s * size) }
          : { dash: [], x: sizes, y: sorted.map(quantity.of) };
      const tip = (point: SweepPoint): string =>
        `${name}: ${sizeText(point.size, words)}, ${quantity.text(quantity.of(point))}`;
      return [
        { kind: 'line', name: `${name}, line`, silent: true, ink, width: 1.25, ...line },
        {
          ...{ kind: 'dots', name, legendNote, ink, radius: 0.34, form: i % 2 === 0 ? 'round' : 'square' },
          ...{ x: sizes, y: sorted.map(quantity.of), tips: sorted.map(tip) },
        },
      ];
    });
    return {
      x: { title: capitalized(words.size), unit: '', kind: 'log', from, to },
      y: { ...quantity.axis, from: low, to: high },
      series,
      tall: TALL,
    };
  });
  return {
    title: 'Time, set-up and rate against size',
    panes,
    sideBySideFrom: LABELS_AT_RIGHT_FROM,
    linked: true,
    hover: 'point',
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
      drawn.map((fit) => {
        const line = fittedLine(fit);
        const text =
          line === null
            ? 'these times do not fit a line'
            : `fixed ${line.fixed_s} s, slope ${line.slope_s} s per unit of size (${words.size})`;
        return [`fit of ${fit.label}`, text];
      }),
    ),
  };
}
