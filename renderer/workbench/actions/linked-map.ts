/**
 * Connects a map's gestures to the crosshair and the windows. All maps of a run, and all views of an image, share
 * these.
 */
import type { AxisName, Interval } from '../../../electron/contract/fields.ts';
import type { MapOwner } from '../../drawing/map-gestures.ts';
import type { MapPoint } from '../../drawing/map-view.ts';
import {
  type Crosshair,
  type ImagePoint,
  type ImageViewStore,
  shownCrosshair,
  shownPixel,
} from '../../state/selection.ts';
import type { Stores } from './context.ts';

interface MapAxes {
  readonly horizontal: AxisName;
  readonly vertical: AxisName;
}

export type LinkedMapOwner = Required<Pick<MapOwner, 'windows' | 'zoom' | 'hover' | 'pin' | 'crosshair' | 'resetZoom'>>;

/** `axes`: current axes of the map. */
export function linkedMap(
  { selection, window }: Pick<Stores, 'selection' | 'window'>,
  axes: () => MapAxes,
): LinkedMapOwner {
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

const toImage = ({ horizontal, vertical }: MapPoint): ImagePoint => ({ fast: horizontal, slow: vertical });

/** Pinned positions are rounded to the centre of a pixel. */
const pixelCentre = ({ fast, slow }: ImagePoint): ImagePoint => ({
  fast: Math.floor(fast) + 0.5,
  slow: Math.floor(slow) + 0.5,
});

/** The fast axis is horizontal, the slow axis vertical. */
export function linkedImage(image: ImageViewStore): LinkedMapOwner {
  return {
    windows: () => {
      const { fast, slow } = image.getState();
      return { horizontal: fast, vertical: slow };
    },
    zoom: ({ horizontal, vertical }) => {
      const { fast, slow, ...rest } = image.getState();
      const next = (change: Interval | null | undefined, now: Interval | undefined): Interval | undefined =>
        change === undefined ? now : (change ?? undefined);
      const [f, s] = [next(horizontal, fast), next(vertical, slow)];
      image.setState({ ...rest, ...(f && { fast: f }), ...(s && { slow: s }) }, true);
    },
    hover: (point) => image.setState({ hover: point && toImage(point) }),
    pin: (point) => image.setState({ hover: null, pinned: pixelCentre(toImage(point)) }),
    crosshair: () => {
      const at = shownPixel(image.getState());
      return at && { horizontal: at.fast, vertical: at.slow };
    },
    resetZoom: () => {
      const { hover, pinned } = image.getState();
      image.setState({ hover, pinned }, true);
    },
  };
}
