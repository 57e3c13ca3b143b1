import { expect, test } from 'vitest';
import { unitBySuffix } from '../../../../electron/host/workloads/measures.ts';

test('units stand at the ends of names, quotients too', () => {
  const units = ['r80_mm', 'plateau_MeV_per_mm', 'solve_s', 'per_term_and_core_ns', 'peak_to_entrance', 'mm'].map(
    unitBySuffix,
  );
  expect(units).toEqual(['mm', 'MeV/mm', 's', 'ns', '', '']);
});
