/** Whole columns of a study, a value a point. */
import type { StudyColumns, StudyValues } from '../../../electron/contract/study/calls.ts';

export interface Values {
  /** Identifies the set of rows; null if nothing has been received. */
  readonly rows: string | null;
  /** Packed. */
  readonly points: Uint32Array;
  readonly columns: readonly (Omit<StudyValues, 'texts'> & { readonly texts: readonly string[] | null })[];
}

export const NO_VALUES: Values = { rows: null, points: new Uint32Array(), columns: [] };

/** Most unused columns cached for the next plot: one megabyte per column for 100,000 rows. */
const MOST_BESIDE = 8;

/** By index: `from` with a function goes by an iterator, and ten times as long. */
function textsOf({ different, of }: NonNullable<StudyValues['texts']>): readonly string[] {
  const texts = new Array<string>(of.length);
  for (let i = 0; i < of.length; i += 1) texts[i] = different[of[i] ?? 0] ?? '';
  return texts;
}

/** Those of `wanted` that are not there. */
export const missingOf = ({ columns }: Values, wanted: readonly string[]): readonly string[] =>
  wanted.filter((key) => !columns.some((one) => one.key === key));

/**
 * Columns already present remain if the answer is for the same rows. `before` contains the values of the rows named in
 * the request.
 */
export function withAnswer(before: Values, { rows, points, columns }: StudyColumns, wanted: readonly string[]): Values {
  const stays = rows === before.rows ? before.columns : [];
  const others = stays.filter(({ key }) => columns.every((one) => one.key !== key));
  const beside = others.filter(({ key }) => !wanted.includes(key)).slice(-MOST_BESIDE);
  return {
    rows,
    points: points ?? before.points,
    columns: [
      ...beside,
      ...others.filter(({ key }) => wanted.includes(key)),
      ...columns.map(({ texts, ...column }) => ({ ...column, texts: texts === null ? null : textsOf(texts) })),
    ],
  };
}
