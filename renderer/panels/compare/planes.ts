/** The plane in which the answers of a workload lie: its window and its crosshair are those of the workload's own panels. */
import { eachTask } from '../../../electron/contract/task.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import type { Stores } from '../../actions/context.ts';
import { type Linked, linkedImage, linkedMap } from '../../actions/linked-map.ts';
import type { ScaleKind } from '../../drawing/normalisation.ts';

export interface Plane extends Linked {
  readonly horizontal: { readonly title: string; readonly unit: string };
  readonly vertical: { readonly title: string; readonly unit: string };
  /** Name of what is shown: `Dose`. */
  readonly quantity: string;
  /** Rows count downwards, and a cell is as wide as high. */
  readonly pixels: boolean;
  readonly scale: ScaleKind;
  /** Below this share of the largest value a logarithmic scale shows nothing. */
  readonly least: number;
  /** Told when window or crosshair change. */
  subscribe(listener: () => void): () => void;
}

const DOSE = { horizontal: 'z', vertical: 'x' } as const;

function dosePlane({ selection, window }: Stores): Plane {
  return {
    horizontal: { title: 'Depth z', unit: 'mm' },
    vertical: { title: 'Across x', unit: 'mm' },
    quantity: 'Dose',
    pixels: false,
    scale: 'linear',
    least: 0,
    ...linkedMap({ selection, window }, () => DOSE),
    subscribe: (listener) => {
      const stops = [selection.subscribe(listener), window.subscribe(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function imagePlane({ image }: Stores): Plane {
  return {
    horizontal: { title: 'Fast', unit: 'pixels' },
    vertical: { title: 'Slow', unit: 'pixels' },
    quantity: 'Photons',
    pixels: true,
    scale: 'log',
    least: 1e-6,
    ...linkedImage(image),
    subscribe: (listener) => image.subscribe(listener),
  };
}

/** Null: its answers are nothing to look at. A further workload is one entry here. */
const planes: Readonly<Record<WorkloadName, ((stores: Stores) => Plane) | null>> = {
  transport: dosePlane,
  diffraction: imagePlane,
  ...eachTask(() => null),
};

export function planeOf(workload: WorkloadName, stores: Stores): Plane | null {
  return planes[workload]?.(stores) ?? null;
}
