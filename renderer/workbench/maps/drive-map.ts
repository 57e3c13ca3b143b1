/**
 * Connects the two canvases of a map to its data. Paints outside React, independent of the workload. A map requests a
 * viewport from the host: the visible windows at the plot's resolution. Its colour settings are saved per user, whereas
 * its marks are reset when the panel closes.
 */
import { z } from 'zod';
import type { Interval, Viewport } from '../../../electron/contract/fields.ts';
import type { MarginKind } from '../../drawing/axes.ts';
import { colorMap, type Limits } from '../../drawing/colormap.ts';
import { type DragTool, listenToMap, type MapExtent, type MapOwner } from '../../drawing/map-gestures.ts';
import {
  type FigureAbout,
  type MapMark,
  type MapScene,
  type MapStyle,
  MapView,
  type PaintedFigure,
} from '../../drawing/map-view.ts';
import type { FrameScheduler } from '../../drawing/scheduler.ts';
import type { LinkedMapOwner } from '../actions/linked-map.ts';

const windowLimits = (window: Interval | undefined): [number, number] | null =>
  window === undefined ? null : [window[0], window[1]];

/** `pixels`: number across and down. A missing window is the full axis. */
function viewportOf(
  { horizontal, vertical }: { readonly horizontal: Interval | undefined; readonly vertical: Interval | undefined },
  [across, down]: readonly [number, number],
): Viewport {
  return { horizontal: windowLimits(horizontal), vertical: windowLimits(vertical), pixels: [across, down] };
}

/** Callbacks for a change of data or settings. */
interface MapChanges {
  show(): void;
  /** Called if another part of the field, or another field, is needed. */
  requestField(): void;
  cross(): void;
}

/** Source of a map's data and settings. */
interface MapSource
  extends Required<Pick<MapOwner, 'tool' | 'setLimits'>>,
    Pick<MapOwner, 'down' | 'keyStep' | 'handle'> {
  readonly room?: MarginKind;
  /** Crosshair and windows shared with other maps. */
  readonly linked: LinkedMapOwner;
  /** Requests the field for a viewport. */
  request(viewport: Viewport): void;
  whole(): MapExtent<Interval> | null;
  /** Scene to draw; null if there is none. `plot`: size of the plot in CSS pixels, if known. */
  scene(plot: { readonly width: number; readonly height: number } | null): MapScene | null;
  style(): MapStyle;
  marked(): MapMark | null;
  mark(mark: MapMark): void;
  /** Null if there is nothing to export. */
  about(): FigureAbout | null;
  /** Subscribes to everything the map depends on; the returned functions unsubscribe. */
  follow(changes: MapChanges): readonly (() => void)[];
  /** Called when the map is no longer shown. */
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
  const requestField = (): void => {
    if (pixels !== null) source.request(viewportOf(linked.windows(), pixels));
  };
  const map = new MapView(
    below,
    above,
    scheduler,
    (size, frame) => {
      plot = { width: frame.plot.width, height: frame.plot.height };
      pixels = size;
      requestField();
      show();
    },
    source.room,
  );
  function show(): void {
    const scene = source.scene(plot);
    // Clear the previous map if there is no data to replace it.
    if (scene === null) map.clear();
    else map.show(scene, source.style());
    map.setMark(source.marked());
  }
  const cross = (): void => map.setCrosshair(linked.crosshair());
  const stops = [
    ...source.follow({ show, requestField, cross }),
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

/** Settings of every map; panels add their own. */
export const mapConfigShape = {
  colorMap: z.string().max(32),
  /** Colour map for differences. */
  divergingMap: z.string().max(32),
  scale: z.enum(['linear', 'log', 'symlog']),
  contours: z.boolean(),
} as const;
const mapConfigSchema = z.strictObject(mapConfigShape);
export type MapConfig = Readonly<z.infer<typeof mapConfigSchema>>;

export const initialMapConfig = { colorMap: 'viridis', divergingMap: 'coolwarm', contours: false } as const;

export interface MapMarking {
  /** Limits of the colours; null for the field's own limits. */
  readonly limits: Limits | null;
  readonly tool: DragTool;
  readonly mark: MapMark | null;
}

export const noMarking: MapMarking = { limits: null, tool: 'pan', mark: null };

/** `centred`: true for a difference, with zero in the middle of the colours. */
export function mapStyle(config: MapConfig, limits: Limits | null, centred: boolean): MapStyle {
  const { colorMap: name, divergingMap, scale, contours } = config;
  return { colorMap: colorMap(centred ? divergingMap : name), scale, limits, centred, contours, handles: true };
}
