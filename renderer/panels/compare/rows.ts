/** Asks the host for the rows whenever what is compared changes. */
import { useEffect, useState } from 'react';
import type { ComparedRow } from '../../../electron/contract/bench/comparison.ts';
import type { Words } from '../../../electron/contract/bench/session.ts';
import { type Chosen, referenceIndex, shownRows, subjectKey } from '../../state/comparison.ts';
import { errorText } from '../../state/notices.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** A row with how it is shown. */
export interface ShownRow extends Chosen {
  readonly row: ComparedRow;
  readonly reference: boolean;
}

export interface Rows {
  /** In their own order, the hidden ones too. */
  readonly rows: readonly ShownRow[];
  /** How their workload calls things; null without rows. */
  readonly words: Words | null;
  readonly noise_floor: number | null;
  readonly failure: string | null;
}

const nothing: Rows = { rows: [], words: null, noise_floor: null, failure: null };

const noAnswer = { rows: [], words: null, floor: null, failure: null } as const;

export function useRows(): Rows {
  const { client, stores } = useWorkbench();
  const chosen = useSelected(stores.comparison, shownRows);
  const at = useSelected(stores.comparison, referenceIndex);
  const [answer, setAnswer] = useState<{
    readonly rows: readonly ComparedRow[];
    readonly words: Words | null;
    readonly floor: number | null;
    readonly failure: string | null;
  }>(noAnswer);
  // What is asked for changes with subjects and reference, not with colours.
  const asked = JSON.stringify([chosen.map(({ subject }) => subject), at]);
  useEffect(() => {
    const [subjects, reference] = JSON.parse(asked) as [Chosen['subject'][], number];
    if (subjects.length === 0) return setAnswer(noAnswer);
    let current = true;
    client.call('compare.rows', { subjects, reference }).then(
      ({ rows, words, noise_floor, gone }) => {
        if (!current) return;
        setAnswer({ rows, words, floor: noise_floor, failure: null });
        if (gone.length > 0) stores.comparison.remove(gone.map(({ subject }) => subjectKey(subject)));
      },
      (error: unknown) => current && setAnswer({ ...noAnswer, failure: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, stores, asked]);
  if (chosen.length === 0) return nothing;
  const byKey = new Map(answer.rows.map((row) => [subjectKey(row.subject), row]));
  const rows = chosen.flatMap((one, i): ShownRow[] => {
    const row = byKey.get(one.key);
    return row === undefined ? [] : [{ ...one, row, reference: i === at }];
  });
  return { rows, words: answer.words, noise_floor: answer.floor, failure: answer.failure };
}

/** Long enough to tell rows of different sessions apart. */
export function nameOf({ row }: ShownRow, all: readonly ShownRow[]): string {
  const alike = all.filter((other) => other.row.title === row.title);
  return alike.length > 1 ? `${row.title}, ${row.origin}` : row.title;
}
