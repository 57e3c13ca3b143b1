/**
 * Runs as the page and the command line see them, and the progress of a run of any workload. Lengths in mm, energies in
 * MeV, angles as named.
 */
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { axisNameSchema, curveSchema, fieldMapSchema, viewportSchema } from './fields.ts';
import { namedFileSchema } from './files.ts';
import { letSummarySchema, qualitySchema, rbeSummarySchema } from './quality.ts';
import { propertyOfWorkloads } from './scenario/kinds.ts';
import { energyBalanceSchema, numberBalanceSchema } from './scenario/transport/ledger-columns.ts';
import { liveReadoutShape, summaryReadoutShape } from './scenario/transport/readouts.ts';
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

/** Converts the columns of a summary to [depth, value] pairs for readers and scripts. */
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

/** `cancelled` retains what was computed; `failed` has an error and, if a device failed, the completed part. */
const runStateSchema = z.enum(['queued', 'running', 'done', 'cancelled', 'failed']);
export type RunState = z.infer<typeof runStateSchema>;

export const precisionSchema = z.enum(['fp32', 'fp64']);
export type Precision = z.infer<typeof precisionSchema>;

export const runInfoSchema = z.strictObject({
  id: runIdSchema,
  workload: workloadSchema,
  /** Name of the scenario, or of its file if the scenario has none. */
  name: z.string(),
  state: runStateSchema,
  /** Position in the queue, 1 is next; null unless queued. */
  queuePosition: z.number().int().positive().nullable(),
  variant: z.string(),
  /** Precision of the arithmetic: fp32, fp64, or another one that the workload offers. */
  precision: z.string(),
  device: z.string(),
  /** Time of creation, ISO 8601. */
  created: z.string(),
  finished: z.string().nullable(),
  /** File of the run, if it was saved or opened from a file. */
  file: namedFileSchema.nullable(),
  /** Problem size for display: `1024 × 1024 pixels`. */
  size: z.string(),
  /** Main result of the run; null before there is one. */
  headline: headlineSchema.nullable(),
  /** Duration in seconds; null if the run has not ended, or ended without a result. */
  wall_s: z.number().nullable(),
  error: wireErrorSchema.nullable(),
  /**
   * Present on the run that holds the results of a Live session. Its results change; it is not listed and never saved
   * automatically.
   */
  live: z.literal(true).optional(),
});
export type RunInfo = Readonly<z.infer<typeof runInfoSchema>>;

/**
 * Readouts of a dose distribution. Null if not defined for this dose, as for a beam that leaves the box before
 * stopping.
 */
const metricsSchema = z.strictObject({
  ...summaryReadoutShape,
  /** Columns of equal length, for the proton fluence crossing each plane. */
  sigma_x: z.strictObject({ depth_mm: float64, sigma_x_mm: float64 }),
  theta_rms: z.strictObject({ depth_mm: float64, theta_rms_mrad: float64 }),
  energy_deposited_MeV: z.number(),
  mean_range_mm: z.number().nullable(),
});
export type Metrics = Readonly<z.infer<typeof metricsSchema>>;

/** Note about the numbers: a code for programs and a sentence for readers. */
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
  /** Reason of the failure; null unless the run failed. */
  error: z.string().nullable(),
  ...summaryScalarShape,
  metrics: metricsSchema,
  notes: z.array(runNoteSchema),
  ledger: z.strictObject({ number: numberBalanceSchema, energy: energyBalanceSchema }),
  /** Depth resolution: the larger of a cell in depth and a step along the beam. */
  resolution_mm: z.number(),
  /**
   * Range spread (sigma) that the grid adds, in mm; for a tilted beam, it includes the blur of readouts by the cell
   * size.
   */
  extra_straggling_mm: z.number(),
  /** Peak memory of the process, including other runs. */
  peak_rss_MB: z.number(),
  /** Memory of this run alone: its largest state, or its image and the work arrays. */
  state_bytes: z.number(),
  /** Time to transport the products of nuclear reactions, in addition to solve_s; absent if they are not followed. */
  products_s: z.number().optional(),
  /** Gy per 10⁹ protons on the beam axis, or the reason why there is none. */
  gray: z.union([
    z.strictObject({ entrance_Gy: z.number(), highest_Gy: z.number(), at_mm: z.number() }),
    z.strictObject({ reason: z.string() }),
  ]),
  /** LET along the beam axis, keV/µm in water; present if it was scored. */
  let: letSummarySchema.optional(),
  /** RBE at the positions of the LET values. */
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

/** Selects one cell of a hidden axis in place of the sum over that axis. */
const cutSchema = z.strictObject({ axis: axisNameSchema, index: z.number().int().nonnegative() });
export type Cut = Readonly<z.infer<typeof cutSchema>>;

/** Map to subtract from another. */
const comparisonTargetSchema = z.strictObject({
  run: runIdSchema,
  /** Index of the keyframe for maps of protons; null for the one nearest in depth. Dose has one final state. */
  keyframe: z.number().int().nonnegative().nullable(),
});
export type ComparisonTarget = Readonly<z.infer<typeof comparisonTargetSchema>>;

