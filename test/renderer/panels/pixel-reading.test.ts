import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ShownImage } from '../../../renderer/data/image-feed.ts';
import { pixelReading, type ReadPixel } from '../../../renderer/panels/image/pixel-reading.ts';
import type { ImagePoint } from '../../../renderer/state/image-view.ts';

const imageOf = (run: string, cellsPerSample: number, against: string | null = null): ShownImage =>
  ({ run, against, map: { horizontal: { cellsPerSample }, vertical: { cellsPerSample } } }) as ShownImage;

let shown: ShownImage | null;
let point: ImagePoint | null;
let told: (ReadPixel | null)[];
let asked: { readonly pixel: readonly [number, number]; answer(photons: number | null): void }[];
let reading: ReturnType<typeof pixelReading>;
beforeEach(() => {
  vi.useFakeTimers();
  [shown, point, told, asked] = [imageOf('a', 2), null, [], []];
  reading = pixelReading({
    shown: () => shown,
    point: () => point,
    ask: (fast, slow) => new Promise((answer) => asked.push({ pixel: [fast, slow], answer })),
    tell: (read) => told.push(read),
  });
});
afterEach(() => vi.useRealTimers());

async function look(fast: number, slow: number): Promise<void> {
  point = { fast, slow };
  reading.look();
  await vi.advanceTimersByTimeAsync(200);
}
async function answer(which: number, photons: number | null): Promise<void> {
  asked[which]?.answer(photons);
  await vi.advanceTimersByTimeAsync(1);
}

it('asks once the crosshair rests, and takes no answer of a pixel that it has left', async () => {
  point = { fast: 1.5, slow: 1.5 };
  reading.look();
  await look(3.2, 4.9);
  await look(3.7, 4.1);
  expect(asked.map(({ pixel }) => pixel)).toEqual([[3, 4]]);
  await look(5, 6);
  await answer(1, 56);
  await answer(0, 34);
  expect(told.at(-1)).toEqual({ run: 'a', against: null, fast: 5, slow: 6, photons: 56 });
});

it('reads a pinned pixel again of another image, and not at all where a sample is a pixel', async () => {
  await look(3, 4);
  await answer(0, 7);
  shown = imageOf('b', 2);
  reading.look();
  expect(told.at(-1)).toBeNull();
  await vi.advanceTimersByTimeAsync(200);
  await answer(1, 8);
  expect(told.at(-1)).toMatchObject({ run: 'b', photons: 8 });
  shown = imageOf('b', 1);
  await look(3, 4);
  expect(told.at(-1)).toBeNull();
  expect(asked).toHaveLength(2);
  // Nothing is known yet about a computing run: the request is repeated with its next image.
  shown = imageOf('c', 2);
  await look(3, 4);
  await answer(2, null);
  await look(3, 4);
  await answer(3, 9);
  expect(told.at(-1)).toMatchObject({ run: 'c', photons: 9 });
});
