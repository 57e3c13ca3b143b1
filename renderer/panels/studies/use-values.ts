/** Whole columns of a study, requested again when results arrive; columns already present are not requested again. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { StudyEntry } from '../../../electron/contract/study/calls.ts';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';
import { missingOf, NO_VALUES, type Values, withAnswer } from './values.ts';

export function useValues(
  entry: StudyEntry,
  filter: string,
  keys: readonly string[],
): { readonly values: Values; readonly failure: string | null; readonly again: () => void } {
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
      const missing = before.of === of ? missingOf(before.values, wanted) : wanted;
      if (missing.length === 0) return setFailure(null);
      const known = before.values.rows;
      const answer = await client.call('study.values', { study, filter: text, keys: [...missing], known });
      if (!current) return;
      const now = withAnswer(before.values, answer, wanted);
      // Rows may have changed meanwhile: then what was there is of others.
      const whole = missingOf(now, wanted).length === 0;
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
  return { values, failure, again: () => void ask() };
}
