/** Reads all results of a study into one table. */
import type { StudyFolder } from '../../model/studies/folder.ts';
import { type Row, type StudyTable, studyTable } from '../../model/studies/table.ts';

/** Files that are read at the same time. */
const AT_ONCE = 32;

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
  const found: (Row | null)[] = lines.map(() => null);
  let next = 0;
  const read = async (): Promise<void> => {
    for (let i = next++; i < lines.length; i = next++) {
      const line = lines[i];
      const state = line === undefined ? undefined : ended.get(line.id);
      if (line === undefined || state === undefined) continue;
      const before = known.get(line.id);
      if (before?.result.status === state) {
        found[i] = before;
        continue;
      }
      const result = await folder.result(line.id, state);
      if (result === null) continue;
      const row = { line, result };
      known.set(line.id, row);
      found[i] = row;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  return {
    rows: found.filter((row) => row !== null),
    damaged: lines.filter((_, i) => found[i] === null).map(({ id }) => id),
  };
}

export async function collect(folder: StudyFolder, known?: KnownRows): Promise<StudyTable> {
  const { rows, damaged } = await readRows(folder, known);
  return studyTable(folder.head, rows, damaged);
}
