/** Paths of values in a document: `geometry.regions[1].x_mm[0]`. */

export type PathStep = string | number;
export type Path = readonly PathStep[];

const plainKey = /^[A-Za-z_$][\w$-]*$/;

/** Formats a path for users. Keys that are not plain words are quoted in brackets. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!plainKey.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Parses a path without quoted keys; null if the text is not a path. */
export function parsePath(text: string): Path | null {
  const steps: PathStep[] = [];
  const token = /(?:^|\.)([A-Za-z_$][\w$-]*)|\[(\d{1,6})\]/y;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) return null;
    steps.push(match[1] ?? Number(match[2]));
  }
  return steps.length === 0 || typeof steps[0] === 'number' || text.startsWith('.') ? null : steps;
}

/** Returns the value at `path`; undefined if the document does not have it. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<PathStep, unknown>)[step];
  }
  return value;
}

/** Whether `path` is `ancestor` or inside it. */
export function isWithin(path: Path, ancestor: Path): boolean {
  return ancestor.length <= path.length && ancestor.every((step, i) => step === path[i]);
}

/**
 * Returns a copy of `document` with `value` at `path`; undefined removes the key. Missing parent objects are created.
 */
export function withValueAt(document: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = Array.isArray(document) ? [...document] : [];
    const next = withValueAt(list[step], rest, value);
    if (next === undefined) list.splice(step, 1);
    else list[step] = next;
    return list;
  }
  const object = typeof document === 'object' && document !== null && !Array.isArray(document) ? document : {};
  const next = withValueAt((object as Record<string, unknown>)[step], rest, value);
  const entries = Object.entries(object);
  if (next === undefined) return Object.fromEntries(entries.filter(([key]) => key !== step));
  if (!Object.hasOwn(object, step)) return Object.fromEntries([...entries, [step, next]]);
  return Object.fromEntries(entries.map(([key, old]) => [key, key === step ? next : old]));
}

interface RemovedPaths {
  readonly steps: Map<PathStep, RemovedPaths>;
  whole: boolean;
}

/**
 * Returns a copy of `document` without the values at `paths`. They are removed in one pass, because each removal copies
 * the remaining keys.
 */
export function withoutPaths(document: unknown, paths: readonly Path[]): unknown {
  const root: RemovedPaths = { steps: new Map(), whole: false };
  for (const path of paths) {
    let at = root;
    for (const step of path) {
      const next: RemovedPaths = at.steps.get(step) ?? { steps: new Map(), whole: false };
      at.steps.set(step, next);
      at = next;
    }
    at.whole = true;
  }
  const without = (value: unknown, gone: RemovedPaths): unknown => {
    const left = (step: PathStep): boolean => gone.steps.get(step)?.whole !== true;
    const inside = (step: PathStep, entry: unknown): unknown => {
      const deeper = gone.steps.get(step);
      return deeper === undefined ? entry : without(entry, deeper);
    };
    if (Array.isArray(value)) return value.flatMap((entry, i) => (left(i) ? [inside(i, entry)] : []));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([key]) => left(key));
    return Object.fromEntries(entries.map(([key, entry]) => [key, inside(key, entry)]));
  };
  return root.whole ? undefined : without(document, root);
}
