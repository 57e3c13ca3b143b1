/** Measured gain of each claim over the swept value, with the band of the claim. */
import type { Ratio } from '../../../electron/contract/bench/bench-session.ts';
import { confirmingRange, type TaskClaimResult } from '../../../electron/contract/bench/claims.ts';
import { claimedText } from '../../../electron/domain/claim-texts.ts';
import { compactCount, significant } from '../../../electron/domain/numbers.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { logLimits } from '../figures/axes.ts';
import { seriesInk } from '../figures/figure.ts';
import type { Chart, Series } from './chart.ts';

/** Height of the plot, in label heights. */
const CHART_HEIGHT = 20;

/** Measured claims at each value of a sweep, for any workload. */
interface SweptClaims {
  readonly reports: readonly { readonly claims: readonly TaskClaimResult[] }[];
  readonly sweep: { readonly path: string; readonly values: readonly number[] } | null;
}

type ClaimTerms = Pick<TaskClaimResult, 'claim' | 'from' | 'to' | 'tolerance' | 'reason'>;

/** Claims of a sweep with at least one measured pair. */
export function sweptClaims({ reports }: SweptClaims): readonly TaskClaimResult[] {
  const all = new Map<string, TaskClaimResult>();
  for (const claim of reports.flatMap(({ claims }) => claims)) {
    if (claim.pairs.some(({ gain }) => gain !== null) && !all.has(claim.id)) all.set(claim.id, claim);
  }
  return [...all.values()];
}

interface Curve {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly gain: Ratio }[];
}

/** Draws gains or values over a swept parameter, with the claimed band. `unit` is `×` for gains. */
export function claimMapChart(claim: ClaimTerms, path: string, curves: readonly Curve[], unit = '×'): Chart {
  const held = confirmingRange(claim);
  const points = curves.flatMap((curve) => curve.points);
  const [left, right] = logLimits(
    points.map(({ at }) => at),
    1.3,
  );
  const ends = [held.low, held.high].filter((end) => end > 0 && Number.isFinite(end));
  const [low, high] = logLimits([...points.map(({ gain }) => gain.value), ...ends], 1.4);
  const gain = unit === '×';
  const title = gain ? 'Times faster' : 'Measured';
  const band = `claimed ${claimedText(claim, unit)}`;
  const text = (value: number): string => `${Number(value.toPrecision(3))}${gain ? '×' : ''}`;
  return {
    title: claim.claim,
    panes: [
      {
        x: { title: path, unit: '', kind: 'log', from: left, to: right },
        y: { title, unit: gain ? '' : unit, kind: 'log', from: low, to: high, format: text },
        series: curves.flatMap(({ name, points: own }, i): readonly Series[] => {
          const ink = seriesInk(i);
          const [x, y] = [own.map(({ at }) => at), own.map((point) => point.gain.value)];
          return [
            { kind: 'line', name, ink, dash: [], width: 1.5, x, y },
            {
              ...{ kind: 'dots', name, silent: true, ink, radius: 0.34, form: i % 2 === 0 ? 'round' : 'square', x, y },
              intervals: { along: 'y', ends: own.map((point) => point.gain.interval) },
              tips: own.map(
                (point) => `${name}: ${significant(point.gain.value, 3)}${unit} at ${compactCount(point.at)}`,
              ),
            },
          ];
        }),
        marks: [
          {
            ...{ kind: 'band', axis: 'y', ink: 'accent', opacity: 0.14, label: band },
            ...{ from: Math.max(held.low, low), to: Math.min(held.high, high) },
          },
        ],
        tall: CHART_HEIGHT,
      },
    ],
    hover: 'point',
    arrays: curves.flatMap(({ name, points: own }) => {
      const at = own.map((point) => point.at);
      const axis = axisArray(`${identifier(name)}_at`, '', `${path}, ${name}`, at);
      const gains = own.map((point) => point.gain.value);
      return [axis, curveArray(identifier(name), gain ? '' : unit, `${title}, ${name}`, axis.name, gains)];
    }),
    notes: { band },
  };
}

export function claimChart(session: SweptClaims, one: TaskClaimResult): Chart {
  const values = session.sweep?.values ?? [];
  const curves = one.pairs
    .map(({ slower, faster }) => {
      const found = session.reports.flatMap(({ claims }, i) => {
        const own = claims.find((each) => each.id === one.id)?.pairs ?? [];
        const { gain = null, wrong = [] } = own.find((pair) => pair.slower === slower && pair.faster === faster) ?? {};
        return gain === null ? [] : [{ at: values[i] ?? Number.NaN, gain, wrong: wrong.length > 0 }];
      });
      const wrong = found.some((point) => point.wrong) ? ' (wrong)' : '';
      return { name: `${slower} → ${faster}${wrong}`, points: found };
    })
    .filter(({ points }) => points.length > 0);
  return claimMapChart(one, session.sweep?.path ?? '', curves);
}
