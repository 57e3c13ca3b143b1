/** A study axis as typed in the form, and its conversion to a study document. */

import {
  isScenarioKind,
  kindOfDocument,
  type Path,
  parsePath,
  schemaAt,
  unitOf,
  valueAt,
  withValueAt,
} from '../../../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../../electron/contract/scenario/workload.ts';
import type { StudyDocument } from '../../../../electron/contract/study/index.ts';
import { unitSymbols } from '../../../../electron/domain/values/units.ts';

export type AxisKind = 'list' | 'range' | 'log';

export interface AxisDraft {
  /** Unique id in the form. */
  readonly id: number;
  /** Parameter path; `a+b` sets two parameters to equal values. */
  readonly path: string;
  readonly kind: AxisKind;
  /** Values of a list: `60, 70, 80`. */
  readonly values: string;
  /** Limits and count of a range. */
  readonly from: string;
  readonly to: string;
  readonly count: string;
}

export type StudyAxes = NonNullable<StudyDocument['axes']>;

/** Parses typed text: a number, `true` or `false`, else text. */
function parseTyped(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return text !== '' && Number.isFinite(number) ? number : text;
}

export const parseValueList = (text: string): readonly unknown[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(parseTyped);

/** Error message of an invalid axis; null if valid. */
export function axisIssue({ path, kind, values, from, to, count }: AxisDraft): string | null {
  const paths = path.split('+').map((one) => one.trim());
  if (paths.some((one) => parsePath(one) === null)) return 'Choose a parameter to vary.';
  if (kind === 'list') return parseValueList(values).length === 0 ? 'Enter values separated by commas.' : null;
  const ends = [from, to].map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
  if (ends.some((end) => !Number.isFinite(end))) return 'From and to must be numbers.';
  if (kind === 'log' && ends.some((end) => end <= 0)) return 'Both ends of a logarithmic axis must be above 0.';
  const steps = Number(count);
  return Number.isInteger(steps) && steps >= 1 ? null : 'The count must be a whole number of at least 1.';
}

export function axisOf({ path, kind, values, from, to, count }: AxisDraft): StudyAxes[number] {
  if (kind === 'list') return { kind, path, values: [...parseValueList(values)] };
  return { kind, path, from: Number(from), to: Number(to), count: Number(count) };
}

/** Paths of the parameters that the axis sets, including those of zipped axes. */
export function pathsOfAxis(axis: StudyAxes[number]): readonly string[] {
  if (axis.kind === 'tunables') return ['solver.variant'];
  return 'axes' in axis ? axis.axes.map(({ path }) => path) : [axis.path];
}

/** Number of values on the axis; conditions may exclude some combinations. */
export const valueCount = (draft: AxisDraft): number =>
  draft.kind === 'list' ? parseValueList(draft.values).length : Number(draft.count);

/** Paths of single values in a document, in order, except notes and names, which do not affect results. */
export function pathsIn(document: unknown, at = ''): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([key, value]): readonly string[] => {
    if (at === '' && ['$schema', 'kind', 'version', 'name', 'notes', 'output'].includes(key)) return [];
    const path = Array.isArray(document) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`;
    if (parsePath(path) === null) return [];
    if (typeof value === 'object' && value !== null) return pathsIn(value, path);
    return ['number', 'string', 'boolean'].includes(typeof value) ? [path] : [];
  });
}

/** Default path of the first axis: the energy, or else the first number that can be varied around its value. */
export function defaultAxisPath(document: unknown, paths: readonly string[]): string {
  const energy = 'beam.energy_MeV';
  const numberAt = (path: string): boolean => {
    const value = valueAt(document, parsePath(path) ?? []);
    return typeof value === 'number' && value !== 0;
  };
  return paths.includes(energy) ? energy : (paths.find(numberAt) ?? paths[0] ?? energy);
}

/**
 * Adds the `kind` values of all objects along each path, from the complete document. Without them, an axis inside an
 * object that exists only by default would be invalid.
 */
export function withKinds(draft: ScenarioDraft, complete: unknown, paths: readonly string[]): ScenarioDraft {
  let out: unknown = draft;
  for (const path of paths.flatMap((one) => one.split('+'))) {
    const steps = parsePath(path.trim()) ?? [];
    for (let depth = 1; depth < steps.length; depth += 1) {
      const at = [...steps.slice(0, depth), 'kind'];
      const kind = valueAt(complete, at);
      if (typeof kind === 'string' && valueAt(out, at) === undefined) out = withValueAt(out as object, at, kind);
    }
  }
  return out as ScenarioDraft;
}

/** Unit such as `MeV`; empty if there is none. */
export function unitAt(document: ScenarioDraft, path: string): string {
  const kind = kindOfDocument(document);
  const steps: Path | null = parsePath(path.split('+')[0]?.trim() ?? '');
  if (steps === null || !isScenarioKind(kind)) return '';
  const schema = schemaAt(kind, steps, document);
  return schema === null ? '' : unitSymbols[unitOf(schema)];
}

const NEAR = { low: 0.8, high: 1.2, count: 5 } as const;
const roundedText = (value: number): string => String(Number(value.toPrecision(6)));

/** Axis with values around the scenario's current value. */
export function axisAround(id: number, document: unknown, path: string): AxisDraft {
  const steps = parsePath(path);
  const value = steps === null ? undefined : valueAt(document, steps);
  const blank = { id, path, values: '', from: '', to: '', count: String(NEAR.count) };
  if (typeof value !== 'number' || value === 0) {
    return { ...blank, kind: 'list', values: value === undefined ? '' : String(value) };
  }
  const ends = [value * NEAR.low, value * NEAR.high].toSorted((a, b) => a - b);
  return { ...blank, kind: 'range', from: roundedText(ends[0] ?? 0), to: roundedText(ends[1] ?? 0) };
}
