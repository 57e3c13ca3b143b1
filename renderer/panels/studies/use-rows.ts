/** The rows of a study around those in sight. */
import { useEffect, useState } from 'react';
import type { StudyEntry, StudyRows } from '../../../electron/contract/study/calls.ts';
import type { StudyLook } from '../../../electron/contract/study/views.ts';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';

/** Unit of row requests: several screens of rows. */
const CHUNK = 200;

export interface Part extends StudyRows {
  readonly from: number;
}

export interface RowsProps {
  readonly entry: StudyEntry;
  /** The view with a settled filter. */
  readonly look: StudyLook;
  readonly onRows: (rows: Part) => void;
  readonly onFault: (fault: string | null) => void;
}

/** `first`: number of the first visible row. */
export function useRows({ entry, look, onRows, onFault }: RowsProps, first: number): Part | null {
  const { client } = useWorkbench();
  const [part, setPart] = useState<Part | null>(null);
  const start = Math.max(0, Math.floor(first / CHUNK - 0.5) * CHUNK);
  const { filter, sort, groups } = look;
  const ended = entry.done + entry.failed;
  // Requested again when results arrive.
  const asked = JSON.stringify([ended, { study: entry.id, filter, sort, groups, from: start, count: 2 * CHUNK }]);
  useEffect(() => {
    let current = true;
    const [, question] = JSON.parse(asked);
    client.call('study.rows', question).then(
      (answer) => {
        if (!current) return;
        const found = { ...answer, from: question.from };
        setPart(found);
        onRows(found);
        onFault(null);
      },
      (error: unknown) => current && onFault(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, asked, onRows, onFault]);
  return part;
}
