/** Runs as the page and the command line see them. Lengths in mm, energies in MeV, angles as named. */
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { axisNameSchema, curveSchema, fieldMapSchema, viewportSchema } from './fields.ts';
import { namedFileSchema } from './files.ts';
import { letSummarySchema, qualitySchema, rbeSummarySchema } from './quality.ts';
import { energyBalanceSchema, numberBalanceSchema } from './scenario/transport/ledger-columns.ts';
import { summaryScalarShape } from './scenario/transport/run-scalars.ts';
import { gridSizeSchema } from './scenario/transport/workload.ts';
import { float64, uint32 } from './wire/arrays.ts';
import { headlineSchema, workloadSchema } from './workload.ts';

/** The run summary as a JSON document: what `braggbench run --json` prints. */
type Pair = readonly [depth_mm: number, value: number];

export type SummaryDocument = Omit<RunSummary, 'metrics'> & {
  readonly metrics: Omit<RunSummary['metrics'], 'sigma_x' | 'theta_rms'> & {
    readonly sigma_x_mm: readonly Pair[];
    readonly theta_rms_mrad: readonly Pair[];
  };
};

function pairs(depths: Float64Array, values: Float64Array): readonly Pair[] {
  return Array.from(depths, (depth, i) => [depth, values[i] ?? Number.NaN] as const);
}

/** Lays the columns of a summary out as [depth, value] pairs, which is what people and scripts read. */
export function summaryDocument(summary: RunSummary): SummaryDocument {
  const { sigma_x, theta_rms, ...metrics } = summary.metrics;
  return {
    ...summary,
    metrics: {
      ...metrics,
      sigma_x_mm: pairs(sigma_x.depth_mm, sigma_x.sigma_x_mm),
      theta_rms_mrad: pairs(theta_rms.depth_mm, theta_rms.theta_rms_mrad),
    },
  };
}

export const runIdSchema = z.string().min(1).max(64);
export type RunId = z.infer<typeof runIdSchema>;

/** `cancelled` keeps what was computed; `failed` carries its error, and where a device failed what was finished. */
export const runStateSchema = z.enum(['queued', 'running', 'done', 'cancelled', 'failed']);
export type RunState = z.infer<typeof runStateSchema>;

export const precisionSchema = z.enum(['fp32', 'fp64']);
export type Precision = z.infer<typeof precisionSchema>;

export const runInfoSchema = z.strictObject({
  id: runIdSchema,
  workload: workloadSchema,
  /** The scenario's name, or the file's when it has none. */
  name: z.string(),
  state: runStateSchema,
  /** Position in the queue, 1 is next; null unless queued. */
  queuePosition: z.number().int().positive().nullable(),
  variant: z.string(),
  /** Precision of the arithmetic: fp32, fp64, or what else the workload has. */
  precision: z.string(),
  device: z.string(),
  /** ISO 8601. */
  created: z.string(),
  finished: z.string().nullable(),
  /** Set once it is saved or was opened from a file. */
  file: namedFileSchema.nullable(),
  /** Problem size, for people: `1024 × 1024 pixels`. */
  size: z.string(),
  /** The number that it was made for; null before there is one. */
  headline: headlineSchema.nullable(),
  /** Null if it has not ended, or ended without a result. */
  wall_s: z.number().nullable(),
  error: wireErrorSchema.nullable(),
  /** Present on the run that a Live session answers into: its result changes, it is in no list and never saved by itself. */
  live: z.literal(true).optional(),
});
export type RunInfo = Readonly<z.infer<typeof runInfoSchema>>;

const moreReadouts = {
  /** Distal 90 and 50 % depth, and 10 %: the practical range. */
  r90_mm: z.number().nullable(),
  r50_mm: z.number().nullable(),
  practical_range_mm: z.number().nullable(),
  /** Mean of the depth dose from 20 to 50 % of R80. */
  plateau_MeV_per_mm: z.number().nullable(),
};

