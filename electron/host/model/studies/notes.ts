/** Remarks that accompany a study's table in every output. */
import type { StudyTable } from './table.ts';

/** Times of different machines are no one sample. */
export function tableNotes({ machines, missing, damaged, rows, columns }: StudyTable): readonly string[] {
  const atOnce = columns.findIndex(({ of, name }) => of === 'where' && name === 'at_once');
  const [joules, counted] = ['energy_J', 'energy_of'].map((wanted) =>
    columns.findIndex(({ of, name }) => of === 'measure' && name === wanted),
  );
  const unknown = new Map<string, number>();
  for (const row of rows) {
    const why = row[counted ?? -1];
    if (typeof why === 'string' && row[joules ?? -1] === null) unknown.set(why, (unknown.get(why) ?? 0) + 1);
  }
  const shared = rows.filter((row) => Number(row[atOnce]) > 1).length;
  return [
    ...(missing > 0 ? [`${missing} points have no result yet.`] : []),
    ...(damaged.length > 0 ? [`Put aside as damaged, to be solved again: ${damaged.join(', ')}.`] : []),
    ...(machines.length > 1
      ? [
          `The rows are of ${machines.length} machines; their times are not one sample: ${machines
            .map(({ machine, rows: count }) => `${machine} (${count})`)
            .join('; ')}. Group by the columns machine and gpu_uuid.`,
        ]
      : []),
    ...[...unknown].map(([why, count]) => `The energy of ${count} points is ${why}.`),
    ...(shared > 0
      ? [
          `${shared} points had others beside them (at_once): their times are longer than alone. timing: alone measures.`,
        ]
      : []),
  ];
}
