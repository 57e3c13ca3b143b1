/** Contract of the proton transport workload. */
import { z } from 'zod';
import { type ContractWorkload, type Migration, resolvedShape } from '../workload.ts';
import { transportSchema } from './index.ts';

/** In version 1, nuclear reactions were off by default. Migrated documents keep that behaviour. */
const withoutReactions: Migration = (document) => {
  const { physics = {} } = document;
  if (typeof physics !== 'object' || physics === null || Array.isArray(physics)) return { ...document };
  return { ...document, physics: { nuclear: 'off', ...physics } };
};

const transportMigrations = { 1: withoutReactions } as const;

export const gridSizeSchema = z.strictObject({
  ne: z.number().int().positive(),
  ntheta: z.number().int().positive(),
  nz: z.number().int().positive(),
  nx: z.number().int().positive(),
});
export type GridSize = Readonly<z.infer<typeof gridSizeSchema>>;

const progressSchema = z.strictObject({
  workload: z.literal('transport'),
  step: z.number().int().nonnegative(),
  steps_max: z.number().int().nonnegative(),
  /** Mean depth of the protons that are still moving. */
  depth_mm: z.number(),
  /** Fraction of the incident protons, by weight, that are still moving. */
  weight_left: z.number(),
  /** Relative error of the balance of protons or energy, whichever is larger. */
  ledger_error: z.number(),
  steps_per_s: z.number(),
});
export type TransportProgress = Readonly<z.infer<typeof progressSchema>>;

const resolvedSchema = z.strictObject({
  kind: z.literal('transport'),
  ...resolvedShape,
  grid: gridSizeSchema,
  cells: z.number(),
  state_bytes: z.number(),
  steps_max: z.number().int(),
  /** CSDA range along the beam axis, mm, measured from the entrance through all regions on the axis. */
  range_mm: z.number(),
  /** CSDA range in water, mm, by the selected stopping-power table. */
  waterRange_mm: z.number(),
  /**
   * Estimated solving time, absent in Live mode. `elsewhere` names the machine whose speed was used, if this one has
   * completed no run yet.
   */
  expected: z.strictObject({ seconds: z.number().nonnegative(), elsewhere: z.string().nullable() }).optional(),
  /** Name of the stopping-power table, for captions. */
  table: z.string(),
});
export type ResolvedTransport = Readonly<z.infer<typeof resolvedSchema>>;

export const transport = {
  kind: 'transport',
  title: 'Proton transport',
  runs: 'results',
  schema: transportSchema,
  version: 2,
  migrations: transportMigrations,
  standIns: [{ path: ['beam', 'energy_MeV'], value: 100 }],
  fresh: { beam: { energy_MeV: 70 } },
  sweepExample: 'grid.dx_mm=1,0.5,0.25',
  progress: progressSchema,
  resolved: resolvedSchema,
  exports: [
    { id: 'dose', title: 'Dose map (CSV)' },
    { id: 'dose-mha', title: 'Dose map (MetaImage)' },
    { id: 'dose-nrrd', title: 'Dose map (NRRD)' },
    { id: 'gray-mha', title: 'Dose in Gy (MetaImage)' },
    { id: 'gray-nrrd', title: 'Dose in Gy (NRRD)' },
    { id: 'gray-dcm', title: 'Dose in Gy (RT Dose)' },
    { id: 'letd-mha', title: 'LETd map (MetaImage)' },
    { id: 'letd-nrrd', title: 'LETd map (NRRD)' },
    { id: 'depth-dose', title: 'Depth dose (CSV)' },
    { id: 'let', title: 'LET and RBE by depth (CSV)' },
    { id: 'spectra', title: 'Energy spectra (CSV)' },
    { id: 'moments', title: 'Moments of the fluence (CSV)' },
    { id: 'ledger', title: 'Ledger (CSV)' },
    { id: 'summary', title: 'Summary (JSON)' },
    { id: 'run', title: 'Everything (HDF5)' },
  ],
  runEnding: '.h5',
} as const satisfies ContractWorkload;
