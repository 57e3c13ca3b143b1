/** The points of a study: every base scenario with every way that the axes set it, where the conditions hold. */
import { createHash } from 'node:crypto';
import { type Fault, fault, formatPath, type Path, showValue } from '../../../contract/scenario/index.ts';
import {
  type Expression,
  ExpressionError,
  holds,
  MOST_POINTS,
  parseExpression,
  type Study,
} from '../../../contract/study/index.ts';
import { applyOverrides } from '../scenarios/overrides.ts';
import { layDimension, type Setting } from './dimension.ts';

export interface StudyPoint {
  /** Names what is solved, by the first 16 digits of SHA-256. Names and notes change nothing. */
  readonly id: string;
  /** Which base scenario. */
  readonly base: number;
  readonly settings: readonly Setting[];
}

export interface Points {
  readonly points: readonly StudyPoint[];
  /** Combinations before the conditions. */
  readonly combinations: number;
  /** Combinations that are the same problem as an earlier one. */
  readonly repeated: number;
  readonly faults: readonly Fault[];
}

const ID_DIGITS = 16;
const unsolved: readonly string[] = ['$schema', 'name', 'notes'];

/** JSON with keys in order: the same text for the same document, however it was written. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)
    .join(',')}}`;
}

/** The id of a document, whatever it is called. `beside` are digests of files that the base scenario names. */
export function pointId(document: unknown, beside: readonly string[]): string {
  const solved = Object.fromEntries(Object.entries(document ?? {}).filter(([key]) => !unsolved.includes(key)));
  return createHash('sha256')
    .update(canonical({ document: solved, beside: beside.toSorted() }))
    .digest('hex')
    .slice(0, ID_DIGITS);
}

/** The way at each dimension for combination `index`: the last axis runs fastest. */
function settingsAt(ways: readonly (readonly (readonly Setting[])[])[], index: number): readonly Setting[] {
  const chosen: (readonly Setting[])[] = [];
  let rest = index;
  for (const all of ways.toReversed()) {
    chosen.push(all[rest % all.length] ?? []);
    rest = Math.floor(rest / all.length);
  }
  return chosen.toReversed().flat();
}

/** Paths that two axes set: one of them would be without effect. */
function clashes(ways: readonly (readonly (readonly Setting[])[])[]): readonly Fault[] {
  const seen = new Map<string, number>();
  return ways.flatMap((all, i) =>
    (all[0] ?? []).flatMap(({ path }, j) => {
      const at = formatPath(path);
      const other = seen.get(at);
      seen.set(at, i);
      const twice =
        other !== undefined && (other !== i || (all[0] ?? []).findIndex((one) => formatPath(one.path) === at) < j);
      return twice ? [fault(['axes', i], at, `is set by axes[${other}] too`, 'each path once')] : [];
    }),
  );
}

export interface StudyBase {
  readonly document: unknown;
  /** Digests of the files that it names. */
  readonly beside: readonly string[];
}

function stays(conditions: readonly Expression[], document: unknown, faults: Map<string, Fault>): boolean {
  for (const [i, condition] of conditions.entries()) {
    try {
      if (!holds(condition, document)) return false;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const path: Path = ['conditions', i];
      faults.set(
        `${i}`,
        fault(path, condition.text, `cannot be decided: ${error.message}`, 'paths that every point sets'),
      );
      return false;
    }
  }
  return true;
}

/** Deterministic: the same study and bases give the same points in the same order. */
export function pointsOf(study: Study, bases: readonly StudyBase[]): Points {
  const laid = study.axes.map((dimension, i) => layDimension(dimension, study.seed, ['axes', i]));
  const ways = laid.map((each) => each.ways);
  const wrong = [...laid.flatMap(({ faults }) => faults), ...clashes(ways)];
  const perBase = ways.reduce((product, each) => product * each.length, 1);
  const combinations = perBase * bases.length;
  if (combinations > MOST_POINTS) {
    const told = `${showValue(combinations)} combinations`;
    wrong.push(
      fault(['axes'], told, 'are too many', `at most ${MOST_POINTS}: fewer values, or a latin sample of them`),
    );
  }
  if (wrong.length > 0) return { points: [], combinations, repeated: 0, faults: wrong };
  const conditions = study.conditions.map(parseExpression);
  const faults = new Map<string, Fault>();
  const points = new Map<string, StudyPoint>();
  let repeated = 0;
  for (const [base, { document, beside }] of bases.entries()) {
    for (let i = 0; i < perBase; i += 1) {
      const settings = settingsAt(ways, i);
      const set = applyOverrides(
        document,
        settings.map((setting) => ({ ...setting, swept: true })),
      );
      const [unset] = set.faults;
      if (unset !== undefined) {
        faults.set(formatPath(unset.path), {
          ...unset,
          message: `${formatPath(unset.path)}: ${unset.message}`,
          path: ['axes'],
        });
        continue;
      }
      if (!stays(conditions, set.document, faults)) continue;
      const id = pointId(set.document, beside);
      if (points.has(id)) repeated += 1;
      else points.set(id, { id, base, settings });
    }
  }
  return { points: [...points.values()], combinations, repeated, faults: [...faults.values()] };
}
