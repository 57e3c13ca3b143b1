/** Diffraction images on the H200: properties of the recorded sessions. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Session, sessionSchema } from '../../../../electron/contract/bench/session.ts';

function session(name: string): Session {
  const file = path.resolve(import.meta.dirname, '../../../../assets/runs/diffraction', `${name}.json`);
  return sessionSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function warm(of: Session, id: string) {
  const found = of.reports[0]?.entries.find(({ label }) => label === `diffraction-cuda-${id}`);
  if (found?.status !== 'measured') throw new Error(`no ${id}`);
  const bright = found.accuracy.find((one) => one.id === 'bright')?.value ?? Number.NaN;
  return { ...found, bright };
}

const still = session('h200-simple-cubic-1024');
const rotated = session('h200-rotation-100-orientations');

test('the still image needs less than 0.2 ms on the GPU, with bright pixels correct to 2e-5', () => {
  for (const id of ['fp64', 'mixed', 'double-float', 'constant', 'shared', 'in-loop', 'fixed-point', 'chebyshev']) {
    const { time_s, bright, verdict } = warm(still, id);
    expect(time_s).toBeLessThan(0.2e-3);
    expect(bright).toBeLessThan(2e-5);
    expect(verdict).not.toBe('wrong');
  }
});

test('naive and phase-reduced FP32 and the hardware sine are wrong in every session', () => {
  for (const one of [still, rotated]) {
    for (const id of ['naive-fp32', 'delta-fp32', 'fast-math', 'unfused-fp32']) {
      const { bright, verdict } = warm(one, id);
      expect(bright).toBeGreaterThan(2e-5);
      expect(verdict).toBe('wrong');
    }
  }
});

test('one kernel is several times faster than its stages, and a graph of the stages a tenth', () => {
  for (const one of [still, rotated]) {
    expect(warm(one, 'unfused').time_s / warm(one, 'fp64').time_s).toBeGreaterThan(4);
    const graph = warm(one, 'unfused').time_s / warm(one, 'unfused-graph').time_s;
    expect(graph).toBeGreaterThan(1.05);
    expect(graph).toBeLessThan(1.3);
  }
});

test('FP32 is faster than FP64 on the GPU; set-up hides it in end-to-end runs', () => {
  const fits = session('h200-sweep-simple-cubic').sweep?.fits ?? [];
  const [fp64, fp32] = ['fp64', 'delta-fp32'].map((id) => fits.find(({ label }) => label === `diffraction-cuda-${id}`));
  expect((fp64?.slope_s ?? Number.NaN) / (fp32?.slope_s ?? Number.NaN)).toBeGreaterThan(1.3);
  expect(fp64?.points.length).toBeGreaterThan(3);
  for (const { setup_share } of fp64?.points ?? []) expect(setup_share).toBeGreaterThan(0.7);
});
