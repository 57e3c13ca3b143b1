/** Set-up of a first and of a later run, broken into its parts. */
import type { MeasuredSessionEntry } from '../../../electron/contract/bench/session.ts';
import { measuredTime } from '../../base/measured.ts';
import { curveArray, identifier } from '../export/figure.ts';
import { rowAxis, seriesInk } from '../figures/figure.ts';
import { type Chart, rowsAxis, type Series } from './chart.ts';

/** Height of a row in labels, and the share of it that its bar takes. */
const [ROW, BAR] = [2.6, 0.55];
/** The axis goes on behind the longest bar, for its time. */
const ROOM = 1.14;

/** What set-up took besides its named parts. */
const REST = 'other';

type Parts = MeasuredSessionEntry['setup_parts'];

function partsOf({ setup_parts, first_setup_s, setup_s }: MeasuredSessionEntry): Parts {
  const rest = (whole: number | null, key: 'first_s' | 'warm_s'): number | null =>
    whole === null
      ? null
      : Math.max(
          0,
          setup_parts.reduce((left, part) => left - (part[key] ?? 0), whole),
        );
  const first_s = rest(first_setup_s ?? setup_s, 'first_s');
  // Where later set-ups were not broken into parts, all of theirs is one.
  const warm_s = first_setup_s === null ? null : rest(setup_s, 'warm_s');
  return [...setup_parts, { name: REST, first_s, warm_s }];
}

const bothKinds = [
  { key: 'first_s', name: 'first' },
  { key: 'warm_s', name: 'later' },
] as const;

export function coldStartChart(given: readonly MeasuredSessionEntry[]): Chart {
  const entries = given.map((entry) => ({ label: entry.label, setup_parts: partsOf(entry) }));
  const knowsLater = entries.some(({ setup_parts }) => setup_parts.some(({ warm_s }) => warm_s !== null));
  const kinds = knowsLater ? bothKinds : bothKinds.slice(0, 1);
  const names = [...new Set(entries.flatMap(({ setup_parts }) => setup_parts.map(({ name }) => name)))];
  const bars = entries.flatMap(({ label, setup_parts }) =>
    kinds.map(({ key, name }, k) => {
      const parts = names.map((part) => setup_parts.find((one) => one.name === part)?.[key] ?? 0);
      const sums = [0];
      for (const part of parts) sums.push((sums.at(-1) ?? 0) + part);
      return { label, name, named: k === 0, parts, sums, whole: sums.at(-1) ?? 0 };
    }),
  );
  const longest = Math.max(1e-9, ...bars.map(({ whole }) => whole));
  const [unit, per] = longest < 1e-3 ? ['µs', 1e6] : longest < 1 ? ['ms', 1e3] : ['s', 1];
  const series = names.map((part, i): Series => {
    return {
      ...{ kind: 'bars', name: part, ink: seriesInk(i), thick: BAR },
      from: bars.map(({ sums }) => (sums[i] ?? 0) * per),
      x: bars.map(({ sums }) => (sums[i + 1] ?? 0) * per),
      y: bars.map((_, row) => row),
      tips: bars.map(({ label, name, parts }) => `${label}, ${name} run: ${part} ${measuredTime(parts[i] ?? 0)}`),
    };
  });
  return {
    title: 'Set-up of a first and of a later run, part by part',
    panes: [
      {
        x: { title: 'Set-up', unit, kind: 'linear', from: 0, to: longest * per * ROOM },
        y: rowsAxis(bars.map(({ label, name, named }) => ({ name: named ? label : '', under: name }))),
        series,
        marks: bars.map(({ whole }, row) => ({
          ...({ kind: 'text', ink: 'text-muted', anchor: 'start', shift: [0.5, 0] } as const),
          ...{ at: [whole * per, row] as const, text: measuredTime(whole) },
        })),
        tall: bars.length * ROW,
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(entries.length),
      ...names.flatMap((name) =>
        kinds.map(({ key, name: which }) => {
          const values = entries.map(({ setup_parts }) => setup_parts.find((part) => part.name === name)?.[key] ?? 0);
          return curveArray(`${identifier(name)}_${key}`, 's', `${name}, ${which} run`, 'row', values);
        }),
      ),
    ],
    notes: { rows: entries.map((entry) => entry.label).join(', ') },
  };
}
