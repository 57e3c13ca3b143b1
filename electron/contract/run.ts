/**
 * Runs, for the page and the command line, and the progress of a run of any workload. Lengths are in mm, energies in
 * MeV, angles as their names state.
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

/** Point of a column of the summary, as `braggbench run --json` prints it. */
type DepthValuePair = readonly [depth_mm: number, value: number];

export type SummaryDocument = Omit<RunSummary, 'metrics'> & {
  readonly metrics: Omit<RunSummary['metrics'], 'sigma_x' | 'theta_rms'> & {
    readonly sigma_x_mm: readonly DepthValuePair[];
    readonly theta_rms_mrad: readonly DepthValuePair[];
  };
};

function toPairs(depths: Float64Array, values: Float64Array): readonly DepthValuePair[] {
  return Array.from(depths, (depth, i) => [depth, values[i] ?? Number.NaN] as const);
}

/** Converts columns of the summary to [depth, value] pairs, which are easier to read and to process in scripts. */
export function summaryDocument(summary: RunSummary): SummaryDocument {
  const { sigma_x, theta_rms, ...metrics } = summary.metrics;
  return {
    ...summary,
    metrics: {
      ...metrics,
      sigma_x_mm: toPairs(sigma_x.depth_mm, sigma_x.sigma_x_mm),
      theta_rms_mrad: toPairs(theta_rms.depth_mm, theta_rms.theta_rms_mrad),
    },
  };
}

export const runIdSchema = z.string().min(1).max(64);
export type RunId = z.infer<typeof runIdSchema>;

/**
 * Results of a `cancelled` run cover the steps up to then. A `failed` run has an error, and its completed part if the
 * device failed.
 */
const runStateSchema = z.enum(['queued', 'running', 'done', 'cancelled', 'failed']);
export type RunState = z.infer<typeof runStateSchema>;

export const precisionSchema = z.enum(['fp32', 'fp64']);
export type Precision = z.infer<typeof precisionSchema>;

export const runInfoSchema = z.strictObject({
  id: runIdSchema,
  workload: workloadSchema,
  /** Name of the scenario; without one, name of its file. */
  name: z.string(),
  state: runStateSchema,
  /** Position in the queue, 1 is next; null unless queued. */
  queuePosition: z.number().int().positive().nullable(),
  variant: z.string(),
  /** Precision of the arithmetic: fp32, fp64, or another one that the workload supports. */
  precision: z.string(),
  device: z.string(),
  /** Time of creation, ISO 8601. */
  created: z.string(),
  finished: z.string().nullable(),
  /** File that the run was saved to or opened from; null if there is none. */
  file: namedFileSchema.nullable(),
  /** Problem size for display: `1024 × 1024 pixels`. */
  size: z.string(),
  /** Main result of the run; null until it is available. */
  headline: headlineSchema.nullable(),
  /** Duration of the run, s; null until it ends, and if it ends without a result. */
  wall_s: z.number().nullable(),
  error: wireErrorSchema.nullable(),
  /**
   * Present on a run that contains the results of a Live session. It changes during the session, is not listed, and is
   * never saved automatically.
   */
  live: z.literal(true).optional(),
});
export type RunInfo = Readonly<z.infer<typeof runInfoSchema>>;

/**
 * Scalar results of a dose distribution. A value is null if this dose does not define it, for example without a
 * stopping peak.
 */
const metricsSchema = z.strictObject({
  ...summaryReadoutShape,
  /** Moments of the proton fluence at planes across the depth, as columns of equal length. */
  sigma_x: z.strictObject({ depth_mm: float64, sigma_x_mm: float64 }),
  theta_rms: z.strictObject({ depth_mm: float64, theta_rms_mrad: float64 }),
  energy_deposited_MeV: z.number(),
  mean_range_mm: z.number().nullable(),
});
export type Metrics = Readonly<z.infer<typeof metricsSchema>>;

