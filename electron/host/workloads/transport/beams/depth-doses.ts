/**
 * Depth doses in water of beams on a common grid. They are components of spread-out Bragg peaks, and references for
 * measurements. The dose is integrated across the beam, so few columns suffice.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { Spot, TransportDocument } from '../../../../contract/scenario/index.ts';
import type { SpotDocument } from '../../../../contract/scenario/transport/beam.ts';
import { errorFromNative, type NativeAddon, type TransportProblem } from '../../../io/addon/addon.ts';
import type { Reading } from '../scenario/problem.ts';

export interface DepthDoses {
  /** The beams with their energies. */
  readonly spots: readonly Spot[];
  /** Size of a cell in depth in mm. The first cell starts at the surface. */
  readonly step_mm: number;
  /** Dose in MeV per mm and proton, one curve per beam. */
  readonly curves: readonly Float64Array[];
}

export interface WaterPhysics {
  readonly physics: NonNullable<TransportDocument['physics']>;
  readonly check: (document: unknown) => Promise<Reading>;
  readonly addon: Pick<NativeAddon, 'layTransport' | 'layBeams'>;
}

/** Columns so wide that no proton leaves sideways. The moments solver needs only one, reaction products a few. */
const LATERAL_GRID = { width_mm: 600, dx_mm: 100 } as const;
const ANGLES = { dtheta_mrad: 10, theta_max_mrad: 400 } as const;

/** Builds the problem of these spots in water. They share one grid. */
export async function waterProblem(
  { physics, check }: WaterPhysics,
  spots: readonly SpotDocument[],
  depth_mm?: number,
): Promise<{ readonly problem: TransportProblem; readonly spots: readonly Spot[] }> {
  const reading = await check({
    kind: 'transport',
    version: 2,
    // Ranges of spots are R90, the depth beyond the peak at which the dose has fallen to 90 %.
    beam: { range_is: 'r90', spots },
    geometry: { width_mm: LATERAL_GRID.width_mm, ...(depth_mm === undefined ? {} : { depth_mm }) },
    grid: { dx_mm: LATERAL_GRID.dx_mm, ...ANGLES },
    physics,
    solver: { stepping: 'depth', precision: 'fp32' },
    output: { keyframes: 0 },
  });
  const errors = reading.issues.filter(({ severity }) => severity === 'error');
  if (reading.problem === null || errors.length > 0) {
    throw new BraggError('invalid', 'the depth doses of these beams cannot be solved', errors);
  }
  const problem = reading.problem();
  // `moments` is the variant for layered matter. It solves a beam in milliseconds.
  const solver = { ...problem.solver, variant: 'moments' };
  return { problem: { ...problem, solver }, spots: reading.scenario?.beam.spots ?? [] };
}

/** Integrates the dose across the beam, in MeV per mm of depth. */
function integrateAcross(dose: ArrayLike<number>, { nx, nz, dz_mm }: TransportProblem['grid']): Float64Array {
  const curve = new Float64Array(nz);
  for (let z = 0; z < nz; z += 1) {
    let sum = 0;
    for (let x = 0; x < nx; x += 1) sum += dose[z * nx + x] ?? 0;
    curve[z] = sum / dz_mm;
  }
  return curve;
}

/** Solves one run and returns its depth dose in MeV per mm. */
export async function depthDose(
  { addon }: { readonly addon: Pick<NativeAddon, 'layTransport'> },
  problem: TransportProblem,
  signal: AbortSignal,
): Promise<Float64Array> {
  signal.throwIfAborted();
  const run = await addon.layTransport(problem);
  const cancel = (): void => run.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const { status, error, dose } = await run.start(() => undefined, { unwatched: true });
    signal.throwIfAborted();
    if (status !== 'done') throw new BraggError('device', error?.message ?? `a depth dose was ${status}`);
    return integrateAcross(dose, problem.grid);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Number of ranges whose energies are computed. Energies of other ranges are interpolated. */
const NODES = 4;

/**
 * Returns the energy (MeV) as a function of R90 (mm) between two ranges. It interpolates logarithms by a cubic through
 * four points, since the relation is then nearly straight. The error is below 1e-4. Each computed point needs
 * milliseconds.
 */
export async function energiesBetween(
  tools: WaterPhysics,
  [least_mm, most_mm]: readonly [number, number],
  energy_sigma_MeV = 0,
): Promise<(range_mm: number) => number> {
  const ranges = Array.from({ length: NODES }, (_, k) => least_mm * (most_mm / least_mm) ** (k / (NODES - 1)));
  const { spots } = await waterProblem(
    tools,
    ranges.map((range_mm) => ({ range_mm, energy_sigma_MeV })),
  );
  const at = ranges.map(Math.log);
  const logs = spots.map(({ energy_MeV }) => Math.log(energy_MeV));
  return (range_mm) => {
    const x = Math.log(range_mm);
    const parts = logs.map((value, k) =>
      at.reduce((part, other, j) => (j === k ? part : (part * (x - other)) / ((at[k] ?? 0) - other)), value),
    );
    return Math.exp(parts.reduce((sum, part) => sum + part, 0));
  };
}

/** Solves the depth dose of each spot per proton, on a common grid. All spots are solved in one batch. */
export async function depthDoses(
  tools: WaterPhysics,
  wanted: readonly SpotDocument[],
  { depth_mm, signal, done }: { depth_mm?: number; signal: AbortSignal; done?: (share: number) => void },
): Promise<DepthDoses> {
  const { problem, spots } = await waterProblem(tools, wanted, depth_mm);
  signal.throwIfAborted();
  const unitSpots = (problem.spots ?? []).map((spot) => ({ ...spot, weight: 1 }));
  const beams = await tools.addon.layBeams({ ...problem, spots: unitSpots, beam: { ...problem.beam, weight: 1 } });
  const cancel = (): void => beams.cancel();
  signal.addEventListener('abort', cancel);
  const curves: Float64Array[] = [];
  let ended = 0;
  let failure: BraggError | null = null;
  try {
    signal.throwIfAborted();
    await beams.start(({ beam, result: { error, dose } }) => {
      if (error !== null) failure ??= errorFromNative(error);
      curves[beam] = integrateAcross(dose, problem.grid);
      ended += 1;
      done?.(ended / spots.length);
    });
    signal.throwIfAborted();
    if (failure !== null) throw failure;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return { spots, step_mm: problem.grid.dz_mm, curves };
}
