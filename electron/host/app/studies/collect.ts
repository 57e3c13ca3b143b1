/** Reads all results of a study into one table. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlanLine } from '../../../contract/study/index.ts';
import type { StudyFolder } from '../../model/studies/folder.ts';
import { type Row, type StudyTable, studyTable } from '../../model/studies/table.ts';

/** Others have their turn after so long. */
const BITE_MS = 5;

/** Cache of earlier reads: the plan, which never changes, and rows by point. Failed points may be solved later. */
export interface Known {
  lines: readonly PlanLine[] | null;
  readonly rows: Map<string, Row>;
}

export const nothingKnown = (): Known => ({ lines: null, rows: new Map() });

/**
 * Rows in the order of the plan. Damaged results are renamed, listed, and count as missing: the next run solves them
 * again. `known` caches the rows for the next call. `turn` resolves when reading may continue.
 */
export async function readRows(
  folder: StudyFolder,
  known: Known = nothingKnown(),
  turn: () => Promise<unknown> = nextTurn,
): Promise<{ readonly rows: readonly Row[]; readonly damaged: readonly string[] }> {
  const ended = await folder.ended();
  known.lines ??= await folder.lines();
  const rows: Row[] = [];
  const damaged: string[] = [];
  let since = performance.now();
  for (const line of known.lines) {
    const state = ended.get(line.id);
    if (state === undefined) continue;
    const before = known.rows.get(line.id);
    if (before?.result.status === state) {
      rows.push(before);
      continue;
    }
    if (performance.now() - since > BITE_MS) {
      await turn();
      since = performance.now();
    }
    const result = await folder.result(line.id, state);
    if (result === null) {
      damaged.push(line.id);
      continue;
    }
    const row = { line, result };
    known.rows.set(line.id, row);
    rows.push(row);
  }
  return { rows, damaged };
}

export async function collect(folder: StudyFolder): Promise<StudyTable> {
  const { rows, damaged } = await readRows(folder);
  return studyTable(folder.head, rows, damaged);
}
