/** The brightest spots of an image. */
import type { ImagePeak } from '../../../contract/image.ts';
import { type DiffractionScenario, imageGeometry } from '../../../contract/scenario/index.ts';
import type { ImageRunData } from './image-data.ts';

interface Local {
  readonly index: number;
  readonly photons: number;
}

/** Brighter than its neighbours; of tied ones the first in reading order. */
function isPeak(image: Float32Array, width: number, height: number, fast: number, slow: number): boolean {
  const own = image[slow * width + fast] ?? 0;
  for (let s = Math.max(0, slow - 1); s <= Math.min(height - 1, slow + 1); s += 1) {
    for (let f = Math.max(0, fast - 1); f <= Math.min(width - 1, fast + 1); f += 1) {
      if (s === slow && f === fast) continue;
      const other = image[s * width + f] ?? 0;
      const before = s < slow || (s === slow && f < fast);
      if (other > own || (before && other === own)) return false;
    }
  }
  return own > 0;
}

/** At most `count`, the brightest first. */
function locals(image: Float32Array, width: number, height: number, count: number): readonly Local[] {
  const found: Local[] = [];
  let least = 0;
  for (let index = 0; index < image.length; index += 1) {
    const photons = image[index] ?? 0;
    if (photons <= least || !isPeak(image, width, height, index % width, Math.floor(index / width))) continue;
    found.push({ index, photons });
    // Bounds the list as it grows: in an image of noise every ninth pixel is a peak.
    if (found.length >= 4 * count) {
      found.sort((a, b) => b.photons - a.photons);
      found.length = count;
      least = found[count - 1]?.photons ?? 0;
    }
  }
  return found.sort((a, b) => b.photons - a.photons || a.index - b.index).slice(0, count);
}

/** Parts of a run that its peaks are found from. */
export type PeaksRun = Pick<ImageRunData, 'image' | 'width' | 'height' | 'completeScenario'>;

export function imagePeaks(run: PeaksRun, count: number): ImagePeak[] {
  const { image, width, height } = run;
  const { at } = imageGeometry(run.completeScenario as unknown as DiffractionScenario);
  return locals(image, width, height, count).map(({ index, photons }) => {
    const [fast, slow] = [index % width, Math.floor(index / width)];
    let [sum, f, s] = [0, 0, 0];
    for (let y = Math.max(0, slow - 1); y <= Math.min(height - 1, slow + 1); y += 1) {
      for (let x = Math.max(0, fast - 1); x <= Math.min(width - 1, fast + 1); x += 1) {
        const value = image[y * width + x] ?? 0;
        sum += value;
        f += value * (x + 0.5);
        s += value * (y + 0.5);
      }
    }
    return { ...at(f / sum, s / sum), photons, pixel: [fast, slow] };
  });
}
