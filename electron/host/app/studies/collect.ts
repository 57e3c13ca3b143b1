/** Reads all results of a study into one table. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StudyFolder } from '../../model/studies/folder.ts';
import { type Row, type StudyTable, studyTable } from '../../model/studies/table.ts';

/** Others have their turn after so long. */
const BITE_MS = 5;

/** Rows that were read before, by point; what failed may be solved later. */
export type KnownRows = Map<string, Row>;

/**
 * In the order of the plan. Damaged results are put aside, named, and count as missing: the next run does them again.
 * `known` gets what is read, and spares it the next time.
 */
export async function readRows(
  folder: StudyFolder,
  known: KnownRows = new Map(),
): Promise<{ readonly rows: readonly Row[]; readonly damaged: readonly string[] }> {
  const ended = await folder.ended();
  const lines = (await folder.lines()).filter(({ id }) => ended.has(id));
  const rows: Row[] = [];
  const damaged: string[] = [];
  let since = performance.now();
  for (const line of lines) {
    const state = ended.get(line.id) ?? 'done';
    const before = known.get(line.id);
    if (before?.result.status === state) {
      rows.push(before);
      continue;
    }
    if (performance.now() - since > BITE_MS) {
      await nextTurn();
      since = performance.now();
    }
    const result = await folder.result(line.id, state);
    if (result === null) {
      damaged.push(line.id);
      continue;
    }
    const row = { line, result };
    known.set(line.id, row);
    rows.push(row);
  }
  return { rows, damaged };
}

export async function collect(folder: StudyFolder, known?: KnownRows): Promise<StudyTable> {
  const { rows, damaged } = await readRows(folder, known);
  return studyTable(folder.head, rows, damaged);
}
