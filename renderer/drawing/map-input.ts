/** All that the user does on a map: pointer, wheel and keys over the field, and the limits on its colour bar. */
import { listenForLimits } from './bar-gestures.ts';
import { type GestureOwner, listenForGestures } from './map-gestures.ts';
import type { MapView } from './map-view.ts';
import type { Limits } from './normalisation.ts';

export interface MapOwner extends Omit<GestureOwner, 'pointAt' | 'nearestPoint'> {
  /** Null: the field's own again. Missing: the bar has no handles. */
  setLimits?(limits: Limits | null): void;
}

/** Listens until the returned function is called. */
export function listenToMap(map: MapView, canvas: HTMLCanvasElement, owner: MapOwner): () => void {
  const { setLimits } = owner;
  const stops = [
    listenForGestures(canvas, {
      ...owner,
      pointAt: (x, y) => map.pointAt(x, y),
      nearestPoint: (x, y) => map.nearestPoint(x, y),
    }),
  ];
  if (setLimits !== undefined) {
    stops.push(
      listenForLimits(canvas, {
        limitAt: (x, y) => map.limitAt(x, y),
        limitsWith: (which, y) => map.limitsWith(which, y),
        setLimits,
      }),
    );
  }
  return () => {
    for (const stop of stops) stop();
  };
}
