/** Fits a beam to a measured depth dose: request, fitted parameters and resulting scenario. */
import { z } from 'zod';

export const depthUnits = ['mm', 'cm'] as const;

/** Size limit of an uploaded curve, bytes. A file with 20,000 points in two columns fits. */
export const MAX_CURVE_BYTES = 2 ** 20;

const fittedPointSchema = z.strictObject({
  depth_mm: z.number(),
  /** Measured and fitted doses are relative to the largest measured dose, so they have no unit. */
  measured: z.number(),
  fitted: z.number(),
  residual: z.number(),
  /** Whether the fit used this point. */
  used: z.boolean(),
});

const beamFitSchema = z.strictObject({
  energy_MeV: z.number(),
  energy_sigma_MeV: z.number(),
  /** Standard errors of the fitted parameters, from the residuals. */
  energy_error_MeV: z.number(),
  sigma_error_MeV: z.number(),
  /** Root mean square of the residuals of the fitted points, relative to the largest measured dose. */
  residual: z.number(),
  points: z.array(fittedPointSchema),
  /** Remarks on the file that the user should read, such as a list of ignored columns. */
  notes: z.array(z.string()),
});
export type BeamFit = Readonly<z.infer<typeof beamFitSchema>>;

export const commissionMethods = {
  /** Fits beam energy and energy spread, using the scenario's physics. Throws `invalid` with the offending lines. */
  'beam.commission': {
    params: z.strictObject({
      document: z.record(z.string(), z.unknown()),
      /** File name, used in messages, and file contents. */
      file: z.string().min(1).max(1000),
      text: z.string().max(MAX_CURVE_BYTES),
      /** Unit of the depth column; null if the file states the unit. */
      unit: z.enum(depthUnits).nullable(),
    }),
    result: beamFitSchema,
  },
} as const;

export const formatWithError = (value: number, error: number): string =>
  `${value.toFixed(3)} ± ${error.toFixed(3)} MeV`;

type Document = Readonly<Record<string, unknown>>;

/**
 * Returns a copy of `base` with the fitted beam, and with notes on its origin. `file` is the file name of the
 * measurement, without its folder.
 */
export function scenarioWithFittedBeam(found: BeamFit, base: Document, file: string): Record<string, unknown> {
  const { energy_MeV: _e, range_mm: _r, range_is: _i, spots: _s, ...beam } = (base['beam'] ?? {}) as Document;
  const energy = formatWithError(found.energy_MeV, found.energy_error_MeV);
  const spread = formatWithError(found.energy_sigma_MeV, found.sigma_error_MeV);
  return {
    ...base,
    name: `Beam of ${file.replace(/\.\w+$/, '')}`,
    notes: `Energy ${energy}, spread ${spread}, from ${file}; residuals ${(100 * found.residual).toFixed(2)} % of the largest dose.`,
    beam: {
      ...beam,
      energy_MeV: Number(found.energy_MeV.toFixed(4)),
      energy_sigma_MeV: Number(found.energy_sigma_MeV.toFixed(4)),
    },
  };
}
