/**
 * Radiation quality of a run: LET along the beam, energy spectra, and RBE-weighted dose. LET is the unrestricted LET in
 * water, keV/µm.
 */
import { z } from 'zod';
import { float64 } from './wire/arrays.ts';

/**
 * Averages of LET over tracks (LETt) and over dose (LETd). Each exists for all protons, and for `primary` protons of
 * the beam that have not reacted.
 */
export const letNames = ['lett_primary', 'letd_primary', 'lett', 'letd'] as const;
export type LetName = (typeof letNames)[number];

const letRecord = <T>(value: T) =>
  Object.fromEntries(letNames.map((name) => [name, value])) as { readonly [Name in LetName]: T };

export const rbeModelNames = ['constant', 'mcnamara', 'wedenberg', 'carabe'] as const;

const rbeCurveSchema = z.strictObject({
  model: z.enum(rbeModelNames),
  title: z.string(),
  /** Publication and author of the coefficients. */
  source: z.string(),
  rbe: float64,
  /** RBE times dose, integrated over the plane perpendicular to the beam. */
  weighted_MeV_per_mm: float64,
});

const spectrumSchema = z.strictObject({
  depth_mm: z.number(),
  /** Bin centres in ascending order, and bin widths. */
  energy_MeV: float64,
  width_MeV: float64,
  /**
   * Fluence of primary protons, integrated over the plane: per MeV, and for each bin. All bins add up to the total.
   */
  per_MeV: float64,
  protons: float64,
});

/** Columns of equal length, by depth along the beam axis. Values are NaN where there are no protons. */
export const qualitySchema = z.strictObject({
  depth_mm: float64,
  ...letRecord(float64),
  rbe: z.strictObject({
    alpha_beta_Gy: z.number(),
    /** Physical dose per fraction, at the maximum of the depth dose. */
    fraction_Gy: z.number(),
    curves: z.array(rbeCurveSchema),
  }),
  spectra: z.array(spectrumSchema),
});
export type Quality = Readonly<z.infer<typeof qualitySchema>>;

const nullableNumber = z.number().nullable();
const depthShape = { at: z.enum(['entrance', 'half', 'peak', 'r80']), depth_mm: z.number() } as const;

/** LET at the depths that run summaries report. */
export const letSummarySchema = z.array(z.strictObject({ ...depthShape, ...letRecord(nullableNumber) })).readonly();
export type LetSummary = Readonly<z.infer<typeof letSummarySchema>>;

const rbes = Object.fromEntries(rbeModelNames.map((name) => [name, nullableNumber])) as {
  readonly [Name in (typeof rbeModelNames)[number]]: typeof nullableNumber;
};

/** RBE for each model, at the depths of the LET values. */
export const rbeSummarySchema = z.strictObject({
  alpha_beta_Gy: z.number(),
  fraction_Gy: z.number(),
  places: z.array(z.strictObject({ ...depthShape, ...rbes })).readonly(),
});
export type RbeSummary = Readonly<z.infer<typeof rbeSummarySchema>>;
