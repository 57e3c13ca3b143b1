/** The oracle's program and its stored numbers belong together. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { protonCases, spreadCases } from './cases.ts';
import { drawn, integrated } from './evaluate.ts';
import { header } from './header.ts';
import { matter } from './matter.ts';
import { PROTONS, readStored, SEED, SHORT_PROTONS } from './stored.ts';

const stored = readStored();
/** Stored to nine digits; elementary functions may differ in the last of theirs. */
const SAME = 1e-7;
/** Standard deviations within which a short run lies. */
const LIKELY = 5;

describe('the oracle', () => {
  it('stores every case, and says with how many protons', () => {
    expect(stored.monte_carlo.map(({ name }) => name)).toEqual(protonCases.map(({ name }) => name));
    expect(stored.quadrature.map(({ name }) => name)).toEqual(spreadCases.map(({ name }) => name));
    expect([stored.seed, stored.protons, stored.short_protons]).toEqual([SEED, PROTONS, SHORT_PROTONS]);
  });

  it.each(protonCases)('draws $name again, and lies within its error of the long run', (one) => {
    const { value, error, short } = stored.monte_carlo.find(({ name }) => name === one.name) ?? {};
    const again = drawn(one, SHORT_PROTONS, SEED).value;
    expect(Object.keys(again)).toEqual(Object.keys(value ?? {}));
    for (const [key, now] of Object.entries(again)) {
      const was = short?.[key] ?? Number.NaN;
      expect(Math.abs(now - was), key).toBeLessThanOrEqual(SAME * Math.abs(was));
      // Fits to few protons are not quite normal: the mean range and the energy are.
      if (key !== 'mean_range_mm' && key !== 'deposited_MeV') continue;
      const likely = LIKELY * (error?.[key] ?? 0) * Math.sqrt((one.times * PROTONS) / SHORT_PROTONS) + 1e-9 * now;
      expect(Math.abs(now - (value?.[key] ?? Number.NaN)), key).toBeLessThanOrEqual(likely);
    }
  });

  it.each(spreadCases)('integrates $name again, on coarser bins', (one) => {
    const value = stored.quadrature.find(({ name }) => name === one.name)?.value ?? {};
    for (const [key, now] of Object.entries(integrated(one, 2))) {
      expect(Math.abs(now / (value[key] ?? Number.NaN) - 1), key).toBeLessThan(1e-3);
    }
  });

  it('is precise enough for the gates: R80 to 0.03 mm, W80–20 to 1 %', () => {
    for (const { name, value, error } of stored.monte_carlo) {
      expect(error['r80_mm'], name).toBeLessThan(0.03);
      expect((error['w80_20_mm'] ?? 1) / (value['w80_20_mm'] ?? 1), name).toBeLessThan(0.01);
    }
  });

  it('has the published ranges, and is written to the header of the C++ gates', () => {
    // PSTAR's, g/cm² by density.
    expect(matter('water').range(150) / 157.7).toBeCloseTo(1, 3);
    expect(matter('lead').range(150) / (328.4 / 11.35)).toBeCloseTo(1, 3);
    const text = readFileSync(path.join(import.meta.dirname, 'expected.hpp'), 'utf8');
    expect(text).toBe(header(stored));
  });
});
