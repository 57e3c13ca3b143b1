/**
 * Computes the points of a study: every base scenario with every combination of settings that meets the conditions. A
 * dimension of the study is one axis, or several axes that vary together.
 */
import { createHash } from 'node:crypto';
import {
  type FieldIssue,
  fieldIssue,
  formatPath,
  formatValue,
  type Path,
  parsePath,
} from '../../../contract/scenario/index.ts';
import {
  type Expression,
  ExpressionError,
  isTrue,
  MAX_POINTS,
  parseExpression,
  type SampledAxis,
  type Study,
  type StudyAxis,
  type StudyDimension,
} from '../../../contract/study/index.ts';
import { type RandomGenerator, seededRandom, shuffle } from '../bench/statistics.ts';
import { applyOverrides } from '../scenarios/overrides.ts';

interface Setting {
  readonly path: Path;
  readonly value: unknown;
}

/** Settings of a dimension. Each entry of `choices` is one choice, which sets all paths of the dimension. */
interface AxisSettings {
  readonly choices: readonly (readonly Setting[])[];
  readonly faults: readonly FieldIssue[];
}

/**
 * Significant digits to which generated values are rounded, so that files contain no rounding errors such as
 * 0.30000000000000004.
 */
const DIGITS = 15;
const round = (value: number): number => Number(value.toPrecision(DIGITS));

/** Parses paths joined by plus signs, such as `a+b`. Returns an error if one is not a path. */
function parsePaths(text: string, at: Path): readonly Path[] | FieldIssue {
  const paths = text.split('+').map((one) => parsePath(one.trim()));
  const whole = paths.flatMap((one) => (one === null ? [] : [one]));
  if (whole.length === paths.length) return whole;
  return fieldIssue([...at, 'path'], text, 'is not a path', 'names with dots, such as geometry.regions[0].material');
}

const isIssue = (given: readonly unknown[] | FieldIssue): given is FieldIssue => 'severity' in given;

/**
 * Number between `from` and `to` at the fraction `share`, on a linear or logarithmic scale. The ends are returned
 * exactly.
 */
function interpolateOnScale(from: number, to: number, share: number, scale: 'linear' | 'log'): number {
  if (share === 0) return from;
  if (share === 1) return to;
  return round(scale === 'linear' ? from + (to - from) * share : from * (to / from) ** share);
}

function scaleIssue({ from, to }: { readonly from: number; readonly to: number }, at: Path): FieldIssue | null {
  if (from > 0 && to > 0) return null;
  const key = from > 0 ? 'to' : 'from';
  return fieldIssue([...at, key], key === 'to' ? to : from, 'has no logarithm', 'a number above 0');
}

function axisValues(axis: StudyAxis, at: Path): readonly unknown[] | FieldIssue {
  if (axis.kind === 'list') return axis.values;
  const { from, to, count } = axis;
  const scale = axis.kind === 'log' ? 'log' : 'linear';
  const wrong = scale === 'log' ? scaleIssue(axis, at) : null;
  if (wrong !== null) return wrong;
  if (count === 1 && from !== to)
    return fieldIssue([...at, 'count'], count, 'cannot include both ends', 'a whole number of at least 2');
  return Array.from({ length: count }, (_, i) =>
    interpolateOnScale(from, to, count === 1 ? 0 : i / (count - 1), scale),
  );
}

function settingsOfAxis(axis: StudyAxis, at: Path): AxisSettings {
  const [paths, values] = [parsePaths(axis.path, at), axisValues(axis, at)];
  const faults = [paths, values].filter(isIssue);
  if (isIssue(paths) || isIssue(values)) return { choices: [], faults };
  return { choices: values.map((value) => paths.map((path) => ({ path, value }))), faults: [] };
}

function zipSettings(columns: readonly AxisSettings[], length: number): AxisSettings {
  const faults = columns.flatMap((column) => column.faults);
  if (faults.length > 0) return { choices: [], faults };
  const choices = Array.from({ length }, (_, i) => columns.flatMap((column) => column.choices[i] ?? []));
  return { choices, faults: [] };
}

