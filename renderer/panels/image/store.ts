/**
 * Drawing settings of the image, saved per user; comparison and marks are reset when the panel closes. The pixel reader
 * finds the photons of the pixel under the crosshair. If the picture merges several pixels, it requests their photons
 * from the host once the crosshair rests.
 */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { fieldStatisticSchema } from '../../../electron/contract/fields.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import type { ShownImage } from '../../data/image-feed.ts';
import { isReduced } from '../../drawing/field-statistics.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import type { ImagePoint } from '../../state/selection.ts';
import { initialMapConfig, type MapMarking, mapConfigShape, noMarking } from '../../workbench/maps/drive-map.ts';

/** Time in ms for which the pointer must rest before a pixel is requested. */
const REST_MS = 90;

export interface PixelValue {
  /** Image and the run that was subtracted from it. */
  readonly run: RunId;
  readonly against: RunId | null;
  readonly fast: number;
  readonly slow: number;
  readonly photons: number;
}

interface PixelReaderParts {
  readonly shown: () => ShownImage | null;
  readonly point: () => ImagePoint | null;
  /** Null if there is no such pixel. */
  readonly readPixel: (fast: number, slow: number) => Promise<number | null>;
  readonly onRead: (read: PixelValue | null) => void;
}

type PixelAddress = Omit<PixelValue, 'photons'>;

const isSamePixel = (a: PixelAddress | null, b: PixelAddress | null): boolean =>
  a?.run === b?.run && a?.against === b?.against && a?.fast === b?.fast && a?.slow === b?.slow;

/** Pixel to request; null if every sample is a single pixel, whose value is already known. */
function reducedPixelAt(shown: ShownImage | null, at: ImagePoint | null): PixelAddress | null {
  if (shown === null || at === null) return null;
  const { run, against, map } = shown;
  if (!isReduced(map)) return null;
  return { run, against, fast: Math.floor(at.fast), slow: Math.floor(at.slow) };
}

/** Reads the pixel under the crosshair. Call `update` after every change of image or crosshair. */
export function createPixelReader({ shown, point, readPixel, onRead }: PixelReaderParts): {
  update(): void;
  stop(): void;
} {
  let place: PixelAddress | null = null;
  let resting: ReturnType<typeof setTimeout> | undefined;
  return {
    update: () => {
      const now = reducedPixelAt(shown(), point());
      if (isSamePixel(now, place)) return;
      place = now;
      clearTimeout(resting);
      onRead(null);
      if (now === null) return;
      resting = setTimeout(async () => {
        const photons = await readPixel(now.fast, now.slow);
        // The pixel or the image may have changed since the request.
        if (place !== now) return;
        if (photons === null) place = null;
        else onRead({ ...now, photons });
      }, REST_MS);
    },
    stop: () => {
      clearTimeout(resting);
      place = null;
    },
  };
}

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
  /** Run whose image is subtracted. */
  readonly against: RunId | null;
  /** Exact value of the pixel under the crosshair, if the picture merges several pixels. */
  readonly exact: PixelValue | null;
}

export type ImagePanelViewStore = StoreApi<ImagePanelView>;

export function createImagePanelViewStore(): ImagePanelViewStore {
  return createStore<ImagePanelView>(() => ({ ...noMarking, against: null, exact: null }));
}
