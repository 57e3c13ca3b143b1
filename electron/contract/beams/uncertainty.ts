/**
 * Uncertainty of a depth dose and its range: assumed standard deviations of the inputs, and the contribution of each
 * input.
 */
import { z } from 'zod';
import { float64 } from '../wire/arrays.ts';

/**
 * Uncertain inputs. `usual` is the default standard deviation, `most` the largest allowed one, both in `unit`; `source`
 * justifies the default.
 */
export const uncertainInputs = {
  beam_range_mm: {
    title: 'Beam energy, as range in water',
    unit: 'mm',
    usual: 0.2,
    most: 20,
    source: 'reproducibility of the beam: Paganetti, Phys. Med. Biol. 57 (2012) R99, table 1',
  },
  mean_excitation_eV: {
    title: 'Mean excitation energy',
    unit: 'eV',
    usual: 2,
    most: 50,
    source: 'value for water in ICRU Report 90, 78 ± 2 eV; used for every material',
  },
  density_percent: {
    title: 'Density',
    unit: '%',
    usual: 1,
    most: 20,
    source: 'an assumption: replace it with the value of your phantom',
  },
  stopping_percent: {
    title: 'Stopping power',
    unit: '%',
    usual: 0,
    most: 20,
    source: '0 by default, because density and mean excitation energy are separate inputs',
  },
  scattering_percent: {
    title: 'Scattering power',
    unit: '%',
    usual: 0,
    most: 50,
    source: '0 by default, because it changes only widths and not the range',
  },
  energy_sigma_percent: {
    title: 'Energy spread',
    unit: '%',
    usual: 0,
    most: 50,
    source: 'changes the falloff: none by default',
  },
  thickness_mm: {
    title: 'Thickness of each layer',
    unit: 'mm',
    usual: 0,
    most: 20,
    source: 'from your phantom: none by default',
  },
} as const;

export type UncertainInput = keyof typeof uncertainInputs;
export const uncertainNames = Object.keys(uncertainInputs) as readonly UncertainInput[];

const uncertaintyModelSchema = z.partialRecord(z.enum(uncertainNames), z.number().min(0));
export type UncertaintyModel = z.infer<typeof uncertaintyModelSchema>;

/** Clinical range margin, mm: 3.5 % of the range plus 1 mm (Paganetti 2012, as above, table 2). */
export const clinicalMargin_mm = (r80_mm: number): number => 0.035 * r80_mm + 1;

const uncertaintyPartSchema = z.strictObject({
  input: z.enum(uncertainNames),
  title: z.string(),
  /** Standard deviation of the input, in `unit`. */
  sigma: z.number(),
  unit: z.string(),
  source: z.string(),
  by: z.enum(['tangents', 'differences']),
  /** Change of R80, mm, if the input increases by one standard deviation; null if the dose has no R80. */
  r80_mm: z.number().nullable(),
  w80_20_mm: z.number().nullable(),
  /** Fraction of the variance of R80 that this input causes, 0 to 1. */
  share: z.number().nullable(),
});

const uncertaintySchema = z.strictObject({
  depth_mm: float64,
  /** Depth dose of all protons together, MeV/mm. */
  dose: float64,
  /** Standard deviation of `dose`, MeV/mm. */
  dose_sigma: float64,
  r80_mm: z.number().nullable(),
  r80_sigma_mm: z.number().nullable(),
  w80_20_mm: z.number().nullable(),
  w80_20_sigma_mm: z.number().nullable(),
  parts: z.array(uncertaintyPartSchema),
  /** Reason why differences between full runs replace derivatives; null if derivatives were used. */
  differences_because: z.string().nullable(),
  seconds: z.number(),
});
export type Uncertainty = z.infer<typeof uncertaintySchema>;

export const uncertaintyMethods = {
  /**
   * Computes the uncertainty band of a scenario's depth dose. `model` overrides the standard deviations of inputs; 0
   * excludes an input.
   */
  'beam.uncertainty': {
    params: z.strictObject({ document: z.record(z.string(), z.unknown()), model: uncertaintyModelSchema }),
    result: uncertaintySchema,
  },
} as const;
