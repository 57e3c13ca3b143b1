/** How far each point of a study is from the point that it is to be compared with. */
import { formatPath } from '../../../contract/scenario/index.ts';
import type { KeptCurve, PlanHead, PlanLine, PointResult } from '../../../contract/study/index.ts';
import { canonical } from './points.ts';

interface PointError {
  readonly name: string;
  readonly unit: string;
  readonly value: number | null;
}

interface Solved {
  readonly line: PlanLine;
  readonly result: PointResult;
}

/** By linear interpolation; 0 outside: there is no dose before the entrance, and none behind the end. */
function at(curve: KeptCurve, position: number): number {
  const { positions, values } = curve;
  let [low, high] = [0, positions.length - 1];
  const first = positions[low];
  const last = positions[high];
  if (first == null || last == null || position < first || position > last) return 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? Number.NaN) <= position) low = middle;
    else high = middle;
  }
  const [from, to] = [positions[low] ?? Number.NaN, positions[high] ?? Number.NaN];
  const [a, b] = [values[low] ?? Number.NaN, values[high] ?? Number.NaN];
  return from === to ? a : a + ((b - a) * (position - from)) / (to - from);
}

/** Norm of the difference over the norm of the reference, at the reference's positions; null where that is no number. */
function relativeCurveError(here: KeptCurve, reference: KeptCurve): number | null {
  let [difference, norm] = [0, 0];
  for (const [i, position] of reference.positions.entries()) {
    const value = reference.values[i];
    if (position === null || value == null) continue;
    difference += (at(here, position) - value) ** 2;
    norm += value ** 2;
  }
  const error = Math.sqrt(difference / norm);
  return Number.isFinite(error) ? error : null;
}

function against(here: PointResult, reference: PointResult): readonly PointError[] {
  const readouts = here.measures.flatMap(({ group, name, unit, value }): readonly PointError[] => {
    if (group !== 'readouts' || typeof value !== 'number') return [];
    const other = reference.measures.find((one) => one.group === group && one.name === name)?.value;
    return [{ name: `error.${name}`, unit, value: typeof other === 'number' ? value - other : null }];
  });
  const curves = here.curves.flatMap((curve): readonly PointError[] => {
    const other = reference.curves.find(({ name }) => name === curve.name);
    return other === undefined
      ? []
      : [{ name: `error.${curve.name}_rel_l2`, unit: '', value: relativeCurveError(curve, other) }];
  });
  return [...readouts, ...curves];
}

/** For each row; empty without a reference, and where the reference point is not solved. */
export function errorsOf(head: PlanHead, rows: readonly Solved[]): readonly (readonly PointError[])[] {
  const { reference } = head.study as { readonly reference?: Readonly<Record<string, unknown>> };
  if (reference === undefined) return rows.map(() => []);
  /** What must be equal, and whether the point is the reference of those that have it. */
  const keyOf = ({ base, settings }: PlanLine) => {
    const named = settings.map(({ path, value }) => ({ name: formatPath(path), value }));
    const others = named.filter(({ name }) => !(name in reference));
    const own = named.filter(({ name }) => name in reference);
    return {
      key: canonical([base, others]),
      isReference: own.every(({ name, value }) => canonical(value) === canonical(reference[name])),
    };
  };
  const keys = rows.map(({ line }) => keyOf(line));
  const references = new Map<string, PointResult>();
  for (const [i, { key, isReference }] of keys.entries()) {
    const result = rows[i]?.result;
    if (isReference && result?.status === 'done') references.set(key, result);
  }
  return rows.map(({ result }, i) => {
    const found = references.get(keys[i]?.key ?? '');
    return found === undefined || result.status !== 'done' ? [] : against(result, found);
  });
}
