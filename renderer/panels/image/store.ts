/** Drawing settings of the image, saved per user; the comparison and marks last as long as the panel. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { fieldStatisticSchema } from '../../../electron/contract/fields.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { initialMapConfig, type MapMarking, mapConfigShape, nothingMarked } from '../../maps/config.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import type { ReadPixel } from './pixel-reading.ts';

const schema = z.strictObject({
  ...mapConfigShape,
  /** Resolution rings and the beam centre. */
  rings: z.boolean(),
  /** Statistic drawn for samples that cover several pixels. */
  statistic: fieldStatisticSchema,
});
type ImagePanelState = Readonly<z.infer<typeof schema>>;
export type ImagePanelStore = StoreApi<ImagePanelState>;

export function createImagePanelStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): ImagePanelStore {
  const initial: ImagePanelState = {
    ...initialMapConfig,
    scale: 'log',
    rings: true,
    statistic: 'max',
  };
  return createPersisted<ImagePanelState>({ storage, name: 'image', version: 1, schema, initial, onReset });
}

interface ImagePanelView extends MapMarking {
  /** Run that is subtracted. */
  readonly against: RunId | null;
  /** Exact value of one pixel, if the picture shows several pixels as one. */
  readonly exact: ReadPixel | null;
}

export type ImagePanelViewStore = StoreApi<ImagePanelView>;

export function createImagePanelViewStore(): ImagePanelViewStore {
  return createStore<ImagePanelView>(() => ({ ...nothingMarked, against: null, exact: null }));
}
