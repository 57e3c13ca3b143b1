/** Colour settings of a map, saved per user, and its marks, which last as long as the panel. */
import { z } from 'zod';
import { colorMap } from '../drawing/colormap.ts';
import type { DragTool } from '../drawing/map-gestures.ts';
import type { MapMark, MapStyle } from '../drawing/map-view.ts';
import type { Limits } from '../drawing/normalisation.ts';

/** A panel adds what only its maps have. */
export const mapConfigShape = {
  colorMap: z.string().max(32),
  /** For differences. */
  divergingMap: z.string().max(32),
  scale: z.enum(['linear', 'log', 'symlog']),
  contours: z.boolean(),
} as const;
const mapConfigSchema = z.strictObject(mapConfigShape);
export type MapConfig = Readonly<z.infer<typeof mapConfigSchema>>;

export const initialMapConfig = { colorMap: 'viridis', divergingMap: 'coolwarm', contours: false } as const;

export interface MapMarking {
  /** If null, the field's own limits. */
  readonly limits: Limits | null;
  readonly tool: DragTool;
  readonly mark: MapMark | null;
}

export const nothingMarked: MapMarking = { limits: null, tool: 'pan', mark: null };

/** `centred`: a difference, with zero in the middle of its colours. */
export function mapStyle(config: MapConfig, limits: Limits | null, centred: boolean): MapStyle {
  const { colorMap: name, divergingMap, scale, contours } = config;
  return { colorMap: colorMap(centred ? divergingMap : name), scale, limits, centred, contours, handles: true };
}
