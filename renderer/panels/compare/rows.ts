/** Asks the host for the rows whenever what is compared changes. */
import { useEffect, useState } from 'react';
import type { ComparedGroup, ComparedRow } from '../../../electron/contract/bench/comparison.ts';
import type { Words } from '../../../electron/contract/bench/session.ts';
import { type Chosen, referenceIndex, shownRows, subjectKey } from '../../state/comparison.ts';
import { errorText } from '../../state/notices.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** A row with how it is shown. */
export interface ShownRow extends Chosen {
  readonly row: ComparedRow;
  /** The chosen reference: curves and maps are compared with it. */
  readonly reference: boolean;
  /** The reference of its group: times are compared with it. */
  readonly leads: boolean;
}

export interface Rows {
  /** In their own order, the hidden ones too. */
  readonly rows: readonly ShownRow[];
  /** Terms of the rows' workload; null if there are no rows. */
  readonly words: Words | null;
  readonly groups: readonly ComparedGroup[];
  readonly failure: string | null;
}

interface Answer extends Omit<Rows, 'rows'> {
  readonly rows: readonly ComparedRow[];
}

const noAnswer = { rows: [], words: null, groups: [], failure: null } as const satisfies Answer & Rows;

export function useRows(): Rows {
  const { client, stores } = useWorkbench();
  const chosen = useSelected(stores.comparison, shownRows);
  const at = useSelected(stores.comparison, referenceIndex);
  const [answer, setAnswer] = useState<Answer>(noAnswer);
  // The request changes with subjects and reference, not with colours.
  const asked = JSON.stringify([chosen.map(({ subject }) => subject), at]);
  useEffect(() => {
    const [subjects, reference] = JSON.parse(asked) as [Chosen['subject'][], number];
    if (subjects.length === 0) return setAnswer(noAnswer);
    let current = true;
    client.call('compare.rows', { subjects, reference }).then(
      ({ rows, words, groups, gone }) => {
        if (!current) return;
        setAnswer({ rows, words, groups, failure: null });
        if (gone.length > 0) stores.comparison.remove(gone.map(({ subject }) => subjectKey(subject)));
      },
      (error: unknown) => current && setAnswer({ ...noAnswer, failure: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, stores, asked]);
  if (chosen.length === 0) return noAnswer;
  const indexOf = new Map(answer.rows.map((row, i) => [subjectKey(row.subject), i]));
  const rows = chosen.flatMap((one): ShownRow[] => {
    const index = indexOf.get(one.key);
    const row = index === undefined ? undefined : answer.rows[index];
    if (row === undefined) return [];
    const leads = answer.groups[row.group]?.reference === index;
    return [{ ...one, row, leads, reference: leads && row.group === 0 }];
  });
  return { rows, words: answer.words, groups: answer.groups, failure: answer.failure };
}

/** Long enough to tell rows of different sessions apart. */
export function nameOf({ row }: ShownRow, all: readonly ShownRow[]): string {
  const alike = all.filter((other) => other.row.title === row.title);
  return alike.length > 1 ? `${row.title}, ${row.origin}` : row.title;
}
