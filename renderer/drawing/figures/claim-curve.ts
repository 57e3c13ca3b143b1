/** For each claim the gain that was measured over the swept value, with the claim's band. */
import type { TaskClaimResult } from '../../../electron/contract/bench/claims.ts';
import { claimedText } from '../../base/claims.ts';
import { compact, significant } from '../../base/numbers.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import type { Box } from '../plot-frame.ts';
import { type FigureAxis, horizontalRoom, logLimits, type Plot, plotAxes, verticalRoom } from './axes.ts';
import { type Figure, type FigureSize, type Point, type Shape, seriesInk, textWidth } from './figure.ts';

/** Height of the plot, in label heights. */
const TALL = 20;

/** The claims at each of a sweep's values, for any workload. */
export interface Swept {
  readonly reports: readonly { readonly claims: readonly TaskClaimResult[] }[];
  readonly sweep: { readonly path: string; readonly values: readonly number[] } | null;
}

interface Series {
  readonly name: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Ends of intervals; null where there is none. */
  readonly interval?: readonly ({ readonly low: number; readonly high: number } | null)[];
}

interface Band {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

interface Drawing {
  readonly title: string;
  readonly across: string;
  readonly up: Pick<FigureAxis, 'title' | 'format'>;
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
  readonly band?: Band;
}

function legendOf(
  series: readonly Series[],
  width: number,
  label: number,
): { readonly shapes: readonly Shape[]; readonly height: number } {
  const shapes: Shape[] = [];
  let [x, row] = [label, 0];
  for (const [i, { name }] of series.entries()) {
    const need = textWidth(name, label) + 4 * label;
    if (x + need > width && x > label) [x, row] = [label, row + 1];
    const y = (row + 0.8) * 1.5 * label;
    shapes.push({ kind: 'line', from: [x, y], to: [x + 1.6 * label, y], ink: seriesInk(i), width: 2 });
    const at = [x + 2 * label, y + 0.35 * label] as const;
    shapes.push({ kind: 'text', at, text: name, ink: 'text', size: label });
    x += need;
  }
  return { shapes, height: (row + 1) * 1.5 * label + label };
}

function bandShapes(band: Band, plot: Plot, box: Box, label: number): readonly Shape[] {
  const [top, bottom] = [plot.y.toPixel(band.to), plot.y.toPixel(band.from)];
  const at = [box.left + box.width - label / 2, top + 1.2 * label] as const;
  return [
    {
      kind: 'rect',
      x: box.left,
      y: top,
      width: box.width,
      height: Math.max(1, bottom - top),
      ink: 'accent',
      opacity: 0.14,
      tip: band.label,
    },
    { kind: 'text', at, text: band.label, ink: 'accent', size: label, anchor: 'end' },
  ];
}

function seriesShapes(
  { name, x, y, interval }: Series,
  index: number,
  { x: across, y: up }: Plot,
  text: (value: number) => string,
  label: number,
): readonly Shape[] {
  const ink = seriesInk(index);
  const points = x.map((value, k): Point => [across.toPixel(value), up.toPixel(y[k] ?? Number.NaN)]);
  const shapes: Shape[] = [{ kind: 'path', points, ink, width: 1.5 }];
  for (const [k, at] of points.entries()) {
    const ends = interval?.[k];
    if (ends != null) {
      const [low, high] = [up.toPixel(ends.low), up.toPixel(ends.high)];
      shapes.push({ kind: 'line', from: [at[0], low], to: [at[0], high], ink, width: 1 });
    }
    const tip = `${name}: ${text(y[k] ?? Number.NaN)} at ${compact(x[k] ?? 0)}`;
    shapes.push({ kind: 'dot', at, radius: label * 0.34, ink, form: index % 2 === 0 ? 'round' : 'square', tip });
  }
  return shapes;
}

function draw({ title, across, up, series, text, band }: Drawing, { width, label }: FigureSize): Figure {
  const legend = legendOf(series, width, label);
  const room = verticalRoom(label);
  const box = { left: room, top: legend.height, width: width - room - label, height: TALL * label };
  const places = series.flatMap(({ x }) => x);
  const [from, to] = logLimits(places, 1.3);
  const ends = band === undefined ? [] : [band.from, band.to];
  const [low, high] = logLimits([...series.flatMap(({ y }) => y), ...ends], 1.4);
  const plot = plotAxes(
    { title: across, unit: '', kind: 'log', from, to },
    { unit: '', kind: 'log', from: low, to: high, ...up },
    box,
    label,
  );
  return {
    width,
    height: Math.round(box.top + box.height + horizontalRoom(label)),
    title,
    shapes: [
      ...legend.shapes,
      ...(band === undefined ? [] : bandShapes(band, plot, box, label)),
      ...plot.shapes,
      ...series.flatMap((one, i) => seriesShapes(one, i, plot, text, label)),
    ],
    arrays: series.flatMap(({ name, x, y }) => {
      const axis = axisArray(`${identifier(name)}_at`, '', `${across}, ${name}`, x);
      return [axis, curveArray(identifier(name), '', `${up.title}, ${name}`, axis.name, y)];
    }),
    notes: band === undefined ? {} : { band: band.label },
  };
}

/** Claims of a sweep of which a pair was measured at some value. */
export function sweptClaims({ reports }: Swept): readonly TaskClaimResult[] {
  const all = new Map<string, TaskClaimResult>();
  for (const claim of reports.flatMap(({ claims }) => claims)) {
    if (claim.pairs.some(({ gain }) => gain !== null) && !all.has(claim.id)) all.set(claim.id, claim);
  }
  return [...all.values()];
}

export function claimCurve(session: Swept, one: TaskClaimResult, size: FigureSize) {
  const { id, claim, from, to, pairs } = one;
  const values = session.sweep?.values ?? [];
  const series = pairs.map(({ slower, faster }): Series => {
    const found = session.reports.flatMap(({ claims }, i) => {
      const own = claims.find((each) => each.id === id)?.pairs ?? [];
      const { gain = null, wrong = [] } = own.find((pair) => pair.slower === slower && pair.faster === faster) ?? {};
      return gain === null ? [] : [{ at: values[i] ?? Number.NaN, gain, wrong: wrong.length > 0 }];
    });
    return {
      name: `${slower} → ${faster}${found.some(({ wrong }) => wrong) ? ' (wrong)' : ''}`,
      x: found.map(({ at }) => at),
      y: found.map(({ gain }) => gain.value),
      interval: found.map(({ gain }) => gain.interval),
    };
  });
  return draw(
    {
      title: claim,
      across: session.sweep?.path ?? '',
      up: { title: 'Times faster', format: (value) => `${Number(value.toPrecision(3))}×` },
      text: (value) => `${significant(value, 3)}×`,
      series: series.filter(({ x }) => x.length > 0),
      band: { from, to, label: `claimed ${claimedText(one)}` },
    },
    size,
  );
}