function settingsOfZip(axes: readonly StudyAxis[], at: Path): AxisSettings {
  const columns = axes.map((axis, i) => settingsOfAxis(axis, [...at, 'axes', i]));
  const length = columns[0]?.choices.length ?? 0;
  const odd = columns.findIndex(({ choices, faults }) => faults.length === 0 && choices.length !== length);
  if (odd < 0 || columns.some(({ faults }) => faults.length > 0)) return zipSettings(columns, length);
  const says = `has ${columns[odd]?.choices.length} values, but the first axis of the zip has ${length}`;
  return { choices: [], faults: [fieldIssue([...at, 'axes', odd], axes[odd]?.path, says, 'axes of equal length')] };
}

/** Settings of a sampled axis. `shares` are the positions of the samples in the axis' range, from 0 to 1. */
function settingsOfSampled(axis: SampledAxis, shares: readonly number[], at: Path): AxisSettings {
  const paths = parsePaths(axis.path, at);
  if (isIssue(paths)) return { choices: [], faults: [paths] };
  const wrong = axis.kind === 'between' && axis.scale === 'log' ? scaleIssue(axis, at) : null;
  if (wrong !== null) return { choices: [], faults: [wrong] };
  const drawn = (share: number): unknown => {
    if (axis.kind === 'among') return axis.values[Math.floor(share * axis.values.length)];
    const value = interpolateOnScale(axis.from, axis.to, share, axis.scale);
    return axis.whole ? Math.round(value) : value;
  };
  return { choices: shares.map((share) => paths.map((path) => ({ path, value: drawn(share) }))), faults: [] };
}

function sampleFractions(kind: 'random' | 'latin', count: number, random: RandomGenerator): readonly number[] {
  if (kind === 'random') return Array.from({ length: count }, () => random.next());
  const strata = Array.from({ length: count }, (_, i) => i);
  return shuffle(strata, random).map((stratum) => (stratum + random.next()) / count);
}

/**
 * Settings of one dimension. `at` is its path in the study. Random values depend only on the seed and the position of
 * the dimension, so they are the same on every machine.
 */
function settingsOfDimension(dimension: StudyDimension, seed: number, at: readonly ['axes', number]): AxisSettings {
  switch (dimension.kind) {
    case 'list':
    case 'range':
    case 'log':
      return settingsOfAxis(dimension, at);
    case 'zip':
      return settingsOfZip(dimension.axes, at);
    case 'tunables':
      // Must not happen: planning replaces tunables by their values, which only the sources contain, before it computes
      // points.
      return { choices: [], faults: [fieldIssue(at, 'tunables', 'have not been loaded', 'a variant with tunables')] };
    case 'random':
    case 'latin': {
      // Each dimension has its own random stream, so that appending a dimension does not change the values of the
      // others.
      const random = seededRandom(seed + at[1] * 0x1_0000_0000);
      const { kind, count, axes } = dimension;
      return zipSettings(
        axes.map((axis, i) => settingsOfSampled(axis, sampleFractions(kind, count, random), [...at, 'axes', i])),
        count,
      );
    }
  }
}

export interface StudyPoint {
  /** Identifier: the first 16 digits of a SHA-256 of the problem. Names and notes do not affect it. */
  readonly id: string;
  /** Index of the base scenario. */
  readonly base: number;
  readonly settings: readonly Setting[];
}

export interface Points {
  readonly points: readonly StudyPoint[];
  /** Number of all combinations, before the conditions are applied. */
  readonly combinations: number;
  /** Number of combinations whose problem is the same as that of an earlier one. */
  readonly repeated: number;
  readonly faults: readonly FieldIssue[];
}

const ID_DIGITS = 16;
const unsolvedKeys: readonly string[] = ['$schema', 'name', 'notes'];

