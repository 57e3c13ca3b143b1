/** Scenario values that are set from outside the file, as in `--set beam.energy_MeV=120`. */
import {
  type FieldIssue,
  fieldIssue,
  formatPath,
  isWithin,
  type Path,
  parsePath,
  showValue,
  valueAt,
  withValueAt,
} from '../../../contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';

export interface Override {
  readonly path: Path;
  readonly value: unknown;
  /** True for a value of a sweep, whose reports already show it. */
  readonly swept?: boolean;
}

/** Settings that change how a problem is solved, but not the problem itself. */
const unnamedPaths = /^(\$schema|name|notes|output|solver\.(variant|precision|stepping|threads))\b/;

/** Longest allowed name of a scenario. */
const LONGEST_NAME = 200;

/** Adds overrides to the name of a scenario, so that a grid of 144 million cells is not called 36 million. */
function nameWithOverrides(document: unknown, overrides: readonly Override[]): unknown {
  const name = valueAt(document, ['name']);
  // A problem folder's name identifies its sessions and candidates, so it does not change.
  if (valueAt(document, ['kind']) === USER_PROBLEM) return document;
  if (typeof name !== 'string' || name === '' || overrides.some(({ path }) => path[0] === 'name')) return document;
  const changes = overrides.flatMap(({ path, value, swept = false }) =>
    swept ? [] : [{ at: formatPath(path), value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
  return withValueAt(document, ['name'], nameWith(name, changes));
}

/** Name of a scenario with its changed values; settings that only affect the solution method are left out. */
export function nameWith(name: string, changes: readonly { readonly at: string; readonly value: string }[]): string {
  const solved = changes.filter(({ at }) => !unnamedPaths.test(at));
  if (solved.length === 0) return name;
  const long = `${name} (${solved.map(({ at, value }) => `${at} = ${value}`).join(', ')})`;
  const short = `${name} (${solved.length} values set)`;
  return long.length <= LONGEST_NAME ? long : short.slice(0, LONGEST_NAME);
}

/** Parses `path=value`; the value is JSON or else plain text. Returns an error message for invalid text. */
export function parseOverride(text: string): Override | string {
  const equals = text.indexOf('=');
  if (equals < 0) return `${showValue(text)} has no '='; allowed: path=value, such as beam.energy_MeV=120`;
  const path = parsePath(text.slice(0, equals).trim());
  if (path === null) {
    return `${showValue(text.slice(0, equals))} is not a path; allowed: names with dots, such as geometry.regions[0].material`;
  }
  const written = text.slice(equals + 1).trim();
  try {
    return { path, value: JSON.parse(written) as unknown };
  } catch {
    return { path, value: written };
  }
}

/** `document` with the overrides applied and added to its name, and errors for those that could not be applied. */
export function applyOverrides(
  document: unknown,
  overrides: readonly Override[],
): { readonly document: unknown; readonly faults: readonly FieldIssue[] } {
  let current = document;
  const faults: FieldIssue[] = [];
  for (const { path, value } of overrides) {
    const gap = path.findIndex((step, depth) => {
      if (typeof step !== 'number') return false;
      const list = valueAt(current, path.slice(0, depth));
      // A missing list is created by setting its first entry.
      return list === undefined ? step > 0 : !Array.isArray(list) || step > list.length;
    });
    if (gap >= 0) {
      const list = valueAt(current, path.slice(0, gap));
      const last = Array.isArray(list) ? list.length : 0;
      faults.push(
        fieldIssue(path.slice(0, gap + 1), value, 'does not exist: the list is shorter', `entries 0 to ${last}`),
      );
      continue;
    }
    current = withValueAt(current, path, value);
  }
  return { document: faults.length === 0 ? nameWithOverrides(current, overrides) : current, faults };
}

/** Whether an error at `path` refers to a value set by an override. */
export function isFromOverride(path: Path, overrides: readonly Override[]): boolean {
  return overrides.some((override) => isWithin(path, override.path));
}
