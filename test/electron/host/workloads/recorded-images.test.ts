/** The recorded H200 sessions of diffraction images: they open, and they show what the README says of them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type ImageSession, imageSessionSchema } from '../../../../electron/contract/bench/recorded/image.ts';

function session(name: string): ImageSession {
  const file = path.resolve(import.meta.dirname, '../../../../assets/runs/diffraction', `${name}.json`);
  return imageSessionSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function warm(of: ImageSession, id: string) {
  const found = of.reports[0]?.entries.find((one) => one.variant === `diffraction-cuda-${id}` && one.mode === 'warm');
  if (found === undefined || found.median_s === null || found.error?.bright == null) throw new Error(`no ${id}`);
  return { ...found, median_s: found.median_s, bright: found.error.bright };
}

const still = session('h200-simple-cubic-1024');
const rotated = session('h200-rotation-100-orientations');
const sweep = session('h200-sweep-simple-cubic');

test('the still image takes less than 0.2 ms on the GPU with bright pixels right to 2e-5', () => {
  for (const id of ['fp64', 'mixed', 'double-float', 'constant', 'shared', 'in-loop', 'fixed-point', 'chebyshev']) {
    const { median_s, bright, correct } = warm(still, id);
    expect(median_s).toBeLessThan(0.2e-3);
    expect(bright).toBeLessThan(2e-5);
    expect(correct).toBe(true);
  }
});

test('naive and phase-reduced FP32 and the hardware sine are wrong in every session', () => {
  for (const one of [still, rotated]) {
    for (const id of ['naive-fp32', 'delta-fp32', 'fast-math', 'unfused-fp32']) {
      expect(warm(one, id).bright).toBeGreaterThan(2e-5);
      expect(warm(one, id).correct).toBe(false);
    }
  }
});

test('one kernel is several times faster than its stages, and a graph of the stages a tenth', () => {
  for (const one of [still, rotated]) {
    expect(warm(one, 'unfused').median_s / warm(one, 'fp64').median_s).toBeGreaterThan(4);
    const graph = warm(one, 'unfused').median_s / warm(one, 'unfused-graph').median_s;
    expect(graph).toBeGreaterThan(1.05);
    expect(graph).toBeLessThan(1.3);
  }
});

test('FP32 is faster than FP64 by the GPU clock, which everything around the kernel hides', () => {
  const [fp64, fp32] = ['fp64', 'delta-fp32'].map((id) =>
    sweep.sweep?.fits.find(({ variant }) => variant === `diffraction-cuda-${id}`),
  );
  if (!fp64?.kernel || !fp32?.kernel || !fp64.wall) throw new Error('no fits');
  expect(fp64.kernel.slope_s_per_pixel / fp32.kernel.slope_s_per_pixel).toBeGreaterThan(1.3);
  // The kernel is less than a hundredth of a whole run.
  for (const { kernel_s, wall_s } of fp64.points) expect(kernel_s).toBeLessThan(0.01 * wall_s);
  expect(fp64.wall.fixed_s).toBeGreaterThan(100 * fp64.kernel.fixed_s);
});
