/** Ties the two canvases of a map to what it shows. Paints outside React, and knows no workload. */
import type { Interval, Viewport } from '../../electron/contract/fields.ts';
import type { Linked } from '../actions/linked-map.ts';
import { viewportOf } from '../base/viewport.ts';
import type { MapExtent } from '../drawing/map-gestures.ts';
import { listenToMap, type MapOwner } from '../drawing/map-input.ts';
import {
  type FigureAbout,
  type MapMark,
  type MapScene,
  type MapStyle,
  MapView,
  type PaintedFigure,
} from '../drawing/map-view.ts';
import type { Room } from '../drawing/plot-frame.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';

/** Callbacks for a change of data or settings. */
interface MapChanges {
  show(): void;
  /** Another part of the field, or another field, is wanted. */
  want(): void;
  cross(): void;
}

/** Source of a map's data and settings. */
interface MapSource
  extends Required<Pick<MapOwner, 'tool' | 'setLimits'>>,
    Pick<MapOwner, 'down' | 'keyStep' | 'handle'> {
  readonly room?: Room;
  /** Crosshair and windows, which it shares with other maps. */
  readonly linked: Linked;
  /** Asks for the field in these pixels. */
  want(viewport: Viewport): void;
  whole(): MapExtent<Interval> | null;
  /** Null if there is nothing to show. `plot`: size of the plot in CSS pixels, once it is known. */
  scene(plot: { readonly width: number; readonly height: number } | null): MapScene | null;
  style(): MapStyle;
  marked(): MapMark | null;
  mark(mark: MapMark): void;
  /** Null if there is nothing to export. */
  about(): FigureAbout | null;
  /** Subscribes to all that it depends on; the functions end that. */
  follow(changes: MapChanges): readonly (() => void)[];
  /** Nobody looks any more. */
  stop(): void;
}

export interface DrivenMap {
  stop(): void;
  /** Figure of the map for export. */
  figure(): PaintedFigure | null;
}

export interface MapCanvases {
  readonly below: HTMLCanvasElement;
  readonly above: HTMLCanvasElement;
}

export function driveMap(scheduler: FrameScheduler, { below, above }: MapCanvases, source: MapSource): DrivenMap {
  const { linked, down, keyStep, handle } = source;
  let pixels: readonly [number, number] | null = null;
  let plot: { readonly width: number; readonly height: number } | null = null;
  const want = (): void => {
    if (pixels !== null) source.want(viewportOf(linked.windows(), pixels));
  };
  const map = new MapView(
    below,
    above,
    scheduler,
    (size, frame) => {
      plot = { width: frame.plot.width, height: frame.plot.height };
      pixels = size;
      want();
      show();
    },
    source.room,
  );
  function show(): void {
    const scene = source.scene(plot);
    // Nothing of what was shown before may stand for what there is nothing of yet.
    if (scene === null) map.clear();
    else map.show(scene, source.style());
    map.setMark(source.marked());
  }
  const cross = (): void => map.setCrosshair(linked.crosshair());
  const stops = [
    ...source.follow({ show, want, cross }),
    listenToMap(map, above, {
      ...linked,
      ...(down !== undefined && { down }),
      ...(keyStep !== undefined && { keyStep }),
      ...(handle !== undefined && { handle }),
      whole: () => source.whole(),
      tool: () => source.tool(),
      mark: (kind, from, to) => source.mark({ kind, from, to }),
      setLimits: (limits) => source.setLimits(limits),
    }),
  ];
  show();
  cross();
  return {
    figure: () => {
      const about = source.about();
      return about && map.figure(about);
    },
    stop: () => {
      for (const stop of stops) stop();
      source.stop();
      map.dispose();
    },
  };
}