/** Readouts of a dose distribution. Null: not defined for this dose (a beam that left before it stopped). */
const metricsSchema = z.strictObject({
  /** Distal 80 % depth along the beam axis from the entrance. */
  r80_mm: z.number().nullable(),
  peak_mm: z.number().nullable(),
  w80_20_mm: z.number().nullable(),
  peak_to_entrance: z.number().nullable(),
  /** Full width at half maximum of the Bragg peak along the axis. */
  fwhm_mm: z.number().nullable(),
  ...moreReadouts,
  /** Across x, from 80 to 20 % of the largest dose, at half of R80 and at the peak; of beams along z. */
  penumbra_half_mm: z.number().nullable(),
  penumbra_peak_mm: z.number().nullable(),
  /** Columns of equal length; of the proton fluence crossing each plane. */
  sigma_x: z.strictObject({ depth_mm: float64, sigma_x_mm: float64 }),
  theta_rms: z.strictObject({ depth_mm: float64, theta_rms_mrad: float64 }),
  energy_deposited_MeV: z.number(),
  mean_range_mm: z.number().nullable(),
});
export type Metrics = Readonly<z.infer<typeof metricsSchema>>;

/** A note on the numbers: a code for programs and a sentence for people. */
const runNoteSchema = z.strictObject({
  code: z.enum([
    'protons-lost',
    'coarse-grid',
    'tilted-rows',
    'beam-at-edge',
    'last-cells',
    'table-of-water',
    'energies-cut-off',
    'ledger-open',
  ]),
  text: z.string(),
});
export type RunNote = Readonly<z.infer<typeof runNoteSchema>>;

export const runSummarySchema = z.strictObject({
  scenario: z.string(),
  variant: z.string(),
  precision: precisionSchema,
  status: z.enum(['done', 'cancelled', 'failed']),
  /** Why it failed; null unless it did. */
  error: z.string().nullable(),
  ...summaryScalarShape,
  metrics: metricsSchema,
  notes: z.array(runNoteSchema),
  ledger: z.strictObject({ number: numberBalanceSchema, energy: energyBalanceSchema }),
  /** Depth resolution: the larger of a cell in depth and a step along the beam. */
  resolution_mm: z.number(),
  /** Spread of range (sigma) that the grid adds, and of a tilted beam what cells blur in the readouts too, mm. */
  extra_straggling_mm: z.number(),
  /** Peak of the process, which holds other runs too. */
  peak_rss_MB: z.number(),
  /** Memory of this run alone: its largest state, or its image with what computes it. */
  state_bytes: z.number(),
  /** Time to transport the products of nuclear reactions, in addition to solve_s; absent if they are not followed. */
  products_s: z.number().optional(),
  /** Gy per 10⁹ protons on the beam axis, or why there is none. */
  gray: z.union([
    z.strictObject({ entrance_Gy: z.number(), highest_Gy: z.number(), at_mm: z.number() }),
    z.strictObject({ reason: z.string() }),
  ]),
  /** LET along the beam axis, keV/µm in water; where it was scored. */
  let: letSummarySchema.optional(),
  /** RBE at the same places. */
  rbe: rbeSummarySchema.optional(),
  grid: gridSizeSchema,
  isa: z.string(),
});
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** Treatment of nuclear reactions: products followed, lost protons only counted, or reactions off. */
export function reactionsIn({ ledger, products_s }: RunSummary): 'followed' | 'attenuation' | 'off' {
  if (products_s !== undefined) return 'followed';
  return (ledger.number.nuclear ?? 0) > 0 ? 'attenuation' : 'off';
}

/** One cell of an axis that is not shown, instead of the sum over it. */
const cutSchema = z.strictObject({ axis: axisNameSchema, index: z.number().int().nonnegative() });
export type Cut = Readonly<z.infer<typeof cutSchema>>;

/** Map to subtract from another. */
const againstSchema = z.strictObject({
  run: runIdSchema,
  /** The stored moment for protons, null for the one nearest in depth. Dose has one final state. */
  keyframe: z.number().int().nonnegative().nullable(),
});
export type Against = Readonly<z.infer<typeof againstSchema>>;

