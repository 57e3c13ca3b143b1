/** Values set from outside the file, as in `--set beam.energy_MeV=120`. */
import {
  type Fault,
  fault,
  isWithin,
  type Path,
  parsePath,
  showValue,
  valueAt,
  withValueAt,
} from '../../contract/scenario/index.ts';

export interface Override {
  readonly path: Path;
  readonly value: unknown;
}

/** Reads `path=value`; the value is JSON, or text where it is not. A sentence if it is no such thing. */
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

/** `document` with the overrides in it, and what could not be set. */
export function applyOverrides(
  document: unknown,
  overrides: readonly Override[],
): { readonly document: unknown; readonly faults: readonly Fault[] } {
  let current = document;
  const faults: Fault[] = [];
  for (const { path, value } of overrides) {
    const gap = path.findIndex((step, depth) => {
      if (typeof step !== 'number') return false;
      const list = valueAt(current, path.slice(0, depth));
      // A list that is not there yet is made by setting its first entry.
      return list === undefined ? step > 0 : !Array.isArray(list) || step > list.length;
    });
    if (gap >= 0) {
      const list = valueAt(current, path.slice(0, gap));
      const last = Array.isArray(list) ? list.length : 0;
      faults.push(fault(path.slice(0, gap + 1), value, 'has no place: the list is shorter', `entries 0 to ${last}`));
      continue;
    }
    current = withValueAt(current, path, value);
  }
  return { document: current, faults };
}

/** Whether a fault at `path` is about something that an override set. */
export function fromOverride(path: Path, overrides: readonly Override[]): boolean {
  return overrides.some((override) => isWithin(path, override.path));
}
