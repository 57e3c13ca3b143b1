/** Whole columns of a study, asked for again when results have come. */
import { useCallback, useEffect, useState } from 'react';
import type { StudyEntry } from '../../../electron/contract/study/calls.ts';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';
import { type Values, valuesOf } from './values.ts';

export function useValues(
  entry: StudyEntry,
  filter: string,
  keys: readonly string[],
): { readonly values: Values; readonly failure: string | null; readonly again: () => void } {
  const { client } = useWorkbench();
  const [values, setValues] = useState<Values>({ points: [], columns: [] });
  const [failure, setFailure] = useState<string | null>(null);
  const question = JSON.stringify([entry.id, filter, keys, entry.done + entry.failed]);
  const ask = useCallback(() => {
    let current = true;
    const [study, text, wanted] = JSON.parse(question) as [string, string, string[]];
    if (wanted.length === 0) return;
    client.call('study.values', { study, filter: text, keys: wanted }).then(
      (answer) => {
        if (!current) return;
        setValues(valuesOf(answer));
        setFailure(null);
      },
      (error: unknown) => current && setFailure(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, question]);
  useEffect(ask, [ask]);
  return { values, failure, again: () => void ask() };
}
