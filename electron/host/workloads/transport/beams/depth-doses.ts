/**
 * Depth doses in water of beams on one grid: what spread-out peaks are put together from, and measured ones held
 * against. Integrated across the beam, so that few columns do.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { Spot, TransportDocument } from '../../../../contract/scenario/index.ts';
import type { SpotDocument } from '../../../../contract/scenario/transport/spots.ts';
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import type { Reading } from '../scenario/reading.ts';

export interface DepthDoses {
  /** The beams, with their energies. */
  readonly spots: readonly Spot[];
  /** Cells in depth, from the surface on. */
  readonly step_mm: number;
  /** MeV per mm and proton, one curve for each beam. */
  readonly curves: readonly Float64Array[];
}

export interface WaterPhysics {
  readonly physics: NonNullable<TransportDocument['physics']>;
  readonly check: (document: unknown) => Promise<Reading>;
  readonly addon: Pick<NativeAddon, 'layTransport'>;
}

/** Columns wide enough that nothing leaves sideways; moments need none, products of reactions few. */
const ACROSS = { width_mm: 600, dx_mm: 100 } as const;
const ANGLES = { dtheta_mrad: 10, theta_max_mrad: 400 } as const;

/** The problem of these spots in water; their depth doses share its grid. */
export async function waterProblem(
  { physics, check }: WaterPhysics,
  spots: readonly SpotDocument[],
  depth_mm?: number,
): Promise<{ readonly problem: TransportProblem; readonly spots: readonly Spot[] }> {
  const reading = await check({
    kind: 'transport',
    version: 2,
    // Ranges of spots are those where the dose has fallen to 90 %.
    beam: { range_is: 'r90', spots },
    geometry: { width_mm: ACROSS.width_mm, ...(depth_mm === undefined ? {} : { depth_mm }) },
    grid: { dx_mm: ACROSS.dx_mm, ...ANGLES },
    physics,
    solver: { stepping: 'depth', precision: 'fp32' },
    output: { keyframes: 0 },
  });
  const errors = reading.issues.filter(({ severity }) => severity === 'error');
  if (reading.problem === null || errors.length > 0) {
    throw new BraggError('invalid', 'the depth doses of these beams cannot be solved', errors);
  }
  const problem = reading.problem();
  // Water is layered: a beam is then solved in milliseconds.
  const solver = { ...problem.solver, variant: 'moments' };
  return { problem: { ...problem, solver }, spots: reading.scenario?.beam.spots ?? [] };
}

/** Dose per depth of one run, MeV per mm. */
export async function depthDose(
  { addon }: Pick<WaterPhysics, 'addon'>,
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
    const { nx, nz, dz_mm } = problem.grid;
    const curve = new Float64Array(nz);
    for (let i = 0; i < nz * nx; i += 1) {
      const z = Math.floor(i / nx);
      curve[z] = (curve[z] ?? 0) + (dose[i] ?? 0) / dz_mm;
    }
    return curve;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The depth dose of every spot by itself, on the grid of all; per proton. */
export async function depthDoses(
  tools: WaterPhysics,
  wanted: readonly SpotDocument[],
  { depth_mm, signal, done }: { depth_mm?: number; signal: AbortSignal; done?: (share: number) => void },
): Promise<DepthDoses> {
  const { problem, spots } = await waterProblem(tools, wanted, depth_mm);
  const curves: Float64Array[] = [];
  for (const index of spots.keys()) {
    const alone = (problem.spots ?? []).map((spot, i) => ({ ...spot, weight: i === index ? 1 : 0 }));
    const curve = await depthDose(tools, { ...problem, spots: alone, beam: { ...problem.beam, weight: 1 } }, signal);
    curves.push(curve);
    done?.((index + 1) / spots.length);
  }
  return { spots, step_mm: problem.grid.dz_mm, curves };
}