/** A map to show: dose, or the protons summed over the two axes that are not shown. */
export const mapRequestSchema = z.strictObject({
  /** `dose-per-mass`: by the density of each cell. LET of all protons, of runs that have ended and scored it.
   * `density`: of the matter in each cell. */
  quantity: z.enum(['dose', 'dose-per-mass', 'gray', 'protons', 'letd', 'lett', 'density']),
  /**
   * Distance from the axis perpendicular to the plane, for `gray` (Gy per 10⁹ protons in three dimensions); 0 by
   * default.
   */
  y_mm: z.number().min(-1000).max(1000).optional(),
  horizontal: axisNameSchema,
  vertical: axisNameSchema,
  viewport: viewportSchema,
  /** Cuts of the protons while a run computes, or with the stream `run.cuts`; stored maps are summed. */
  cuts: z.array(cutSchema).max(2).optional(),
  /** The map less this one, cell by cell; both runs have ended and share the grid. */
  against: againstSchema.optional(),
});
export type MapRequest = Readonly<z.infer<typeof mapRequestSchema>>;

/** Maps of one moment of a run. */
export const runMapsSchema = z.strictObject({
  run: runIdSchema,
  /** Grows with every new state of this run; equal revisions are equal maps. */
  revision: z.number().int().nonnegative(),
  step: z.number().int().nonnegative(),
  depth_mm: z.number(),
  /** In the order of the request. */
  maps: z.array(fieldMapSchema),
});
export type RunMaps = Readonly<z.infer<typeof runMapsSchema>>;

export const liveFrameSchema = z.strictObject({
  ...runMapsSchema.shape,
  /** In the order of the request; null: on its way. */
  maps: z.array(fieldMapSchema.nullable()),
  /** Dose so far, integrated across the beam axis; null unless requested. */
  depthDose: curveSchema.nullable(),
  /** The same by mass, along the same axis. */
  depthDosePerMass: curveSchema.nullable(),
});
export type LiveFrame = Readonly<z.infer<typeof liveFrameSchema>>;

/** Maps of an ended run that were not saved: the run is recomputed up to a saved step. */
export const cutsFrameSchema = z.discriminatedUnion('state', [
  /** Until the run before it is over. */
  z.strictObject({ state: z.literal('waiting') }),
  z.strictObject({
    state: z.literal('computing'),
    step: z.number().int().nonnegative(),
    /** Up to the requested step. */
    steps: z.number().int().nonnegative(),
  }),
  z.strictObject({ state: z.literal('done'), ...runMapsSchema.shape }),
]);
export type CutsFrame = Readonly<z.infer<typeof cutsFrameSchema>>;

export const depthDoseSchema = z.strictObject({
  curve: curveSchema,
  /** Energy by mass, with the density of each cell; null for runs stored without densities. */
  perMass: curveSchema.nullable(),
  /** Beam axis in the z–x plane: from the entrance point, at this angle from +z. */
  entrance_mm: z.strictObject({ z: z.number(), x: z.number() }),
  angle_deg: z.number(),
  metrics: z.strictObject({
    r80_mm: z.number().nullable(),
    r20_mm: z.number().nullable(),
    peak_mm: z.number().nullable(),
    w80_20_mm: z.number().nullable(),
    fwhm_mm: z.number().nullable(),
    peak_to_entrance: z.number().nullable(),
  }),
  /** Gy per 10⁹ protons on the axis; or why there is none. */
  gray: z.union([z.strictObject({ curve: curveSchema }), z.strictObject({ reason: z.string() })]),
  /** LET, spectra and RBE-weighted dose; null where they were not scored. */
  quality: qualitySchema.nullable(),
});
export type DepthDose = Readonly<z.infer<typeof depthDoseSchema>>;

/** Moments of the proton fluence crossing each plane z = depth_mm[i]; columns of equal length. */
export const momentsSchema = z.strictObject({
  depth_mm: float64,
  protons: float64,
  mean_x_mm: float64,
  /** NaN where cells are too wide to tell a width. */
  sigma_x_mm: float64,
  mean_theta_mrad: float64,
  theta_rms_mrad: float64,
  covariance_mm_mrad: float64,
});
export type Moments = Readonly<z.infer<typeof momentsSchema>>;

export const ledgerTableSchema = z.strictObject({
  step: uint32,
  number: z.record(z.string(), float64),
  energy_MeV: z.record(z.string(), float64),
});
export type LedgerTable = Readonly<z.infer<typeof ledgerTableSchema>>;
