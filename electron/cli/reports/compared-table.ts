/** Rows of a comparison for a person: the columns that every workload has, and its own. */

import { columnsOf } from '../../../renderer/base/compare-columns.ts';
import { noiseText } from '../../../renderer/base/measured.ts';
import { NO_VALUE } from '../../../renderer/base/numbers.ts';
import { provenanceText } from '../../../renderer/base/provenance.ts';
import type { ComparedRow } from '../../contract/bench/comparison.ts';
import { isIncorrect, type Words } from '../../contract/bench/session.ts';
import type { Result } from '../../contract/wire/methods.ts';
import { table } from '../table.ts';

type Style = (style: 'bold' | 'red' | 'green', text: string) => string;

/** Columns whose values are printed below the table instead. */
const elsewhere = new Set(['device', 'first_setup', 'spread']);

function nameOf(row: ComparedRow, rows: readonly ComparedRow[]): string {
  return rows.filter(({ title }) => title === row.title).length > 1 ? `${row.title}, ${row.origin}` : row.title;
}

/** The rows of one group: their times compare, and no others. */
function groupTable(rows: readonly ComparedRow[], all: readonly ComparedRow[], words: Words | null, style: Style) {
  const columns = columnsOf(rows, words).filter(
    ({ id, text }) => !elsewhere.has(id) && rows.some((row) => text(row) !== NO_VALUE),
  );
  const titles = [{ title: 'Variant' }, ...columns.map(({ title, align }) => ({ title, align }))];
  const lines = rows.map((row) => [
    nameOf(row, all),
    ...columns.map(({ id, text, wrong }) => {
      const bad = wrong?.(row) === true || (id === 'verdict' && isIncorrect(row.verdict));
      return bad ? style('red', text(row)) : text(row);
    }),
  ]);
  return table(titles, lines, { styleTitle: (text) => style('bold', text) });
}

export function comparedTable({ rows, words, groups, gone }: Result<'compare.rows'>, style: Style): readonly string[] {
  const origins = new Set(rows.map((row) => `${row.origin}: ${row.scenario}; ${provenanceText(row.provenance)}`));
  // Variants of one session differ from the reference in the same things.
  const differences = new Set(
    rows.flatMap(({ origin, differences: all }) =>
      all.map(({ what, reference, here }) => `${origin}: ${what} is ${here}, in the first ${reference}`),
    ),
  );
  return [
    ...groups.flatMap(({ title, noise, reference }, i) => {
      const own = rows.filter(({ group }) => group === i);
      const against = rows[reference];
      return [
        ...(i === 0 ? [] : ['']),
        ...(title === '' ? [] : [style('bold', title)]),
        ...groupTable(own, rows, words, style),
        ...(noise.ratio === null && noise.floor === null
          ? []
          : [`Noise of ${against === undefined ? 'the reference' : nameOf(against, rows)}: ${noiseText(noise)}`]),
      ];
    }),
    ...(groups.length < 2
      ? []
      : ['', 'Times compare within a table: each has one benchmark, one size and one machine.']),
    ...rows.flatMap((row) => (row.note === null ? [] : [`${nameOf(row, rows)}: ${row.note}`])),
    ...origins,
    ...differences,
    ...gone.map(({ reason }) => reason),
  ];
}
