/** The plane in which the answers of a workload lie: its window and its crosshair are those of the workload's own panels. */
import type { Interval } from '../../../electron/contract/fields.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import type { Stores } from '../../actions/context.ts';
import type { MapExtent } from '../../drawing/map-gestures.ts';
import type { MapPoint } from '../../drawing/map-view.ts';
import type { ScaleKind } from '../../drawing/normalisation.ts';
import { shownPixel } from '../../state/image-view.ts';
import { shownCrosshair } from '../../state/selection.ts';

export interface Plane {
  readonly horizontal: { readonly title: string; readonly unit: string };
  readonly vertical: { readonly title: string; readonly unit: string };
  /** Of what is shown: `Dose`. */
  readonly quantity: string;
  /** Rows count downwards, and a cell is as wide as high. */
  readonly pixels: boolean;
  readonly scale: ScaleKind;
  /** Below this share of the largest value a logarithmic scale shows nothing. */
  readonly least: number;
  windows(): MapExtent<Interval | undefined>;
  zoom(changes: Partial<MapExtent<Interval | null>>): void;
  resetZoom(): void;
  crosshair(): Partial<MapPoint> | null;
  hover(at: MapPoint | null): void;
  pin(at: MapPoint): void;
  /** Told when window or crosshair change. */
  subscribe(listener: () => void): () => void;
}

function dosePlane({ selection, window }: Stores): Plane {
  return {
    horizontal: { title: 'Depth z', unit: 'mm' },
    vertical: { title: 'Across x', unit: 'mm' },
    quantity: 'Dose',
    pixels: false,
    scale: 'linear',
    least: 0,
    windows: () => {
      const { z, x } = window.getState().windows;
      return { horizontal: z, vertical: x };
    },
    zoom: ({ horizontal, vertical }) =>
      window.zoom({
        ...(horizontal !== undefined && { z: horizontal }),
        ...(vertical !== undefined && { x: vertical }),
      }),
    resetZoom: () => window.reset(),
    crosshair: () => {
      const at = shownCrosshair(selection.getState());
      return at && { ...(at.z !== undefined && { horizontal: at.z }), ...(at.x !== undefined && { vertical: at.x }) };
    },
    hover: (at) => selection.point(at && { z: at.horizontal, x: at.vertical }),
    pin: (at) => selection.pin({ z: at.horizontal, x: at.vertical }),
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
    resetZoom: () => {
      const { hover, pinned } = image.getState();
      image.setState({ hover, pinned }, true);
    },
    crosshair: () => {
      const at = shownPixel(image.getState());
      return at && { horizontal: at.fast, vertical: at.slow };
    },
    hover: (at) => image.setState({ hover: at && { fast: at.horizontal, slow: at.vertical } }),
    pin: (at) =>
      image.setState({
        hover: null,
        pinned: { fast: Math.floor(at.horizontal) + 0.5, slow: Math.floor(at.vertical) + 0.5 },
      }),
    subscribe: (listener) => image.subscribe(listener),
  };
}

/** Null: its answers are nothing to look at. A further workload is one entry here. */
const planes: Readonly<Record<WorkloadName, ((stores: Stores) => Plane) | null>> = {
  transport: dosePlane,
  diffraction: imagePlane,
  'linear-relu': null,
  micro: null,
};

export function planeOf(workload: WorkloadName, stores: Stores): Plane | null {
  return planes[workload]?.(stores) ?? null;
}
