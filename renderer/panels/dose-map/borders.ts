/** Borders of the form's regions on the map: which one is under the pointer, and where dragging it leads. No React. */
import type { Interval } from '../../../electron/contract/fields.ts';
import { type Path, valueAt } from '../../../electron/contract/scenario/index.ts';

/** A point of the plane, mm. */
interface PlanePoint {
  readonly z: number;
  readonly x: number;
}

interface Border {
  readonly axis: 'z' | 'x';
  readonly region: number;
  /** 0: where the region begins along the axis; 1: where it ends. */
  readonly end: 0 | 1;
}

const keyOf = { z: 'z_mm', x: 'x_mm' } as const;

function intervalOf(scenario: unknown, region: number, axis: 'z' | 'x'): Interval | null {
  const value = valueAt(scenario, ['geometry', 'regions', region, keyOf[axis]]);
  if (!Array.isArray(value)) return null;
  const [from, to] = value as readonly unknown[];
  return typeof from === 'number' && typeof to === 'number' ? [from, to] : null;
}

/** Ends at the border of the region that is drawn uppermost, within `near` of it; null where there is none. */
export function borderAt(scenario: unknown, at: PlanePoint, near: PlanePoint): Border | null {
  const regions = valueAt(scenario, ['geometry', 'regions']);
  if (!Array.isArray(regions)) return null;
  for (let region = regions.length - 1; region >= 0; region -= 1) {
    const [z, x] = [intervalOf(scenario, region, 'z'), intervalOf(scenario, region, 'x')];
    if (z === null || x === null) continue;
    const within = (value: number, [from, to]: Interval, slack: number): boolean =>
      value >= from - slack && value <= to + slack;
    for (const [axis, own, across, other] of [
      ['z', z, x, 'x'],
      ['x', x, z, 'z'],
    ] as const) {
      if (!within(at[other], across, near[other])) continue;
      const away = own.map((border) => Math.abs(border - at[axis]));
      const end = (away[1] ?? 0) < (away[0] ?? 0) ? 1 : 0;
      if ((away[end] ?? Number.POSITIVE_INFINITY) <= near[axis]) return { axis, region, end };
    }
  }
  return null;
}

/** Tenths of what a pixel stands for make long numbers: a border goes by the power of ten nearest above it. */
function stepOf(pixel_mm: number): number {
  return 10 ** Math.ceil(Math.log10(Math.max(pixel_mm, 1e-4)) - 1e-9);
}

interface BorderEdit {
  readonly path: Path;
  readonly value: readonly [number, number];
}

/**
 * The edit that brings a border to `to`: on a round number, inside the geometry, and a step short of the other end.
 * Null where the region is not there any more.
 */
export function borderMoved(
  scenario: unknown,
  { axis, region, end }: Border,
  to: PlanePoint,
  pixel: PlanePoint,
  [low, high]: Interval,
): BorderEdit | null {
  const interval = intervalOf(scenario, region, axis);
  if (interval === null) return null;
  const step = stepOf(pixel[axis]);
  const round = Number((Math.round(to[axis] / step) * step).toPrecision(12));
  const [from, until] = interval;
  const inside =
    end === 0 ? Math.min(Math.max(round, low), until - step) : Math.max(Math.min(round, high), from + step);
  const value = Number(inside.toPrecision(12));
  return {
    path: ['geometry', 'regions', region, keyOf[axis]],
    value: end === 0 ? [value, until] : [from, value],
  };
}
