/** A sweep for a person: time against size, and what is fixed in it. */
import { lineOf, type Session } from '../../contract/bench/session.ts';
import { shareInDecimals } from '../../contract/units.ts';
import { duration, metric, short } from '../numbers.ts';
import { table } from '../table.ts';

type Style = (style: 'bold' | 'dim', text: string) => string;

type Reports = Session['reports'];

/** The range of a beam at a value of the sweep; null where it has none, and in sessions that did not keep it. */
function rangeAt({ values }: NonNullable<Session['sweep']>, reports: Reports, label: string, value: number) {
  const entry = reports[values.indexOf(value)]?.entries.find((one) => one.label === label);
  const found = entry?.status === 'measured' ? entry.quantities.find(({ id }) => id === 'r80') : undefined;
  return found?.value ?? null;
}

export function sweepReport(
  sweep: NonNullable<Session['sweep']>,
  { words, reports }: Pick<Session, 'words' | 'reports'>,
  style: Style,
): readonly string[] {
  const { path, fits } = sweep;
  const ranges = new Map(
    fits.flatMap((fit) => fit.points.map((point) => [point, rangeAt(sweep, reports, fit.label, point.value)] as const)),
  );
  const ranged = [...ranges.values()].some((range) => range !== null);
  // If the size is the swept value itself, it needs no column.
  const sized = words.size !== path;
  const rated = words.rate !== null;
  const columns = [
    { title: 'Variant' },
    { title: path, align: 'right' as const },
    ...(sized ? [{ title: words.size, align: 'right' as const }] : []),
    { title: words.time, align: 'right' as const },
    { title: 'Set-up', align: 'right' as const },
    { title: 'Its share', align: 'right' as const },
    ...(rated ? [{ title: words.rate ?? '', align: 'right' as const }] : []),
    ...(ranged ? [{ title: 'R80', align: 'right' as const }] : []),
  ];
  const rows = fits.flatMap(({ label, points }) =>
    points.map((point, i) => {
      const { value, size, time_s, setup_s, setup_share, rate } = point;
      const range = ranges.get(point) ?? null;
      return [
        i === 0 ? label : '',
        short(value, 6),
        ...(sized ? [metric(size)] : []),
        duration(time_s),
        duration(setup_s),
        shareInDecimals(setup_share, 0),
        ...(rated ? [rate === null ? '–' : `${metric(rate)}/s`] : []),
        ...(ranged ? [range === null ? '–' : `${range.toFixed(2)} mm`] : []),
      ];
    }),
  );
  const per = sized ? words.size : `of ${words.size}`;
  const lines = fits.flatMap((fit) => {
    if (fit.points.length < 2) return [];
    const line = lineOf(fit);
    if (line === null) return [`${fit.label}: no line through these times`];
    return [`${fit.label}: ${duration(line.fixed_s)} fixed, and ${duration(line.slope_s * 1e6)} per million ${per}`];
  });
  return [
    '',
    style('bold', `Sweep of ${path}`),
    ...table(columns, rows, { styleTitle: (text) => style('bold', text) }),
    '',
    ...lines,
    style('dim', 'Fixed cost and slope by least squares on the times, in proportion to them.'),
  ];
}
