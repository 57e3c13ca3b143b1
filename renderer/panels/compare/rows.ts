/** Asks the host for the rows whenever what is compared changes. */
import { useEffect, useState } from 'react';
import type { ComparedRow } from '../../../electron/contract/comparison.ts';
import { type Chosen, referenceIndex, subjectKey } from '../../state/comparison.ts';
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
  readonly noise_floor: number | null;
  readonly failure: string | null;
}

const nothing: Rows = { rows: [], noise_floor: null, failure: null };

export function useRows(): Rows {
  const { client, stores } = useWorkbench();
  const chosen = useSelected(stores.comparison, (state) => state.chosen);
  const at = useSelected(stores.comparison, referenceIndex);
  const [answer, setAnswer] = useState<{
    readonly rows: readonly ComparedRow[];
    readonly floor: number | null;
    readonly failure: string | null;
  }>({ rows: [], floor: null, failure: null });
  // What is asked for changes with subjects and reference, not with colours.
  const asked = JSON.stringify([chosen.map(({ subject }) => subject), at]);
  useEffect(() => {
    const [subjects, reference] = JSON.parse(asked) as [Chosen['subject'][], number];
    if (subjects.length === 0) return setAnswer({ rows: [], floor: null, failure: null });
    let current = true;
    client.call('compare.rows', { subjects, reference }).then(
      ({ rows, noise_floor, gone }) => {
        if (!current) return;
        setAnswer({ rows, floor: noise_floor, failure: null });
        if (gone.length > 0) stores.comparison.remove(gone.map(({ subject }) => subjectKey(subject)));
      },
      (error: unknown) => current && setAnswer({ rows: [], floor: null, failure: errorText(error) }),
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
  return { rows, noise_floor: answer.floor, failure: answer.failure };
}

/** Long enough to tell rows of different sessions apart. */
export function nameOf({ row }: ShownRow, all: readonly ShownRow[]): string {
  const alike = all.filter((other) => other.row.title === row.title);
  return alike.length > 1 ? `${row.title}, ${row.origin}` : row.title;
}
