/**
 * Table of a sweep: times by problem size, and the part of the time that does not depend on it. Used by the command
 * line and the HTML report.
 */
import { fittedLine, type Session } from '../contract/bench/session.ts';
import { measuredTime } from './measured.ts';
import { compactCount, NO_VALUE, shortNumberText } from './numbers.ts';
import { shareInDecimals } from './values/units.ts';

type SweepReports = Session['reports'];

interface SweepTable {
  readonly title: string;
  /** Column titles. The first two columns contain the variant and the swept value. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Sentences with the fitted fixed cost and slope of each variant. */
  readonly lines: readonly string[];
  readonly note: string;
}

/** Range of the beam for a value of the sweep; null without a beam, and for sessions that did not record it. */
function rangeAt({ values }: NonNullable<Session['sweep']>, reports: SweepReports, label: string, value: number) {
  const entry = reports[values.indexOf(value)]?.entries.find((one) => one.label === label);
  const found = entry?.status === 'measured' ? entry.quantities.find(({ id }) => id === 'r80') : undefined;
  return found?.value ?? null;
}

/** Table of the sweep; null if the session is not a sweep. */
export function buildSweepTable({
  sweep,
  words,
  reports,
}: Pick<Session, 'sweep' | 'words' | 'reports'>): SweepTable | null {
  if (sweep === null) return null;
  const { path, fits } = sweep;
  const ranges = new Map(
    fits.flatMap((fit) => fit.points.map((point) => [point, rangeAt(sweep, reports, fit.label, point.value)] as const)),
  );
  const ranged = [...ranges.values()].some((range) => range !== null);
  // Omit the size column if the swept value is the size itself.
  const sized = words.size !== path;
  const columns = [
    ...['Variant', path],
    ...(sized ? [words.size] : []),
    ...[words.time, 'Set-up', 'Its share'],
    ...(words.rate === null ? [] : [words.rate]),
    ...(ranged ? ['R80'] : []),
  ];
  const rows = fits.flatMap(({ label, points }) =>
    points.map((point, i) => {
      const { value, size, time_s, setup_s, setup_share, rate } = point;
      const range = ranges.get(point) ?? null;
      return [
        i === 0 ? label : '',
        shortNumberText(value, 6),
        ...(sized ? [compactCount(size)] : []),
        measuredTime(time_s),
        measuredTime(setup_s),
        shareInDecimals(setup_share, 0),
        ...(words.rate === null ? [] : [rate === null ? NO_VALUE : `${compactCount(rate)}/s`]),
        ...(ranged ? [range === null ? NO_VALUE : `${range.toFixed(2)} mm`] : []),
      ];
    }),
  );
  const per = sized ? words.size : `of ${words.size}`;
  const lines = fits.flatMap((fit) => {
    if (fit.points.length < 2) return [];
    const line = fittedLine(fit);
    if (line === null) return [`${fit.label}: these times do not fit a line`];
    return [
      `${fit.label}: ${measuredTime(line.fixed_s)} fixed, and ${measuredTime(line.slope_s * 1e6)} per million ${per}`,
    ];
  });
  return {
    ...{ title: `Sweep of ${path}`, columns, rows, lines },
    note: 'Fixed cost and slope by relative least squares.',
  };
}