/** Note on the results, with a code for programs and a sentence for readers. */
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
  /** Reason why the run failed; null if it did not. */
  error: z.string().nullable(),
  ...summaryScalarShape,
  metrics: metricsSchema,
  notes: z.array(runNoteSchema),
  ledger: z.strictObject({ number: numberBalanceSchema, energy: energyBalanceSchema }),
  /** Depth resolution: cell size in depth, or step length along the beam if that is larger. */
  resolution_mm: z.number(),
  /**
   * Range spread caused by the grid, as a standard deviation in mm. For a tilted beam, it includes the blur by the cell
   * size.
   */
  extra_straggling_mm: z.number(),
  /** Peak memory of the process, including that of other runs. */
  peak_rss_MB: z.number(),
  /** Memory that this run alone needs, bytes: its largest state, or its image and work arrays. */
  state_bytes: z.number(),
  /**
   * Time to transport products of nuclear reactions, not included in `solve_s`. Absent if products are not transported.
   */
  products_s: z.number().optional(),
  /** Dose on the beam axis, Gy per 10⁹ protons, or the reason why it cannot be computed. */
  gray: z.union([
    z.strictObject({ entrance_Gy: z.number(), highest_Gy: z.number(), at_mm: z.number() }),
    z.strictObject({ reason: z.string() }),
  ]),
  /** LET along the beam axis, keV/µm in water; absent if it was not scored. */
  let: letSummarySchema.optional(),
  /** RBE at the depths of the LET values. */
  rbe: rbeSummarySchema.optional(),
  grid: gridSizeSchema,
  isa: z.string(),
});
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/**
 * Treatment of nuclear reactions: `followed` if products are transported, `attenuation` if reactions only remove
 * protons.
 */
export function reactionTreatment({ ledger, products_s }: RunSummary): 'followed' | 'attenuation' | 'off' {
  if (products_s !== undefined) return 'followed';
  return (ledger.number.nuclear ?? 0) > 0 ? 'attenuation' : 'off';
}

/** Restricts a map to one cell of an axis that it does not show. Without a cut, the map is the sum over that axis. */
const cutSchema = z.strictObject({ axis: axisNameSchema, index: z.number().int().nonnegative() });
export type Cut = Readonly<z.infer<typeof cutSchema>>;

/** Map of another run that is subtracted from the requested one. */
const comparisonTargetSchema = z.strictObject({
  run: runIdSchema,
  /** Index of the keyframe, for maps of protons. Null selects the keyframe nearest in depth; dose has no keyframes. */
  keyframe: z.number().int().nonnegative().nullable(),
});
export type ComparisonTarget = Readonly<z.infer<typeof comparisonTargetSchema>>;

/** Requested map of dose, or of protons as a function of two of the four phase-space axes. */
export const mapRequestSchema = z.strictObject({
  /**
   * `dose-per-mass`: dose divided by the density of each cell. `letd` and `lett`: LET of all protons, for completed
   * runs that scored it. `density`: density of each cell.
   */
  quantity: z.enum(['dose', 'dose-per-mass', 'gray', 'protons', 'letd', 'lett', 'density']),
  /**
   * For `gray` (Gy per 10⁹ protons in three dimensions): distance of the map from the beam axis, perpendicular to the
   * map. 0 by default.
   */
  y_mm: z.number().min(-1000).max(1000).optional(),
  horizontal: axisNameSchema,
  vertical: axisNameSchema,
  viewport: viewportSchema,
  /**
   * Cuts along hidden axes, for maps of protons during a run and for the stream `run.cuts`. Other stored maps are sums
   * over the hidden axes.
   */
  cuts: z.array(cutSchema).max(2).optional(),
  /** Map to subtract cell by cell. Both runs must have ended and have the same grid. */
  against: comparisonTargetSchema.optional(),
});
export type MapRequest = Readonly<z.infer<typeof mapRequestSchema>>;

