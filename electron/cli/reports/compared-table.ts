/** Rows of a comparison for a person: the columns that every workload has, and its own. */
import { columnsOf } from '../../../renderer/base/compare-columns.ts';
import { NO_VALUE } from '../../../renderer/base/numbers.ts';
import { provenanceText } from '../../../renderer/base/provenance.ts';
import type { ComparedRow } from '../../contract/bench/comparison.ts';
import type { Result } from '../../contract/wire/methods.ts';
import { significant } from '../numbers.ts';
import { table } from '../table.ts';

type Style = (style: 'bold' | 'red' | 'green', text: string) => string;

/** What stands below the table is not told in it again. */
const elsewhere = new Set(['device', 'first_setup', 'spread']);

function nameOf(row: ComparedRow, rows: readonly ComparedRow[]): string {
  return rows.filter(({ title }) => title === row.title).length > 1 ? `${row.title}, ${row.origin}` : row.title;
}

export function comparedTable(
  { rows, words, noise_floor, gone }: Result<'compare.rows'>,
  style: Style,
): readonly string[] {
  const columns = columnsOf(rows, words).filter(
    ({ id, text }) => !elsewhere.has(id) && rows.some((row) => text(row) !== NO_VALUE),
  );
  const titles = [{ title: 'Variant' }, ...columns.map(({ title, align }) => ({ title, align }))];
  const lines = rows.map((row) => [
    nameOf(row, rows),
    ...columns.map(({ id, text, wrong }) => {
      const bad = wrong?.(row) === true || (id === 'verdict' && row.verdict === 'wrong');
      return bad ? style('red', text(row)) : text(row);
    }),
  ]);
  const origins = new Set(rows.map((row) => `${row.origin}: ${row.scenario}; ${provenanceText(row.provenance)}`));
  // Variants of one session differ from the reference in the same things.
  const differences = new Set(
    rows.flatMap(({ origin, differences: all }) =>
      all.map(({ what, reference, here }) => `${origin}: ${what} is ${here}, in the first ${reference}`),
    ),
  );
  return [
    ...table(titles, lines, { styleTitle: (text) => style('bold', text) }),
    ...rows.flatMap((row) => (row.note === null ? [] : [`${nameOf(row, rows)}: ${row.note}`])),
    ...(noise_floor === null ? [] : [`Noise floor of the first: ±${significant(100 * noise_floor, 2)} %`]),
    ...origins,
    ...differences,
    ...gone.map(({ reason }) => reason),
  ];
}
