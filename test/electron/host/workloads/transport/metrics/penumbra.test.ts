import { expect, test } from 'vitest';
import { penumbra_mm } from '../../../../../../electron/host/workloads/transport/metrics/penumbra.ts';

test('of a Gaussian it is 1.126 standard deviations, whatever the row', () => {
  const nx = 200;
  const row = Float64Array.from({ length: nx }, (_, i) => Math.exp(-((((i + 0.5 - nx / 2) * 0.25) / 4) ** 2) / 2));
  const dose = Float64Array.from([...new Float64Array(nx), ...row]);
  // √(2 ln 5) − √(2 ln 1.25)
  expect((penumbra_mm(dose, nx, 1, 0.25) ?? 0) / 4).toBeCloseTo(1.1261, 2);
  expect(penumbra_mm(dose, nx, 0, 0.25)).toBeNull();
});

test('there is none where the dose reaches the edge, or falls within a cell', () => {
  expect(penumbra_mm(Float64Array.of(1, 1, 1, 1, 0.5, 0.1), 6, 0, 1)).toBeNull();
  expect(penumbra_mm(Float64Array.of(0, 0, 1, 0, 0), 5, 0, 1)).toBeNull();
});
