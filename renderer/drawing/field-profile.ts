/** Values of a field along a straight line between two points. */
import type { FieldMap } from '../../electron/contract/fields.ts';
import { probe } from './field-probe.ts';
import type { MapPoint } from './map-view.ts';

interface FieldProfile {
  /**
   * Along the segment from its start: the length in the axes' unit where both
   * have the same one, else the share of the segment, 0 to 1.
   */
  readonly distance: Float64Array;
  readonly unit: string;
  readonly horizontal: Float64Array;
  readonly vertical: Float64Array;
  /** NaN outside the field. */
  readonly values: Float64Array;
}

/** Points per sample that the segment crosses: steps of the cells stay steps. */
const POINTS_PER_SAMPLE = 2;
const MOST_POINTS = 4096;

export function fieldProfile(field: FieldMap, from: MapPoint, to: MapPoint): FieldProfile {
  const { horizontal, vertical } = field;
  const across = (to.horizontal - from.horizontal) / (horizontal.to - horizontal.from);
  const up = (to.vertical - from.vertical) / (vertical.to - vertical.from);
  const samples = Math.hypot(across * horizontal.count, up * vertical.count);
  const points = Math.max(2, Math.min(MOST_POINTS, Math.ceil(samples * POINTS_PER_SAMPLE) + 1));
  const sameUnit = horizontal.unit === vertical.unit;
  const length = sameUnit ? Math.hypot(to.horizontal - from.horizontal, to.vertical - from.vertical) : 1;
  const share = Float64Array.from({ length: points }, (_, i) => i / (points - 1));
  const h = share.map((s) => from.horizontal + s * (to.horizontal - from.horizontal));
  const v = share.map((s) => from.vertical + s * (to.vertical - from.vertical));
  return {
    distance: share.map((s) => s * length),
    unit: sameUnit ? horizontal.unit : '',
    horizontal: h,
    vertical: v,
    values: share.map((_, i) => probe(field, h[i] ?? 0, v[i] ?? 0)?.value ?? Number.NaN),
  };
}
