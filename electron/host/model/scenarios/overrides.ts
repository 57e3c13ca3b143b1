/** Overrides: values of a scenario that are set from outside of its file, as by `--set beam.energy_MeV=120`. */
import {
  type FieldIssue,
  fieldIssue,
  formatPath,
  formatValue,
  isWithin,
  type Path,
  parsePath,
  valueAt,
  withValueAt,
} from '../../../contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';

export interface Override {
  readonly path: Path;
  readonly value: unknown;
  /** True for the value of a sweep. It is not added to the scenario's name, because the report shows it. */
  readonly swept?: boolean;
}

/** Paths that are not added to a scenario's name, because they change how a problem is solved but not the problem. */
const PATHS_NOT_IN_NAME = /^(\$schema|name|notes|output|solver\.(variant|precision|stepping|threads))\b/;

/** Maximum length of a scenario's name. */
const LONGEST_NAME = 200;

/** Adds overrides to the name of a scenario. Otherwise, a scenario named "36 million cells" could have 144 million. */
function nameWithOverrides(document: unknown, overrides: readonly Override[]): unknown {
  const name = valueAt(document, ['name']);
  // The name of a user problem identifies its sessions and candidates, so it must not change.
  if (valueAt(document, ['kind']) === USER_PROBLEM) return document;
  if (typeof name !== 'string' || name === '' || overrides.some(({ path }) => path[0] === 'name')) return document;
  const changes = overrides.flatMap(({ path, value, swept = false }) =>
    swept ? [] : [{ at: formatPath(path), value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
  return withValueAt(document, ['name'], appendValuesToName(name, changes));
}

/** Appends changed values to a name. Settings that change only how a problem is solved are left out. */
export function appendValuesToName(
  name: string,
  changes: readonly { readonly at: string; readonly value: string }[],
): string {
  const solved = changes.filter(({ at }) => !PATHS_NOT_IN_NAME.test(at));
  if (solved.length === 0) return name;
  const long = `${name} (${solved.map(({ at, value }) => `${at} = ${value}`).join(', ')})`;
  const short = `${name} (${solved.length} values set)`;
  return long.length <= LONGEST_NAME ? long : short.slice(0, LONGEST_NAME);
}

/**
 * Parses `path=value`. The value is JSON, or plain text if it is not valid JSON. Returns an error message for invalid
 * text.
 */
export function parseOverride(text: string): Override | string {
  const equals = text.indexOf('=');
  if (equals < 0) return `${formatValue(text)} has no '='; allowed: path=value, such as beam.energy_MeV=120`;
  const path = parsePath(text.slice(0, equals).trim());
  if (path === null) {
    return `${formatValue(text.slice(0, equals))} is not a path; allowed: names with dots, such as geometry.regions[0].material`;
  }
  const written = text.slice(equals + 1).trim();
  try {
    return { path, value: JSON.parse(written) as unknown };
  } catch {
    return { path, value: written };
  }
}

/**
 * Applies overrides to a document and adds them to its name. Also returns an error for each override that could not be
 * applied.
 */
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
      // A missing list may be created by setting its entry 0.
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

/** Whether an error at `path` concerns a value that an override has set. */
export function isFromOverride(path: Path, overrides: readonly Override[]): boolean {
  return overrides.some((override) => isWithin(path, override.path));
}
