/** Ties a map's axes to the crosshair and the windows that all maps of a run share. */
import type { AxisName, Interval } from '../../electron/contract/fields.ts';
import type { MapOwner } from '../drawing/map-input.ts';
import type { MapPoint } from '../drawing/map-view.ts';
import { type Crosshair, shownCrosshair } from '../state/selection.ts';
import type { Stores } from './context.ts';

export interface MapAxes {
  readonly horizontal: AxisName;
  readonly vertical: AxisName;
}

type Linked = Required<Pick<MapOwner, 'windows' | 'zoom' | 'hover' | 'pin' | 'crosshair' | 'resetZoom'>>;

/** `axes`: those of the map as it is now. */
export function linkedMap({ selection, window }: Pick<Stores, 'selection' | 'window'>, axes: () => MapAxes): Linked {
  const windowOf = (axis: AxisName): Interval | undefined => window.getState().windows[axis];
  const toCrosshair = (point: MapPoint): Crosshair => {
    const { horizontal, vertical } = axes();
    return { [horizontal]: point.horizontal, [vertical]: point.vertical };
  };
  return {
    windows: () => ({ horizontal: windowOf(axes().horizontal), vertical: windowOf(axes().vertical) }),
    zoom: ({ horizontal, vertical }) =>
      window.zoom({
        ...(horizontal !== undefined && { [axes().horizontal]: horizontal }),
        ...(vertical !== undefined && { [axes().vertical]: vertical }),
      }),
    hover: (point) => selection.point(point && toCrosshair(point)),
    pin: (point) => selection.pin(toCrosshair(point)),
    crosshair: () => {
      const at = shownCrosshair(selection.getState());
      if (at === null) return null;
      const [horizontal, vertical] = [at[axes().horizontal], at[axes().vertical]];
      return { ...(horizontal !== undefined && { horizontal }), ...(vertical !== undefined && { vertical }) };
    },
    resetZoom: () => window.reset(),
  };
}
