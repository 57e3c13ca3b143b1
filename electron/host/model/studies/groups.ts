/** Rows of a study put together: a line for each combination of values, with the medians of what was measured. */
import type { StudyCell, StudyColumnInfo } from '../../../contract/study/calls.ts';
import { median } from '../bench/statistics.ts';

type Row = readonly StudyCell[];

interface GroupLine {
  readonly cells: Row;
  /** Least and largest of what a cell is the median of; null: one value, or none. */
  readonly spans: readonly (readonly [number, number] | null)[];
}

const own = (name: string): StudyColumnInfo => ({
  ...{ key: `group ${name}`, name, unit: '', of: 'group', equal: false, numeric: true },
});

/** Times of several machines are no one sample: a group says how many it is of. */
const MACHINE = ['where machine', 'where gpu_uuid'];

/** In the order in which they first come; `by` are places of columns. */
export function grouped(
  infos: readonly StudyColumnInfo[],
  rows: readonly Row[],
  by: readonly number[],
): { readonly columns: readonly StudyColumnInfo[]; readonly lines: readonly GroupLine[] } {
  const measured = infos.flatMap(({ numeric, equal, of }, i) =>
    numeric && !equal && !by.includes(i) && of !== 'where' && of !== 'point' ? [i] : [],
  );
  const machine = MACHINE.map((key) => infos.findIndex((info) => info.key === key)).filter((i) => i >= 0);
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(by.map((i) => row[i] ?? null));
    const mine = groups.get(key);
    if (mine === undefined) groups.set(key, [row]);
    else mine.push(row);
  }
  const lines = [...groups.values()].map((mine): GroupLine => {
    const machines = new Set(mine.map((row) => JSON.stringify(machine.map((i) => row[i])))).size;
    const numbers = measured.map((i) => mine.map((row) => row[i]).filter((cell) => typeof cell === 'number'));
    return {
      cells: [
        ...by.map((i) => mine[0]?.[i] ?? null),
        ...[mine.length, machines],
        ...numbers.map((values) => (values.length === 0 ? null : median(values))),
      ],
      spans: [
        ...[...by, 0, 0].map(() => null),
        ...numbers.map((values): [number, number] | null => {
          if (values.length < 2) return null;
          // A hundred thousand values are too many to be arguments.
          const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
          return low === high ? null : [low, high];
        }),
      ],
    };
  });
  const several = lines.some(({ cells }) => Number(cells[by.length + 1]) > 1);
  const infoOf = (i: number): readonly StudyColumnInfo[] => {
    const info = infos[i];
    return info === undefined ? [] : [{ ...info, equal: false }];
  };
  return {
    columns: [...by.flatMap(infoOf), own('rows'), { ...own('machines'), equal: !several }, ...measured.flatMap(infoOf)],
    lines,
  };
}
