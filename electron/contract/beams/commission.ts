/** Fits a beam to a measured depth dose: request, fitted parameters and resulting scenario. */
import { z } from 'zod';

export const depthUnits = ['mm', 'cm'] as const;

/** Enough for twenty thousand points in two columns. */
export const MAX_CURVE_BYTES = 2 ** 20;

const pointSchema = z.strictObject({
  depth_mm: z.number(),
  /** Measured and fitted doses are shares of the largest measured dose. */
  measured: z.number(),
  fitted: z.number(),
  residual: z.number(),
  /** Whether the fit used this point. */
  used: z.boolean(),
});

const commissionedSchema = z.strictObject({
  energy_MeV: z.number(),
  energy_sigma_MeV: z.number(),
  /** Standard errors of the fitted parameters, from the residuals. */
  energy_error_MeV: z.number(),
  sigma_error_MeV: z.number(),
  /** Root mean square of the residuals as a share of the largest dose, over the points of the fit. */
  residual: z.number(),
  points: z.array(pointSchema),
  /** Facts about the file that a user must know, such as ignored columns. */
  notes: z.array(z.string()),
});
export type Commissioned = Readonly<z.infer<typeof commissionedSchema>>;

export const commissionMethods = {
  /** Fits energy and spread with the physics of the scenario. Throws `invalid` with the offending lines. */
  'beam.commission': {
    params: z.strictObject({
      document: z.record(z.string(), z.unknown()),
      /** File name, used in messages, and file contents. */
      file: z.string().min(1).max(1000),
      text: z.string().max(MAX_CURVE_BYTES),
      /** Unit of depth, needed if the file does not state it. */
      unit: z.enum(depthUnits).nullable(),
    }),
    result: commissionedSchema,
  },
} as const;

export const withError = (value: number, error: number): string => `${value.toFixed(3)} ± ${error.toFixed(3)} MeV`;

type Document = Readonly<Record<string, unknown>>;

/**
 * Returns `base` with the fitted beam and with notes on its source. `file` is the name of the measurement's file,
 * without its folder.
 */
export function commissionedBeam(found: Commissioned, base: Document, file: string): Record<string, unknown> {
  const { energy_MeV: _e, range_mm: _r, range_is: _i, spots: _s, ...beam } = (base['beam'] ?? {}) as Document;
  const energy = withError(found.energy_MeV, found.energy_error_MeV);
  const spread = withError(found.energy_sigma_MeV, found.sigma_error_MeV);
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
