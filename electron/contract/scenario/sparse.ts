/** Leaves out of a scenario what the defaults would give back. */
import { isWithin, type Path, valueAt, withValueAt } from './path.ts';

function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(valueAt(a, [key]), valueAt(b, [key])));
}

/**
 * The shortest document that `complete` fills in to the same scenario, keeping
 * every value at or below a path in `keep` (what the user set). Deciding by
 * `complete` itself keeps this right for defaults that follow from other values.
 * `complete` gives null for a document that is not valid.
 */
export function sparse(
  scenario: Readonly<Record<string, unknown>>,
  keep: readonly Path[],
  complete: (document: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  let document: unknown = scenario;
  const wanted = complete(document);

  function visit(path: Path): void {
    if (path.length > 0 && keep.some((kept) => isWithin(path, kept))) return;
    const removable = typeof path.at(-1) === 'string' && !keep.some((kept) => isWithin(kept, path));
    if (removable) {
      const without = withValueAt(document, path, undefined);
      if (sameJson(complete(without), wanted)) {
        document = without;
        return;
      }
    }
    const value = valueAt(document, path);
    if (typeof value !== 'object' || value === null) return;
    const steps = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value);
    for (const step of steps) visit([...path, step]);
  }

  visit([]);
  return document as Readonly<Record<string, unknown>>;
}

/** Paths of all values in a document that are neither objects nor lists: what its author set. */
export function setPaths(document: unknown, base: Path = []): readonly Path[] {
  if (typeof document !== 'object' || document === null) return [base];
  const steps = Array.isArray(document) ? document.map((_, i) => i) : Object.keys(document);
  return steps.flatMap((step) => setPaths(valueAt(document, [step]), [...base, step]));
}
