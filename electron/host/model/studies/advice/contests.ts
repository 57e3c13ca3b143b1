/** Points of a study that differ in their variant alone, put together: one place of its space each. */
import { formatPath } from '../../../../contract/scenario/index.ts';
import type { Measure, PlanHead, PlanLine, PointResult } from '../../../../contract/study/index.ts';
import { median } from '../../bench/statistics.ts';
import { canonical } from '../points.ts';

export interface Solved {
  readonly line: PlanLine;
  readonly result: PointResult;
}

export type At = Readonly<Record<string, unknown>>;

export interface Contestant {
  readonly variant: string;
  readonly time_s: number;
  /** 95 % interval of the median; null: too few repeats. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Why its answer is not to be trusted; null: nothing is known against it. */
  readonly wrong: string | null;
  readonly line: PlanLine;
}

export interface Contest {
  readonly machine: string;
  readonly at: At;
  readonly contestants: readonly Contestant[];
  /** Largest difference of a readout from the median of all, as a ratio, and of which; null with fewer than two. */
  readonly apart: { readonly ratio: number; readonly readout: string } | null;
  /** Whether some points ran concurrently with others. */
  readonly shared: boolean;
}

/** Times by which variants are compared, in order of preference. */
const TIMES = ['device_s', 'time_s', 'solve_s'] as const;
const VARIANT = 'solver.variant';
/** Grids of one answer agree far better; another answer differs by more. */
export const FAR_APART = 0.01;
/** With two nobody knows which is off. */
const FEWEST_FOR_MEDIAN = 3;

const numberOf = (measures: readonly Measure[], name: string): Measure | null =>
  measures.find((one) => one.name === name && typeof one.value === 'number') ?? null;

function machineOf({ where }: PointResult): string {
  return where.gpu === null ? `${where.machine}, ${where.cpu}` : `${where.machine}, ${where.gpu} ${where.gpu_uuid}`;
}

/** Lengths and errors come from the answer; counts and notes are no measure of it. */
const readouts = ({ measures }: PointResult): readonly (readonly [string, number])[] =>
  measures.flatMap(({ group, name, unit, value }) =>
    group === 'readouts' && unit === 'mm' && typeof value === 'number' && value !== 0 ? [[name, value] as const] : [],
  );

function apartOf(all: readonly Solved[]): { readonly of: readonly number[]; readonly worst: Contest['apart'] } {
  const tables = all.map(({ result }) => new Map(readouts(result)));
  const names = [...(tables[0]?.keys() ?? [])].filter((name) => tables.every((table) => table.has(name)));
  const of = tables.map(() => 0);
  let worst: Contest['apart'] = null;
  if (all.length < 2) return { of, worst };
  for (const name of names) {
    const values = tables.map((table) => table.get(name) ?? Number.NaN);
    const middle = median(values);
    for (const [i, value] of values.entries()) {
      const ratio = Math.abs(value / middle - 1);
      if (!Number.isFinite(ratio)) continue;
      of[i] = Math.max(of[i] ?? 0, ratio);
      if (worst === null || ratio > worst.ratio) worst = { ratio, readout: name };
    }
  }
  return { of, worst };
}

function wrongOf({ result }: Solved, apart: number, of: number): string | null {
  const isWrong = ({ name, value }: Measure): boolean =>
    (name === 'right' && value === 'no') || (name === 'verdict' && value === 'wrong');
  if (result.measures.some(isWrong)) return 'its answer is wrong';
  if (of < FEWEST_FOR_MEDIAN || apart <= FAR_APART) return null;
  return `its readouts are up to ${Number((100 * apart).toPrecision(2))} % from those of the others`;
}

/** Null if the study compares fewer than two variants, or lacks times. */
export function contestsOf(head: PlanHead, rows: readonly Solved[]): readonly Contest[] | null {
  const done = rows.filter(({ result }) => result.status === 'done');
  const asked = ({ line, result }: Solved): string => {
    const set = line.settings.find(({ path }) => formatPath(path) === VARIANT)?.value;
    return typeof set === 'string' && set !== 'auto' ? set : result.variant;
  };
  if (new Set(done.map(asked)).size < 2) return null;
  const time = TIMES.find((name) => done.every(({ result }) => numberOf(result.measures, name) !== null));
  if (time === undefined) return null;
  const groups = Map.groupBy(done, ({ line, result }) =>
    canonical([
      machineOf(result),
      line.base,
      line.settings
        .filter(({ path }) => formatPath(path) !== VARIANT)
        .map(({ path, value }) => [formatPath(path), value]),
    ]),
  );
  return [...groups.values()].flatMap((mine): readonly Contest[] => {
    const [first] = mine;
    if (first === undefined) return [];
    const { of, worst } = apartOf(mine);
    const bases = head.bases.length > 1 ? { scenario: head.bases[first.line.base]?.name ?? '' } : {};
    const settings = first.line.settings.map(({ path, value }) => [formatPath(path), value] as const);
    return [
      {
        machine: machineOf(first.result),
        at: { ...bases, ...Object.fromEntries(settings.filter(([name]) => name !== VARIANT)) },
        contestants: mine.map((one, i): Contestant => {
          const measure = numberOf(one.result.measures, time);
          const { low, high } = measure ?? {};
          return {
            variant: asked(one),
            time_s: Number(measure?.value),
            interval: low === undefined || high === undefined ? null : { low, high },
            wrong: wrongOf(one, of[i] ?? 0, mine.length),
            line: one.line,
          };
        }),
        apart: worst,
        shared: mine.some(({ result }) => result.where.at_once > 1),
      },
    ];
  });
}