/** Maps of a run at one step. */
export const runMapsSchema = z.strictObject({
  run: runIdSchema,
  /** Increases whenever the run's state changes; maps with equal revisions are equal. */
  revision: z.number().int().nonnegative(),
  step: z.number().int().nonnegative(),
  depth_mm: z.number(),
  /** Maps in the order of the request. */
  maps: z.array(fieldMapSchema),
});
export type RunMaps = Readonly<z.infer<typeof runMapsSchema>>;

export const liveFrameSchema = z.strictObject({
  ...runMapsSchema.shape,
  /** Maps in the order of the request; null if a map is not computed yet. */
  maps: z.array(fieldMapSchema.nullable()),
  /** Dose up to this step, integrated across the beam axis; null if not requested. */
  depthDose: curveSchema.nullable(),
  /** The same dose divided by mass, along the beam axis. */
  depthDosePerMass: curveSchema.nullable(),
});
export type LiveFrame = Readonly<z.infer<typeof liveFrameSchema>>;

/** Maps of an ended run that were not saved. The host recomputes them, starting from a saved step. */
export const cutsFrameSchema = z.discriminatedUnion('state', [
  /** The computation waits until an earlier run has ended. */
  z.strictObject({ state: z.literal('waiting') }),
  z.strictObject({
    state: z.literal('computing'),
    step: z.number().int().nonnegative(),
    /** Total number of steps to recompute. */
    steps: z.number().int().nonnegative(),
  }),
  z.strictObject({ state: z.literal('done'), ...runMapsSchema.shape }),
]);
export type CutsFrame = Readonly<z.infer<typeof cutsFrameSchema>>;

export const depthDoseSchema = z.strictObject({
  curve: curveSchema,
  /** Energy per mass, from the density of each cell; null if the run was saved without densities. */
  perMass: curveSchema.nullable(),
  /** Beam axis in the z–x plane: entrance point in mm, and angle to the z axis. */
  entrance_mm: z.strictObject({ z: z.number(), x: z.number() }),
  angle_deg: z.number(),
  metrics: z.strictObject(liveReadoutShape),
  /** Dose on the beam axis, Gy per 10⁹ protons, or the reason why it cannot be computed. */
  gray: z.union([z.strictObject({ curve: curveSchema }), z.strictObject({ reason: z.string() })]),
  /** LET, energy spectra and RBE-weighted dose; null if they were not scored. */
  quality: qualitySchema.nullable(),
});
export type DepthDose = Readonly<z.infer<typeof depthDoseSchema>>;

/** Moments of the proton fluence through the planes z = depth_mm[i], as columns of equal length. */
export const momentsSchema = z.strictObject({
  depth_mm: float64,
  protons: float64,
  mean_x_mm: float64,
  /** Lateral standard deviation; NaN if the cells are too wide to resolve it. */
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

/** Progress data that are specific to a workload. */
export const progressDetailSchema = z.discriminatedUnion('workload', propertyOfWorkloads('progress'));
export type ProgressDetail = Readonly<z.infer<typeof progressDetailSchema>>;
export type WorkloadProgress<W extends ProgressDetail['workload']> = Extract<ProgressDetail, { workload: W }>;

export const runProgressSchema = z.strictObject({
  run: runIdSchema,
  state: runStateSchema,
  elapsed_s: z.number(),
  /** Estimated remaining time, s; null until it can be estimated. */
  eta_s: z.number().nullable(),
  detail: progressDetailSchema,
});
export type RunProgress = Readonly<z.infer<typeof runProgressSchema>>;

/** Fraction of the estimated total time that has elapsed, 0 to 1; null without an estimate. */
export function completedFraction({ elapsed_s, eta_s }: Pick<RunProgress, 'elapsed_s' | 'eta_s'>): number | null {
  return eta_s === null || !Number.isFinite(eta_s) || elapsed_s + eta_s <= 0 ? null : elapsed_s / (elapsed_s + eta_s);
}
