/** RBE models compared with their formulas, calculated by hand, and with the definition that the effects are equal. */
import { expect, test } from 'vitest';
import { rbe, rbeModels } from '../../../../../electron/host/model/quality/rbe.ts';

test.each([
  // LETd 2.5 keV/µm, α/β 2 Gy, 2 Gy. RBEmax 1.43570, RBEmin 1.08752: (√(4 + 22.97124 + 18.92272) − 2)/4.
  ['mcnamara', 1.19363],
  // RBEmax 1.5425, RBEmin 1: (√(4 + 24.68 + 16) − 2)/4.
  ['wedenberg', 1.17108],
  // RBEmax 1.360055, RBEmin 1.110145: (√(4 + 21.76088 + 19.71875) − 2)/4.
  ['carabe', 1.18594],
] as const)('%s matches a calculation by hand', (model, wanted) => {
  expect(rbe(model, 2.5, 2, 2)).toBeCloseTo(wanted, 4);
});

test('proton dose times RBE is the photon dose of the same effect', () => {
  for (const model of ['mcnamara', 'wedenberg', 'carabe'] as const) {
    const [letd, dose, ratio] = [4, 1.8, 3];
    const factor = rbe(model, letd, dose, ratio);
    const { max, min } = rbeModels[model];
    // Effects of protons, divided by β of photons.
    const protons = max(letd, ratio) * ratio * dose + min(letd, ratio) ** 2 * dose ** 2;
    const photons = ratio * factor * dose + (factor * dose) ** 2;
    expect(photons).toBeCloseTo(protons, 10);
  }
});

test('a constant RBE is 1.1 at every dose and LET', () => {
  for (const [letd, dose, ratio] of [
    [0.5, 0.1, 2],
    [12, 20, 10],
  ] as const) {
    // A constant RBE of 1.1 is independent of α and β.
    expect(rbe('constant', letd, dose, ratio)).toBeCloseTo(1.1, 12);
  }
});

test('the RBE at zero dose is the limit at small doses, and without protons there is none', () => {
  expect(rbe('mcnamara', 2.5, 0, 2)).toBeCloseTo(0.99064 + (0.35605 * 2.5) / 2, 12);
  expect(rbe('wedenberg', Number.NaN, 2, 2)).toBeNaN();
});
