/** Radiation quality of a run: LET along the beam, energy spectra, RBE-weighted dose. LET is unrestricted, in water, keV/µm. */
import { z } from 'zod';
import { float64 } from './wire/arrays.ts';

/**
 * Averages over tracks (LETt) and over dose (LETd), each for the beam's protons that have not reacted and for all
 * protons.
 */
export const letNames = ['lett_primary', 'letd_primary', 'lett', 'letd'] as const;
export type LetName = (typeof letNames)[number];

const forEachLet = <T>(value: T) =>
  Object.fromEntries(letNames.map((name) => [name, value])) as { readonly [Name in LetName]: T };

export const rbeModelNames = ['constant', 'mcnamara', 'wedenberg', 'carabe'] as const;

const rbeCurveSchema = z.strictObject({
  model: z.enum(rbeModelNames),
  title: z.string(),
  /** Publication, and author of the set of coefficients. */
  source: z.string(),
  rbe: float64,
  /** RBE times the dose integrated across the beam axis. */
  weighted_MeV_per_mm: float64,
});

const spectrumSchema = z.strictObject({
  depth_mm: z.number(),
  /** Energies of the bins in ascending order, with the width of each bin. */
  energy_MeV: float64,
  width_MeV: float64,
  /** Fluence of primary protons, integrated over the plane: per MeV, and per bin. The bins sum to the fluence. */
  per_MeV: float64,
  protons: float64,
});

/** Columns of equal length by depth along the beam axis; NaN where there are no protons. */
export const qualitySchema = z.strictObject({
  depth_mm: float64,
  ...forEachLet(float64),
  rbe: z.strictObject({
    alpha_beta_Gy: z.number(),
    /** Physical dose per fraction at the peak of the depth dose. */
    fraction_Gy: z.number(),
    curves: z.array(rbeCurveSchema),
  }),
  spectra: z.array(spectrumSchema),
});
export type Quality = Readonly<z.infer<typeof qualitySchema>>;

const number = z.number().nullable();
const place = { at: z.enum(['entrance', 'half', 'peak', 'r80']), depth_mm: z.number() } as const;

/** LET at the positions that summaries report. */
export const letSummarySchema = z.array(z.strictObject({ ...place, ...forEachLet(number) })).readonly();
export type LetSummary = Readonly<z.infer<typeof letSummarySchema>>;

const rbes = Object.fromEntries(rbeModelNames.map((name) => [name, number])) as {
  readonly [Name in (typeof rbeModelNames)[number]]: typeof number;
};

/** RBE at the positions of the LET values, by model. */
export const rbeSummarySchema = z.strictObject({
  alpha_beta_Gy: z.number(),
  fraction_Gy: z.number(),
  places: z.array(z.strictObject({ ...place, ...rbes })).readonly(),
});
export type RbeSummary = Readonly<z.infer<typeof rbeSummarySchema>>;
