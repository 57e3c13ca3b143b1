/**
 * Relative biological effectiveness of protons compared with photons, by models that are linear in LETd. They follow
 * from the linear-quadratic model: RBE = (√(R² + 4 D R RBEmax + 4 D² RBEmin²) − R) / (2 D). R is α/β of photons (Gy)
 * and D the dose of a fraction (Gy). Coefficients are from the publications and the TOPAS extensions; matRad uses
 * 0.999064 for the first coefficient of McNamara.
 */
import type { rbeModelNames } from '../../../contract/quality.ts';

interface RbeModel {
  readonly title: string;
  readonly source: string;
  /** RBEmax and RBEmin, the limits for zero and infinite dose, as functions of LETd (keV/µm) and α/β (Gy). */
  readonly max: (letd: number, ratio: number) => number;
  readonly min: (letd: number, ratio: number) => number;
}

/** Ratio α/β in Gy for which Carabe's data apply; LETd in these data is in keV/µm. */
const CARABE_RATIO_GY = 2.686;

export const rbeModels: Readonly<Record<(typeof rbeModelNames)[number], RbeModel>> = {
  constant: { title: '1.1', source: 'ICRU Report 78 (2007)', max: () => 1.1, min: () => 1.1 },
  mcnamara: {
    title: 'McNamara',
    source: 'A. L. McNamara et al., Phys. Med. Biol. 60 (2015) 8399; coefficients of the TOPAS extensions',
    max: (letd, ratio) => 0.99064 + (0.35605 * letd) / ratio,
    min: (letd, ratio) => 1.1012 - 0.0038703 * Math.sqrt(ratio) * letd,
  },
  wedenberg: {
    title: 'Wedenberg',
    source: 'M. Wedenberg et al., Acta Oncol. 52 (2013) 580',
    // biome-ignore lint/suspicious/noApproximativeNumericConstant: a fit to data, not a logarithm
    max: (letd, ratio) => 1 + (0.434 * letd) / ratio,
    min: () => 1,
  },
  carabe: {
    title: 'Carabe',
    source: 'A. Carabe et al., Phys. Med. Biol. 57 (2012) 1159; coefficients of 2012',
    max: (letd, ratio) => 0.843 + (0.154 * CARABE_RATIO_GY * letd) / ratio,
    min: (letd, ratio) => 1.09 + (0.006 * CARABE_RATIO_GY * letd) / ratio,
  },
};

type RbeModelName = keyof typeof rbeModels;

/**
 * RBE for a dose-averaged LET (keV/µm) and a dose per fraction (Gy). For zero dose it is the limit of small doses; NaN
 * without a LET.
 */
export function rbe(model: RbeModelName, letd: number, dose_Gy: number, alpha_beta_Gy: number): number {
  const { max, min } = rbeModels[model];
  const [most, least] = [max(letd, alpha_beta_Gy), min(letd, alpha_beta_Gy)];
  // This form of the formula is equivalent, and loses no digits at small doses.
  const root = Math.sqrt(alpha_beta_Gy ** 2 + 4 * dose_Gy * alpha_beta_Gy * most + 4 * dose_Gy ** 2 * least ** 2);
  return (2 * (alpha_beta_Gy * most + dose_Gy * least ** 2)) / (root + alpha_beta_Gy);
}
