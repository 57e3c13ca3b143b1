/**
 * Photons of the pixel under the crosshair. A picture that shows several pixels as one does not contain them, so they
 * are requested from the host once the crosshair rests.
 */
import type { RunId } from '../../../electron/contract/run.ts';
import type { ShownImage } from '../../data/image-feed.ts';
import { isReduced } from '../../drawing/field-statistics.ts';
import type { ImagePoint } from '../../state/image-view.ts';

/** The pointer rests: then the pixel under it is worth a question. */
const REST_MS = 90;

export interface ReadPixel {
  /** Which image, and what was subtracted. */
  readonly run: RunId;
  readonly against: RunId | null;
  readonly fast: number;
  readonly slow: number;
  readonly photons: number;
}

interface PixelReadingParts {
  readonly shown: () => ShownImage | null;
  readonly point: () => ImagePoint | null;
  /** Null if there is no such pixel. */
  readonly ask: (fast: number, slow: number) => Promise<number | null>;
  readonly tell: (read: ReadPixel | null) => void;
}

type PixelAddress = Omit<ReadPixel, 'photons'>;

const same = (a: PixelAddress | null, b: PixelAddress | null): boolean =>
  a?.run === b?.run && a?.against === b?.against && a?.fast === b?.fast && a?.slow === b?.slow;

/** The pixel to ask for; null where a sample is one pixel, which says it already. */
function placeOf(shown: ShownImage | null, at: ImagePoint | null): PixelAddress | null {
  if (shown === null || at === null) return null;
  const { run, against, map } = shown;
  if (!isReduced(map)) return null;
  return { run, against, fast: Math.floor(at.fast), slow: Math.floor(at.slow) };
}

/** `look` after every change of image or crosshair. */
export function pixelReading({ shown, point, ask, tell }: PixelReadingParts): { look(): void; stop(): void } {
  let place: PixelAddress | null = null;
  let resting: ReturnType<typeof setTimeout> | undefined;
  return {
    look: () => {
      const now = placeOf(shown(), point());
      if (same(now, place)) return;
      place = now;
      clearTimeout(resting);
      tell(null);
      if (now === null) return;
      resting = setTimeout(async () => {
        const photons = await ask(now.fast, now.slow);
        // Another pixel, or another image, may be looked at by now.
        if (place !== now) return;
        if (photons === null) place = null;
        else tell({ ...now, photons });
      }, REST_MS);
    },
    stop: () => {
      clearTimeout(resting);
      place = null;
    },
  };
}
