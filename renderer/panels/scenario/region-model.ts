/** Regions as the editor adds and moves them. */

import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { Resolved } from '../../../electron/contract/scenarios.ts';

interface RegionValue {
  readonly name?: string;
  readonly material: string;
  readonly x_mm: readonly [number, number];
  readonly z_mm: readonly [number, number];
  readonly density_scale?: number;
}

type RegionPreset = 'slab' | 'half' | 'box';

export const regionPresets: readonly { readonly id: RegionPreset; readonly label: string; readonly detail: string }[] =
  [
    { id: 'slab', label: 'Slab', detail: 'Over the whole width' },
    { id: 'half', label: 'Half slab', detail: 'Over x > 0: an edge along the beam' },
    { id: 'box', label: 'Box', detail: 'Around the beam axis' },
  ];

/** One or two significant digits: a size that a person would choose. */
function round(value: number): number {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  return Number((Math.round(value / step) * step).toPrecision(6));
}

/** A bone region of an eighth of the range in the middle of the range, inside the geometry. */
export function newRegion(preset: RegionPreset, resolved: Resolved | null): RegionValue {
  const width = Number(valueAt(resolved?.scenario, ['geometry', 'width_mm']) ?? 40);
  const depth = Number(valueAt(resolved?.scenario, ['geometry', 'depth_mm']) ?? 50);
  const range = Math.min(resolved !== null && 'range_mm' in resolved ? resolved.range_mm : depth, depth);
  const from = round(range * 0.4);
  const to = Math.min(depth, round(from + range / 8));
  const half = width / 2;
  const side = round(width / 8);
  const across: Readonly<Record<RegionPreset, readonly [number, number]>> = {
    slab: [-half, half],
    half: [0, half],
    box: [-side, side],
  };
  return { material: 'bone-compact-icru', x_mm: across[preset], z_mm: [from, to] };
}

export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}
