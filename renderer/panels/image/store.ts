/** How the image is drawn, kept per user; what it is held against and what is marked, as long as the panel. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { pixelStatisticSchema } from '../../../electron/contract/image.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import type { DragTool } from '../../drawing/map-gestures.ts';
import type { MapMark } from '../../drawing/map-view.ts';
import type { Limits } from '../../drawing/normalisation.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import type { ReadPixel } from './pixel-reading.ts';

const schema = z.strictObject({
  colorMap: z.string().max(32),
  /** For differences. */
  divergingMap: z.string().max(32),
  scale: z.enum(['linear', 'log', 'symlog']),
  contours: z.boolean(),
  /** Resolution rings and the beam centre. */
  rings: z.boolean(),
  statistic: pixelStatisticSchema,
});
export type ImagePanelState = Readonly<z.infer<typeof schema>>;
export type ImagePanelStore = StoreApi<ImagePanelState>;

export function createImagePanelStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): ImagePanelStore {
  const initial: ImagePanelState = {
    colorMap: 'viridis',
    divergingMap: 'coolwarm',
    scale: 'log',
    contours: false,
    rings: true,
    statistic: 'max',
  };
  return createPersisted<ImagePanelState>({ storage, name: 'image', version: 1, schema, initial, onReset });
}

export interface ImagePanelView {
  readonly limits: Limits | null;
  readonly tool: DragTool;
  readonly mark: MapMark | null;
  /** Run that is subtracted. */
  readonly against: RunId | null;
  /** Where the picture shows several pixels as one. */
  readonly exact: ReadPixel | null;
}

export type ImagePanelViewStore = StoreApi<ImagePanelView>;

export function createImagePanelViewStore(): ImagePanelViewStore {
  return createStore<ImagePanelView>(() => ({ limits: null, tool: 'pan', mark: null, against: null, exact: null }));
}
