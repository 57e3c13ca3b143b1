/** The plane of the beam, in which doses lie. */
import type { Stores } from '../../actions/context.ts';
import { linkedMap } from '../../actions/linked-map.ts';
import type { Plane } from '../../workbench/plane.ts';

const DOSE = { horizontal: 'z', vertical: 'x' } as const;

export function dosePlane({ selection, window }: Stores): Plane {
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