/** JSON text with sorted keys, which is the same for equal documents. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`)
    .join(',')}}`;
}

/**
 * Identifier of a document; its name does not affect it. `beside` has digests of the files that the document refers to.
 */
export function pointId(document: unknown, beside: readonly string[]): string {
  const solved = Object.fromEntries(Object.entries(document ?? {}).filter(([key]) => !unsolvedKeys.includes(key)));
  return createHash('sha256')
    .update(canonicalJson({ document: solved, beside: beside.toSorted() }))
    .digest('hex')
    .slice(0, ID_DIGITS);
}

/** Settings of combination number `index`. The last dimension varies fastest. */
function settingsOfCombination(
  choices: readonly (readonly (readonly Setting[])[])[],
  index: number,
): readonly Setting[] {
  const chosen: (readonly Setting[])[] = [];
  let rest = index;
  for (const all of choices.toReversed()) {
    chosen.push(all[rest % all.length] ?? []);
    rest = Math.floor(rest / all.length);
  }
  return chosen.toReversed().flat();
}

/** Errors for paths that two dimensions set, because one of the dimensions would have no effect. */
function pathConflicts(choices: readonly (readonly (readonly Setting[])[])[]): readonly FieldIssue[] {
  const seen = new Map<string, number>();
  return choices.flatMap((all, i) =>
    (all[0] ?? []).flatMap(({ path }, j) => {
      const at = formatPath(path);
      const other = seen.get(at);
      seen.set(at, i);
      const twice =
        other !== undefined && (other !== i || (all[0] ?? []).findIndex((one) => formatPath(one.path) === at) < j);
      return twice ? [fieldIssue(['axes', i], at, `is set by axes[${other}] too`, 'each path once')] : [];
    }),
  );
}

export interface StudyBase {
  readonly document: unknown;
  /** Digests of the files to which the document refers. */
  readonly beside: readonly string[];
}

function meetsConditions(
  conditions: readonly Expression[],
  document: unknown,
  faults: Map<string, FieldIssue>,
): boolean {
  for (const [i, condition] of conditions.entries()) {
    try {
      if (!isTrue(condition, document)) return false;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const path: Path = ['conditions', i];
      faults.set(
        `${i}`,
        fieldIssue(path, condition.text, `cannot be evaluated: ${error.message}`, 'paths that every point sets'),
      );
      return false;
    }
  }
  return true;
}

/** Computes the points. The same study and base scenarios always give the same points in the same order. */
export function computePoints(study: Study, bases: readonly StudyBase[]): Points {
  const laid = study.axes.map((dimension, i) => settingsOfDimension(dimension, study.seed, ['axes', i]));
  const choices = laid.map((each) => each.choices);
  const wrong = [...laid.flatMap(({ faults }) => faults), ...pathConflicts(choices)];
  const perBase = choices.reduce((product, each) => product * each.length, 1);
  const combinations = perBase * bases.length;
  if (combinations > MAX_POINTS) {
    const countText = `${formatValue(combinations)} combinations`;
    wrong.push(
      fieldIssue(
        ['axes'],
        countText,
        'are too many',
        `at most ${MAX_POINTS}: fewer values, or a Latin hypercube sample (kind latin)`,
      ),
    );
  }
  if (wrong.length > 0) return { points: [], combinations, repeated: 0, faults: wrong };
  const conditions = study.conditions.map(parseExpression);
  const faults = new Map<string, FieldIssue>();
  const points = new Map<string, StudyPoint>();
  let repeated = 0;
  for (const [base, { document, beside }] of bases.entries()) {
    for (let i = 0; i < perBase; i += 1) {
      const settings = settingsOfCombination(choices, i);
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
      if (!meetsConditions(conditions, set.document, faults)) continue;
      const id = pointId(set.document, beside);
      if (points.has(id)) repeated += 1;
      else points.set(id, { id, base, settings });
    }
  }
  return { points: [...points.values()], combinations, repeated, faults: [...faults.values()] };
}
