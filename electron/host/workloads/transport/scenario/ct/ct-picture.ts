/** A picture of a CT slice as it lies in the patient, with the box and the beam in it. */
import type { CtPicture } from '../../../../../contract/ct-picture.ts';
import type { TransportScenario } from '../../../../../contract/scenario/index.ts';
import type { CtPlane, CtSlice } from '../../../../io/volumes/ct-slice.ts';
import { type GridAxis, mapAxis, reduced, sampling } from '../../../../model/fields/reduce.ts';
import { type PlacedCt, pointAt } from './placed-ct.ts';

const axisNames: Readonly<Record<CtPlane, readonly [string, string]>> = {
  transverse: ['left', 'back'],
  coronal: ['left', 'head'],
  sagittal: ['back', 'head'],
};

/** More lines than these are one patch of ink. */
const MOST_BEAMS = 48;

function axisOf({ plane, origin_mm, spacing_mm, columns, rows }: CtSlice, which: 0 | 1): GridAxis {
  const start = origin_mm[which] - spacing_mm[which] / 2;
  const count = which === 0 ? columns : rows;
  const edges = Float64Array.from({ length: count + 1 }, (_, i) => start + i * spacing_mm[which]);
  return { name: axisNames[plane][which], unit: 'mm', uniform: true, edges };
}

interface Way {
  readonly x_mm: number;
  readonly angle_deg: number;
}

/** Ways that are drawn: of all spots at one place under one angle a single one. */
function waysOf({ beam }: TransportScenario): readonly Way[] {
  const all: readonly Way[] = beam.spots ?? [beam];
  const different = new Map(all.map(({ x_mm, angle_deg }) => [`${x_mm} ${angle_deg}`, { x_mm, angle_deg }]));
  const ways = [...different.values()];
  if (ways.length <= MOST_BEAMS) return ways;
  return Array.from(
    { length: MOST_BEAMS },
    (_, i) => ways[Math.round((i * (ways.length - 1)) / (MOST_BEAMS - 1))],
  ).filter((way) => way !== undefined);
}

/** `range_mm`: of a single beam, along its axis. */
export async function ctPicture(
  ct: PlacedCt,
  scenario: TransportScenario,
  range_mm: number | null,
  pixels: number,
): Promise<CtPicture> {
  const { slice } = ct;
  const { depth_mm, width_mm } = scenario.geometry;
  const [horizontal, vertical] = [axisOf(slice, 0), axisOf(slice, 1)];
  const [across, down] = [sampling(horizontal, null, pixels), sampling(vertical, null, pixels)];
  const plane = { values: slice.hu, strideHorizontal: 1, strideVertical: slice.columns };
  const half = width_mm / 2;
  const corners = [
    [0, -half],
    [0, half],
    [depth_mm, half],
    [depth_mm, -half],
  ] as const;
  const { z_mm } = scenario.beam;
  const through_mm = (angle: number): number => (depth_mm - z_mm) / Math.cos(angle);
  const alone = scenario.beam.spots === undefined ? range_mm : null;
  const toRange = alone !== null && alone < through_mm((scenario.beam.angle_deg * Math.PI) / 180);
  const beams = waysOf(scenario).map(({ x_mm, angle_deg }) => {
    const angle = (angle_deg * Math.PI) / 180;
    const way = toRange ? alone : through_mm(angle);
    const end = [z_mm + way * Math.cos(angle), x_mm + way * Math.sin(angle)] as const;
    return { from: [...pointAt(ct, z_mm, x_mm)] as [number, number], to: [...pointAt(ct, ...end)] as [number, number] };
  });
  return {
    plane: slice.plane,
    slice: {
      quantity: 'Hounsfield units',
      unit: 'HU',
      horizontal: mapAxis(horizontal, across),
      vertical: mapAxis(vertical, down),
      ...(await reduced(plane, across, down, 'mean', 1)),
    },
    at_mm: slice.at_mm,
    from_mm: slice.from_mm,
    to_mm: slice.to_mm,
    slices: slice.slices,
    box: corners.map(([z, x]) => [...pointAt(ct, z, x)] as [number, number]),
    beams,
    toRange,
  };
}
