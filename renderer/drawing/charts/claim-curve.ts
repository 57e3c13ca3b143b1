/** For each claim the gain that was measured over the swept value, with the claim's band. */
import type { TaskClaimResult } from '../../../electron/contract/bench/claims.ts';
import { claimedText } from '../../base/claims.ts';
import { compact, significant } from '../../base/numbers.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { logLimits } from '../figures/axes.ts';
import { seriesInk } from '../figures/figure.ts';
import type { Chart, Series } from './chart.ts';

/** Height of the plot, in label heights. */
const TALL = 20;

/** The claims at each of a sweep's values, for any workload. */
export interface Swept {
  readonly reports: readonly { readonly claims: readonly TaskClaimResult[] }[];
  readonly sweep: { readonly path: string; readonly values: readonly number[] } | null;
}

/** Claims of a sweep of which a pair was measured at some value. */
export function sweptClaims({ reports }: Swept): readonly TaskClaimResult[] {
  const all = new Map<string, TaskClaimResult>();
  for (const claim of reports.flatMap(({ claims }) => claims)) {
    if (claim.pairs.some(({ gain }) => gain !== null) && !all.has(claim.id)) all.set(claim.id, claim);
  }
  return [...all.values()];
}

export function claimChart(session: Swept, one: TaskClaimResult): Chart {
  const { id, claim, from, to, pairs } = one;
  const values = session.sweep?.values ?? [];
  const measured = pairs
    .map(({ slower, faster }) => {
      const found = session.reports.flatMap(({ claims }, i) => {
        const own = claims.find((each) => each.id === id)?.pairs ?? [];
        const { gain = null, wrong = [] } = own.find((pair) => pair.slower === slower && pair.faster === faster) ?? {};
        return gain === null ? [] : [{ at: values[i] ?? Number.NaN, gain, wrong: wrong.length > 0 }];
      });
      const wrong = found.some((point) => point.wrong) ? ' (wrong)' : '';
      return { name: `${slower} → ${faster}${wrong}`, found };
    })
    .filter(({ found }) => found.length > 0);
  const across = session.sweep?.path ?? '';
  const points = measured.flatMap(({ found }) => found);
  const [left, right] = logLimits(
    points.map(({ at }) => at),
    1.3,
  );
  const [low, high] = logLimits([...points.map(({ gain }) => gain.value), from, to], 1.4);
  const title = 'Times faster';
  const band = `claimed ${claimedText(one)}`;
  return {
    title: claim,
    panes: [
      {
        x: { title: across, unit: '', kind: 'log', from: left, to: right },
        y: { title, unit: '', kind: 'log', from: low, to: high, format: (value) => `${Number(value.toPrecision(3))}×` },
        series: measured.flatMap(({ name, found }, i): readonly Series[] => {
          const ink = seriesInk(i);
          const [x, y] = [found.map(({ at }) => at), found.map(({ gain }) => gain.value)];
          return [
            { kind: 'line', name, ink, dash: [], width: 1.5, x, y },
            {
              ...{ kind: 'dots', name, silent: true, ink, radius: 0.34, form: i % 2 === 0 ? 'round' : 'square', x, y },
              intervals: { along: 'y', ends: found.map(({ gain }) => gain.interval) },
              tips: found.map(({ at, gain }) => `${name}: ${significant(gain.value, 3)}× at ${compact(at)}`),
            },
          ];
        }),
        marks: [{ kind: 'band', axis: 'y', from, to, ink: 'accent', opacity: 0.14, label: band }],
        tall: TALL,
      },
    ],
    hover: 'point',
    arrays: measured.flatMap(({ name, found }) => {
      const axis = axisArray(
        `${identifier(name)}_at`,
        '',
        `${across}, ${name}`,
        found.map(({ at }) => at),
      );
      const gains = found.map(({ gain }) => gain.value);
      return [axis, curveArray(identifier(name), '', `${title}, ${name}`, axis.name, gains)];
    }),
    notes: { band },
  };
}