/** Map to show: dose, or the protons summed over the two hidden axes. */
export const mapRequestSchema = z.strictObject({
  /**
   * `dose-per-mass`: divided by the density of each cell. LET: of all protons, for ended runs that scored it.
   * `density`: of the matter in each cell.
   */
  quantity: z.enum(['dose', 'dose-per-mass', 'gray', 'protons', 'letd', 'lett', 'density']),
  /**
   * Distance from the axis perpendicular to the plane, for `gray` (Gy per 10⁹ protons in three dimensions); 0 by
   * default.
   */
  y_mm: z.number().min(-1000).max(1000).optional(),
  horizontal: axisNameSchema,
  vertical: axisNameSchema,
  viewport: viewportSchema,
  /** Cuts of the protons during a run, or with the stream `run.cuts`; stored maps are summed over the hidden axes. */
  cuts: z.array(cutSchema).max(2).optional(),
  /** Subtracts this map cell by cell; both runs must have ended and share the grid. */
  against: comparisonTargetSchema.optional(),
});
export type MapRequest = Readonly<z.infer<typeof mapRequestSchema>>;

/** Maps of a run at one time. */
export const runMapsSchema = z.strictObject({
  run: runIdSchema,
  /** Increases with every new state of this run; equal revisions mean equal maps. */
  revision: z.number().int().nonnegative(),
  step: z.number().int().nonnegative(),
  depth_mm: z.number(),
  /** Maps in the order of the request. */
  maps: z.array(fieldMapSchema),
});
export type RunMaps = Readonly<z.infer<typeof runMapsSchema>>;

export const liveFrameSchema = z.strictObject({
  ...runMapsSchema.shape,
  /** Maps in the order of the request; null while a map is not yet computed. */
  maps: z.array(fieldMapSchema.nullable()),
  /** Dose so far, integrated across the beam axis; null unless requested. */
  depthDose: curveSchema.nullable(),
  /** Depth dose by mass, along the beam axis. */
  depthDosePerMass: curveSchema.nullable(),
});
export type LiveFrame = Readonly<z.infer<typeof liveFrameSchema>>;

/** Maps of an ended run that were not saved: the run is recomputed up to a saved step. */
export const cutsFrameSchema = z.discriminatedUnion('state', [
  /** Waits for an earlier run to end. */
  z.strictObject({ state: z.literal('waiting') }),
  z.strictObject({
    state: z.literal('computing'),
    step: z.number().int().nonnegative(),
    /** Number of steps to recompute. */
    steps: z.number().int().nonnegative(),
  }),
  z.strictObject({ state: z.literal('done'), ...runMapsSchema.shape }),
]);
export type CutsFrame = Readonly<z.infer<typeof cutsFrameSchema>>;

export const depthDoseSchema = z.strictObject({
  curve: curveSchema,
  /** Energy by mass, using the density of each cell; null for runs stored without densities. */
  perMass: curveSchema.nullable(),
  /** Beam axis in the z–x plane: entrance point, and angle from +z. */
  entrance_mm: z.strictObject({ z: z.number(), x: z.number() }),
  angle_deg: z.number(),
  metrics: z.strictObject(liveReadoutShape),
  /** Gy per 10⁹ protons on the axis, or the reason why there is none. */
  gray: z.union([z.strictObject({ curve: curveSchema }), z.strictObject({ reason: z.string() })]),
  /** LET, spectra and RBE-weighted dose; null if not scored. */
  quality: qualitySchema.nullable(),
});
export type DepthDose = Readonly<z.infer<typeof depthDoseSchema>>;

/** Moments of the proton fluence crossing each plane z = depth_mm[i]; columns of equal length. */
export const momentsSchema = z.strictObject({
  depth_mm: float64,
  protons: float64,
  mean_x_mm: float64,
  /** NaN if cells are too wide to resolve a width. */
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

/** Progress details of each workload. */
export const progressDetailSchema = z.discriminatedUnion('workload', propertyOfWorkloads('progress'));
export type ProgressDetail = Readonly<z.infer<typeof progressDetailSchema>>;
export type WorkloadProgress<W extends ProgressDetail['workload']> = Extract<ProgressDetail, { workload: W }>;

export const runProgressSchema = z.strictObject({
  run: runIdSchema,
  state: runStateSchema,
  elapsed_s: z.number(),
  /** Estimated seconds left; null before there is a rate. */
  eta_s: z.number().nullable(),
  detail: progressDetailSchema,
});
export type RunProgress = Readonly<z.infer<typeof runProgressSchema>>;

/** Share of the run completed, from the host's estimate of the total time; null before there is an estimate. */
export function shareDone({ elapsed_s, eta_s }: Pick<RunProgress, 'elapsed_s' | 'eta_s'>): number | null {
  return eta_s === null || !Number.isFinite(eta_s) || elapsed_s + eta_s <= 0 ? null : elapsed_s / (elapsed_s + eta_s);
}
