/** Which ticks of a figure's axis have labels. */
import { describe, expect, it } from 'vitest';
import { type FigureAxis, roomBehind, scaleOf, ticksAcross } from '../../../../renderer/drawing/figures/axes.ts';

const LABEL = 11;
const time: FigureAxis = { title: 'Time', unit: '', kind: 'log', from: 15, to: 170, format: (us) => `${us} µs` };
const box = (width: number) => ({ left: 0, top: 0, width, height: 50 });

/** The free pixels between neighbouring labels, by the width of a digit. */
function gaps(axis: FigureAxis, width: number): readonly number[] {
  const { toPixel } = scaleOf(axis, 0, width);
  const labels = ticksAcross(axis, box(width), LABEL).ticks.filter(({ label }) => label !== '');
  return labels.slice(1).map(({ value, label }, i) => {
    const before = labels[i];
    if (before === undefined) return 0;
    return toPixel(value) - toPixel(before.value) - 0.29 * 2 * LABEL * ((label.length + before.label.length) / 2);
  });
}

it('leaves as many pixels behind the largest value of a logarithmic axis as are wanted', () => {
  // A quarter of 200 pixels stays free if the two decades fill three quarters: the axis ends at 100 · 100^(1/3).
  const to = roomBehind(1, 100, 200, 50);
  expect(to).toBeCloseTo(464.159, 3);
  expect(scaleOf({ ...time, from: 1, to }, 0, 200).toPixel(100)).toBeCloseTo(150, 9);
});

describe('labels across', () => {
  it.each([300, 500, 800, 1200])('never touch on a logarithmic axis of %d pixels', (width) => {
    for (const gap of gaps(time, width)) expect(gap).toBeGreaterThan(0.5 * LABEL);
  });

  it('are as many as there is room for', () => {
    const labels = (width: number) => ticksAcross(time, box(width), LABEL).ticks.flatMap(({ label }) => label || []);
    expect(labels(1600)).toEqual(['20', '30', '40', '50', '60', '70', '80', '90', '100'].map((n) => `${n} µs`));
    expect(labels(600)).toEqual(['20', '30', '50', '100'].map((n) => `${n} µs`));
    expect(labels(180)).toEqual(['20', '50', '100'].map((n) => `${n} µs`));
  });

  it('of a linear axis keep apart too', () => {
    const long: FigureAxis = { ...time, kind: 'linear', from: 0, to: 10, format: (x) => `${x.toFixed(1)} thousand` };
    for (const gap of gaps(long, 500)) expect(gap).toBeGreaterThan(0.5 * LABEL);
    expect(gaps(long, 500).length).toBeGreaterThan(0);
  });
});
