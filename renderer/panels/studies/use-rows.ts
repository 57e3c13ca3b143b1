/**
 * Hooks that load the results of a study: the rows around the visible ones, or whole columns with one value per point.
 * Both repeat their requests when results arrive.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type {
  StudyColumns,
  StudyEntry,
  StudyRows,
  StudyValues,
  StudyViewSettings,
} from '../../../electron/contract/study/calls.ts';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';

/** Rows are requested in multiples of this number, which is several screens. */
const CHUNK = 200;

export interface Part extends StudyRows {
  readonly from: number;
}

export interface RowsProps {
  readonly entry: StudyEntry;
  /** The view with its filter, once typing has paused. */
  readonly look: StudyViewSettings;
  readonly onRows: (rows: Part) => void;
  readonly onError: (fault: string | null) => void;
}

/** `first`: index of the first visible row. */
export function useRows({ entry, look, onRows, onError }: RowsProps, first: number): Part | null {
  const { client } = useWorkbench();
  const [part, setPart] = useState<Part | null>(null);
  const start = Math.max(0, Math.floor(first / CHUNK - 0.5) * CHUNK);
  const { filter, sort, groups } = look;
  const ended = entry.done + entry.failed;
  // Requested again when results arrive.
  const requested = JSON.stringify([ended, { study: entry.id, filter, sort, groups, from: start, count: 2 * CHUNK }]);
  useEffect(() => {
    let current = true;
    const [, question] = JSON.parse(requested);
    client.call('study.rows', question).then(
      (answer) => {
        if (!current) return;
        const found = { ...answer, from: question.from };
        setPart(found);
        onRows(found);
        onError(null);
      },
      (error: unknown) => current && onError(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, requested, onRows, onError]);
  return part;
}

export interface Values {
  /** Identifies the set of rows; null if nothing has been received. */
  readonly rows: string | null;
  /** Ids of the points, packed into two numbers each. */
  readonly points: Uint32Array;
  readonly columns: readonly (Omit<StudyValues, 'texts'> & { readonly texts: readonly string[] | null })[];
}

export const NO_VALUES: Values = { rows: null, points: new Uint32Array(), columns: [] };

/** Maximum unused columns cached for the next plot: one megabyte per column for 100,000 rows. */
const MAX_UNUSED_COLUMNS = 8;

/** Texts by row. The loop uses an index because `Array.from` with a function is ten times slower. */
function textsOf({ different, of }: NonNullable<StudyValues['texts']>): readonly string[] {
  const texts = new Array<string>(of.length);
  for (let i = 0; i < of.length; i += 1) texts[i] = different[of[i] ?? 0] ?? '';
  return texts;
}

/** Columns of `wanted` that are missing. */
export const missingColumns = ({ columns }: Values, wanted: readonly string[]): readonly string[] =>
  wanted.filter((key) => !columns.some((one) => one.key === key));

/**
 * Merges a response into the known values. Known columns remain if the response is for the same rows. `before`: the
 * values that were known when the request was sent.
 */
export function mergeColumns(
  before: Values,
  { rows, points, columns }: StudyColumns,
  wanted: readonly string[],
): Values {
  const stays = rows === before.rows ? before.columns : [];
  const others = stays.filter(({ key }) => columns.every((one) => one.key !== key));
  const unused = others.filter(({ key }) => !wanted.includes(key)).slice(-MAX_UNUSED_COLUMNS);
  return {
    rows,
    points: points ?? before.points,
    columns: [
      ...unused,
      ...others.filter(({ key }) => wanted.includes(key)),
      ...columns.map(({ texts, ...column }) => ({ ...column, texts: texts === null ? null : textsOf(texts) })),
    ],
  };
}

export function useValues(
  entry: StudyEntry,
  filter: string,
  keys: readonly string[],
): { readonly values: Values; readonly failure: string | null; readonly retry: () => void } {
  const { client } = useWorkbench();
  const [values, setValues] = useState<Values>(NO_VALUES);
  const [failure, setFailure] = useState<string | null>(null);
  /** The last values, and the query (study, filter, finished points) that they answer. */
  const last = useRef<{ readonly of: string | null; readonly values: Values }>({ of: null, values: NO_VALUES });
  const of = JSON.stringify([entry.id, filter, entry.done + entry.failed]);
  const question = JSON.stringify(keys);
  const ask = useCallback(() => {
    let current = true;
    const [study, text] = JSON.parse(of) as [string, string];
    const wanted = JSON.parse(question) as string[];
    const take = async (): Promise<void> => {
      const before = last.current;
      const missing = before.of === of ? missingColumns(before.values, wanted) : wanted;
      if (missing.length === 0) return setFailure(null);
      const known = before.values.rows;
      const answer = await client.call('study.values', { study, filter: text, keys: [...missing], known });
      if (!current) return;
      const now = mergeColumns(before.values, answer, wanted);
      // If the rows have changed, the known columns belong to the old rows, and are requested again.
      const whole = missingColumns(now, wanted).length === 0;
      last.current = { of: whole ? of : null, values: now };
      if (!whole) return take();
      setValues(now);
      setFailure(null);
    };
    take().catch((error: unknown) => current && setFailure(errorText(error)));
    return () => {
      current = false;
    };
  }, [client, of, question]);
  useEffect(ask, [ask]);
  return { values, failure, retry: () => void ask() };
}
