/** Whole columns of a study, a value a point. */
import type { StudyValues } from '../../../electron/contract/study/calls.ts';

export interface Values {
  readonly points: readonly string[];
  readonly columns: readonly (Omit<StudyValues, 'texts'> & { readonly texts: readonly string[] | null })[];
}

/** As the host answers. */
interface Answered {
  readonly points: string;
  readonly columns: readonly StudyValues[];
}

/** By index: `from` with a function goes by an iterator, and ten times as long. */
function textsOf({ different, of }: NonNullable<StudyValues['texts']>): readonly string[] {
  const texts = new Array<string>(of.length);
  for (let i = 0; i < of.length; i += 1) texts[i] = different[of[i] ?? 0] ?? '';
  return texts;
}

export const valuesOf = ({ points, columns }: Answered): Values => ({
  points: points === '' ? [] : points.split(' '),
  columns: columns.map(({ texts, ...column }) => ({ ...column, texts: texts === null ? null : textsOf(texts) })),
});
