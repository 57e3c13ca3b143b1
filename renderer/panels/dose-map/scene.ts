/** Scene of the dose map, built from field, scenario and readouts. No React. */
import type { Interval } from '../../../electron/contract/fields.ts';
import { materialSummaries, type Path, valueAt } from '../../../electron/contract/scenario/index.ts';
import type { ResolvedTransport } from '../../../electron/contract/scenario/transport/workload.ts';
import type { ShownMap } from '../../data/run-data.ts';
import type { Annotation } from '../../drawing/annotations.ts';
import type { MapScene, ShownAxis } from '../../drawing/map-view.ts';

// Borders of the form's regions can be dragged on the map.

/** A point in the plane, mm. */
interface PlanePoint {
  readonly z: number;
  readonly x: number;
}

interface Border {
  readonly axis: 'z' | 'x';
  readonly region: number;
  /** 0 for the start of the region along the axis, 1 for its end. */
  readonly end: 0 | 1;
}

const keyOf = { z: 'z_mm', x: 'x_mm' } as const;

function intervalOf(scenario: unknown, region: number, axis: 'z' | 'x'): Interval | null {
  const value = valueAt(scenario, ['geometry', 'regions', region, keyOf[axis]]);
  if (!Array.isArray(value)) return null;
  const [from, to] = value as readonly unknown[];
  return typeof from === 'number' && typeof to === 'number' ? [from, to] : null;
}

/** Border within `near` of the point; of the topmost region if several overlap. Null if there is none. */
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

/**
 * Step of a dragged border: the smallest power of ten that is at least a pixel. A smaller step would only add digits to
 * the numbers in the form.
 */
function stepOf(pixel_mm: number): number {
  return 10 ** Math.ceil(Math.log10(Math.max(pixel_mm, 1e-4)) - 1e-9);
}

interface BorderEdit {
  readonly path: Path;
  readonly value: readonly [number, number];
}

/**
 * Edit that moves a border to `to`, rounded, inside the geometry, and at least a step from the region's other end. Null
 * if the region no longer exists.
 */
export function borderEdit(
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

interface SceneInput {
  readonly shown: ShownMap | null;
  /** Resolved scenario of the shown run or, before there is one, of the form. */
  readonly resolved: ResolvedTransport | null;
  readonly r80_mm: number | null;
  readonly windows: Readonly<{ z?: Interval; x?: Interval }>;
  readonly marks: boolean;
  readonly under?: MapScene['under'];
}

const RAD_PER_DEG = Math.PI / 180;

function numberAt(resolved: ResolvedTransport | null, ...path: readonly string[]): number | null {
  const value = valueAt(resolved?.scenario, path);
  return typeof value === 'number' ? value : null;
}

function isInterval(value: unknown): value is Interval {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'number';
}

function regionMarks(resolved: ResolvedTransport): readonly Annotation[] {
  const regions = valueAt(resolved.scenario, ['geometry', 'regions']);
  if (!Array.isArray(regions)) return [];
  return regions.flatMap((region: unknown): readonly Annotation[] => {
    const [z, x] = [valueAt(region, ['z_mm']), valueAt(region, ['x_mm'])];
    if (!isInterval(z) || !isInterval(x)) return [];
    const name = valueAt(region, ['name']);
    const material = String(valueAt(region, ['material']));
    const title = Object.hasOwn(materialSummaries, material)
      ? materialSummaries[material as keyof typeof materialSummaries].title
      : material;
    return [
      { kind: 'rectangle', horizontal: z, vertical: x, label: typeof name === 'string' && name !== '' ? name : title },
    ];
  });
}

/** Arrow of the incoming beam, which ends at the entrance and is a tenth of the field long. */
function beamMark(resolved: ResolvedTransport, depth: number): Annotation | null {
  const [x, z, angle] = [
    numberAt(resolved, 'beam', 'x_mm'),
    numberAt(resolved, 'beam', 'z_mm'),
    numberAt(resolved, 'beam', 'angle_deg'),
  ];
  if (x === null || z === null || angle === null) return null;
  const length = depth / 12;
  const [dz, dx] = [Math.cos(angle * RAD_PER_DEG) * length, Math.sin(angle * RAD_PER_DEG) * length];
  return { kind: 'arrow', from: [z, x], to: [z + dz, x + dx] };
}

function axis(title: string, whole: Interval, window: Interval | undefined): ShownAxis {
  const [from, to] = window ?? whole;
  return { title, unit: 'mm', from, to };
}

/** Full extent in z and x: of the field or, without a field, of the geometry. */
export function fullExtent(
  shown: ShownMap | null,
  resolved: ResolvedTransport | null,
): { readonly z: Interval; readonly x: Interval } | null {
  if (shown !== null) {
    const { horizontal, vertical } = shown.field;
    return { z: [horizontal.fullFrom, horizontal.fullTo], x: [vertical.fullFrom, vertical.fullTo] };
  }
  const [depth, width] = [numberAt(resolved, 'geometry', 'depth_mm'), numberAt(resolved, 'geometry', 'width_mm')];
  return depth === null || width === null ? null : { z: [0, depth], x: [-width / 2, width / 2] };
}

const titleOf = (quantity: string): string => quantity.charAt(0).toUpperCase() + quantity.slice(1);

/** Null if the geometry is unknown. */
export function doseScene({ shown, resolved, r80_mm, windows, marks, under = null }: SceneInput): MapScene | null {
  const whole = fullExtent(shown, resolved);
  if (whole === null) return null;
  const annotations: Annotation[] = [];
  if (marks && resolved !== null) {
    annotations.push(...regionMarks(resolved));
    const beam = shown === null ? beamMark(resolved, whole.z[1] - whole.z[0]) : null;
    if (beam !== null) annotations.push(beam);
    const straight = numberAt(resolved, 'beam', 'angle_deg') === 0;
    const entrance = numberAt(resolved, 'beam', 'z_mm') ?? 0;
    if (straight && shown === null) {
      const at = entrance + resolved.range_mm;
      annotations.push({ kind: 'vertical-line', at, label: 'Range', style: 'dashed' });
    }
    if (straight && r80_mm !== null) {
      annotations.push({ kind: 'vertical-line', at: entrance + r80_mm, label: 'R80', style: 'solid' });
    }
  }
  return {
    horizontal: axis('Depth z', whole.z, windows.z),
    vertical: axis('Across x', whole.x, windows.x),
    field: shown?.field ?? null,
    quantityTitle: titleOf(shown?.field.quantity ?? 'dose'),
    annotations,
    under,
  };
}
