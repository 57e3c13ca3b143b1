/** Scenarios saved in runs and sessions are bounded in size, since comparisons traverse them. */
import { expect, test } from 'vitest';
import { keptDocumentSchema, oversize } from '../../../../electron/contract/scenario/kept-document.ts';

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

test('a scenario of ten thousand spots is kept, and one of more values than any has is not', () => {
  const spot = { energy_MeV: 70, x_mm: 1, y_mm: 1, z_mm: 1, angle_deg: 0, sigma_x_mm: 3, sigma_mrad: 2, weight: 1 };
  expect(oversize({ kind: 'transport', beam: { spots: Array.from({ length: 10_000 }, () => spot) } })).toBeNull();
  const { error } = keptDocumentSchema.safeParse({ x: Array.from({ length: 100_000 }, () => 1) });
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'holds too many values; allowed: at most 100000 values in 32 levels',
  ]);
});

test('one that is nested deeper than a frame carries is not kept, however deep', () => {
  expect(oversize(nested(30))).toBeNull();
  expect(oversize(nested(33))).toMatch(/^is nested too deeply; allowed: /);
  const deep: unknown = JSON.parse(`${'['.repeat(60_000)}${']'.repeat(60_000)}`);
  expect(oversize(deep)).toMatch(/^is nested too deeply; allowed: /);
});
