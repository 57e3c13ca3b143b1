/** Which ticks of a figure's axis have labels. */
import { describe, expect, it } from 'vitest';
import { type FigureAxis, scaleOf, ticksAcross } from '../../../../renderer/drawing/figures/axes.ts';

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
