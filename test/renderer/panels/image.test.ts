import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FieldMap } from '../../../electron/contract/fields.ts';
import type { ResolvedDiffraction } from '../../../electron/contract/scenario/diffraction/index.ts';
import type { ShownImage } from '../../../renderer/data/image-feed.ts';
import { equaliseScales } from '../../../renderer/drawing/axes.ts';
import { geometryOf, imageScene, ringSpacings } from '../../../renderer/panels/image/scene.ts';
import { createPixelReader, type PixelValue } from '../../../renderer/panels/image/store.ts';
import type { ImagePoint } from '../../../renderer/state/selection.ts';

const resolvedScenario = {
  kind: 'diffraction',
  width: 512,
  height: 512,
  scenario: {
    beam: { wavelength_A: 1 },
    crystal: {
      lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100, alpha_deg: 90, beta_deg: 90, gamma_deg: 90 },
      misset: { x_deg: 0, y_deg: 0, z_deg: 0 },
    },
    detector: {
      pixel_mm: 0.1,
      distance_mm: 100,
      beam_x_mm: 25.65,
      beam_y_mm: 25.65,
      rotx_deg: 0,
      roty_deg: 0,
      rotz_deg: 0,
      twotheta_deg: 0,
    },
    rotation: { phi_deg: 0, oscillation_deg: 0, steps: 1 },
  },
} as unknown as ResolvedDiffraction;

const axis = (name: 'fast' | 'slow') =>
  ({
    name,
    unit: 'px',
    from: 0,
    to: 2,
    count: 2,
    cellsPerSample: 1,
    lastCells: 1,
    fullFrom: 0,
    fullTo: 2,
    edges: null,
  }) as const;
const map: FieldMap = {
  quantity: 'photons',
  unit: 'photons',
  horizontal: axis('fast'),
  vertical: axis('slow'),
  values: Float32Array.of(100, 1, 1e-3, 1e-30),
  min: 1e-30,
  max: 100,
  statistic: 'max',
  minPositive: 1e-30,
};
const shownMapState = { run: 'a', revision: 1, done: 1, map, against: null };
const drawnState = { resolved: resolvedScenario, windows: {}, plot: null, rings: true, logarithmic: true };

describe('the image panel', () => {
  it('has square pixels, with the narrower range widened around its middle', () => {
    const { horizontal: fast, vertical: slow } = equaliseScales(
      { horizontal: [0, 100], vertical: [0, 100] },
      { width: 400, height: 200 },
    );
    expect(slow).toEqual([0, 100]);
    expect(fast).toEqual([-50, 150]);
    expect(equaliseScales({ horizontal: [0, 10], vertical: [0, 10] }, { width: 0, height: 0 })).toEqual({
      horizontal: [0, 10],
      vertical: [0, 10],
    });
  });

  it("shows the first row at the top, and rings according to Bragg's law", () => {
    const scene = imageScene({ ...drawnState, shown: null });
    expect(scene?.vertical).toMatchObject({ from: 512, to: 0 });
    const geometry = geometryOf(resolvedScenario);
    expect(geometry.beam).toEqual({ fast: expect.closeTo(257, 9), slow: expect.closeTo(257, 9) });
    const spacings = ringSpacings(geometry, 512, 512);
    expect(spacings.length).toBeGreaterThan(2);
    for (const spacing of spacings) {
      const places = geometry.ring(spacing, 9) ?? new Float64Array();
      for (let i = 0; i < places.length; i += 2) {
        expect(geometry.at(places[i] ?? 0, places[i + 1] ?? 0).resolution_A).toBeCloseTo(spacing, 9);
      }
    }
    // At a resolution below half the wavelength there are no reflections.
    expect(geometry.ring(0.49, 9)).toBeNull();
    const kinds = imageScene({ ...drawnState, shown: null })?.annotations.map(({ kind }) => kind);
    expect(kinds).toEqual([...spacings.map(() => 'curve'), 'cross']);
    expect(imageScene({ ...drawnState, shown: null, rings: false })?.annotations).toEqual([]);
  });

  it('shows six decades of a logarithmic scale, all of a difference, and the same field for the same image', () => {
    const field = imageScene({ ...drawnState, shown: shownMapState })?.field;
    expect(field).toMatchObject({ min: expect.closeTo(1e-4, 12), minPositive: expect.closeTo(1e-4, 12), max: 100 });
    expect(imageScene({ ...drawnState, shown: shownMapState })?.field).toBe(field);
    expect(imageScene({ ...drawnState, shown: shownMapState, logarithmic: false })?.field).toBe(map);
    expect(imageScene({ ...drawnState, shown: { ...shownMapState, against: 'b' } })?.field).toBe(map);
  });
});

describe('the pixel readout', () => {
  const imageOf = (run: string, cellsPerSample: number, against: string | null = null): ShownImage =>
    ({ run, against, map: { horizontal: { cellsPerSample }, vertical: { cellsPerSample } } }) as ShownImage;

  let shown: ShownImage | null;
  let point: ImagePoint | null;
  let told: (PixelValue | null)[];
  let requested: { readonly pixel: readonly [number, number]; answer(photons: number | null): void }[];
  let reading: ReturnType<typeof createPixelReader>;
  beforeEach(() => {
    vi.useFakeTimers();
    [shown, point, told, requested] = [imageOf('a', 2), null, [], []];
    reading = createPixelReader({
      shown: () => shown,
      point: () => point,
      readPixel: (fast, slow) => new Promise((answer) => requested.push({ pixel: [fast, slow], answer })),
      onRead: (read) => told.push(read),
    });
  });
  afterEach(() => vi.useRealTimers());

  async function moveCrosshair(fast: number, slow: number): Promise<void> {
    point = { fast, slow };
    reading.update();
    await vi.advanceTimersByTimeAsync(200);
  }
  async function answerRequest(which: number, photons: number | null): Promise<void> {
    requested[which]?.answer(photons);
    await vi.advanceTimersByTimeAsync(1);
  }

  it('requests a value once the crosshair rests, and ignores the answer for a pixel it has left', async () => {
    point = { fast: 1.5, slow: 1.5 };
    reading.update();
    await moveCrosshair(3.2, 4.9);
    await moveCrosshair(3.7, 4.1);
    expect(requested.map(({ pixel }) => pixel)).toEqual([[3, 4]]);
    await moveCrosshair(5, 6);
    await answerRequest(1, 56);
    await answerRequest(0, 34);
    expect(told.at(-1)).toEqual({ run: 'a', against: null, fast: 5, slow: 6, photons: 56 });
  });

  it('reads a pinned pixel again for another image, and reads nothing if a sample is a pixel', async () => {
    await moveCrosshair(3, 4);
    await answerRequest(0, 7);
    shown = imageOf('b', 2);
    reading.update();
    expect(told.at(-1)).toBeNull();
    await vi.advanceTimersByTimeAsync(200);
    await answerRequest(1, 8);
    expect(told.at(-1)).toMatchObject({ run: 'b', photons: 8 });
    shown = imageOf('b', 1);
    await moveCrosshair(3, 4);
    expect(told.at(-1)).toBeNull();
    expect(requested).toHaveLength(2);
    // A computing run has no value yet: the request is repeated with its next image.
    shown = imageOf('c', 2);
    await moveCrosshair(3, 4);
    await answerRequest(2, null);
    await moveCrosshair(3, 4);
    await answerRequest(3, 9);
    expect(told.at(-1)).toMatchObject({ run: 'c', photons: 9 });
  });
});
