import { expect, test } from 'vitest';
import { gammaOfCurves } from '../../../electron/contract/gamma-curve.ts';

const positions = Float64Array.from({ length: 401 }, (_, i) => i / 10);
const bump = (centre: number): Float64Array => positions.map((x) => Math.exp(-((x - centre) ** 2) / 18));
const reference = { positions, values: bump(20) };

test('a curve against itself has no gamma, and one that is moved has the shift over the distance', () => {
  const same = gammaOfCurves(reference, reference, { dose: 0.01, distance_mm: 1 });
  expect([same.passed, same.worst]).toEqual([1, 0]);
  expect(same.points).toBe(same.values.filter((value) => !Number.isNaN(value)).length);
  const moved = gammaOfCurves(reference, { positions, values: bump(20.5) }, { dose: 0.01, distance_mm: 1 });
  // On the steep sides the same dose lies half a millimetre away.
  expect(moved.worst).toBeCloseTo(0.5, 2);
  expect(moved.passed).toBe(1);
  const tight = gammaOfCurves(reference, { positions, values: bump(20.5) }, { dose: 0.01, distance_mm: 0.25 });
  expect(tight.worst).toBeCloseTo(2, 1);
  expect(tight.passed).toBeLessThan(0.5);
});

test('a dose that is 1 % more everywhere: global by the peak, local by each point', () => {
  const flat = { positions, values: positions.map((x) => (x < 20 ? 1 : 0.2)) };
  const more = { positions, values: flat.values.map((dose) => 1.015 * dose) };
  const at = (local: boolean): readonly number[] => {
    const { values } = gammaOfCurves(flat, more, { dose: 0.01, distance_mm: 1, local });
    return [values[50] ?? 0, values[300] ?? 0];
  };
  expect(at(false)[0]).toBeCloseTo(1.5, 9);
  expect(at(false)[1]).toBeCloseTo(0.3, 9);
  expect(at(true)[1]).toBeCloseTo(1.5, 9);
});

test('points below the threshold are not judged, and the histogram counts the others', () => {
  const { values, points, histogram, passed } = gammaOfCurves(
    reference,
    { positions, values: bump(21) },
    { dose: 0.02, distance_mm: 0.5, threshold: 0.5 },
  );
  expect(histogram.reduce((a, b) => a + b, 0)).toBe(points);
  expect(histogram.slice(0, 10).reduce((a, b) => a + b, 0) / points).toBeCloseTo(passed, 1);
  values.forEach((gamma, i) => {
    expect(Number.isNaN(gamma)).toBe((reference.values[i] ?? 0) < 0.5);
  });
});

test('where the evaluated curve has no points it fails', () => {
  const half = { positions: positions.subarray(0, 200), values: bump(20).subarray(0, 200) };
  expect(gammaOfCurves(reference, half, { dose: 0.01, distance_mm: 1 }).worst).toBe(3);
});
