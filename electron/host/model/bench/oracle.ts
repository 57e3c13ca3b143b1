/** FP64 reference answer that every variant is checked against. */
import { messageOf } from '../../../contract/errors.ts';
import type { NativeAddon, TransportProblem, TransportVariant as Variant } from '../../io/addon/addon.ts';
import { remembered } from '../../io/flow/remembered.ts';
import { candidate } from './candidates.ts';
import { measure } from './measure.ts';

/**
 * Most cell-steps for the plain `reference` variant: about 10 s on one core. Larger problems use the leanest FP64
 * variant, which the parity tests check against `reference` on small scenarios.
 */
const mostReferenceCellSteps = 4e8;

interface Oracle {
  readonly variant: string;
  readonly precision: 'fp64';
  readonly stepping: 'path' | 'depth';
  readonly dose: Float64Array;
}

function cellSteps(addon: NativeAddon, problem: TransportProblem): number {
  const { ne, ntheta, nz, nx, steps_max } = addon.createTransport(problem).plan;
  const { depth_mm, step_mm } = { depth_mm: nz * problem.grid.dz_mm, step_mm: problem.solver.step_mm };
  const steps = Math.min(steps_max, Math.ceil(depth_mm / step_mm));
  // In depth stepping every plane is one step over the cells of one plane.
  return problem.solver.stepping === 'depth' ? ne * ntheta * nx * nz : ne * ntheta * nz * nx * steps;
}

/** Variants to try, best first: `reference`, then what stores least. */
function contenders(variants: readonly Variant[], stepping: 'path' | 'depth'): readonly Variant[] {
  const order = ['reference', stepping === 'depth' ? 'depth' : 'window', 'fused', 'gather', 'scatter'];
  return order.flatMap((id) =>
    variants.filter((v) => v.id === id && v.precisions.includes('fp64') && v.steppings.includes(stepping)),
  );
}

/** Name of the variant that solves a problem in FP64 here, first of all; null where none can. */
export function oracleNameOf(addon: NativeAddon, problem: TransportProblem): string | null {
  const inFp64: TransportProblem = { ...problem, solver: { ...problem.solver, precision: 'fp64' } };
  const found = contenders(addon.variants(), problem.solver.stepping).find((variant) => {
    const wanted = candidate(inFp64, variant).problem;
    return variant.id !== 'reference' || cellSteps(addon, wanted) <= mostReferenceCellSteps;
  });
  return found?.id ?? null;
}

interface Found {
  readonly oracle: Oracle | null;
  readonly reason: string | null;
}

/** Solves `problem` in FP64 on the CPU. Null, with the reason, where no FP64 variant can. */
export function oracleFor(addon: NativeAddon, problem: TransportProblem, signal?: AbortSignal): Promise<Found> {
  const { variant: _, precision: __, threads: ___, ...solver } = problem.solver;
  const make = (): Promise<Found> => solved(addon, problem, signal);
  return remembered(addon, { ...problem, solver, keyframes: 0 }, make, ({ oracle }) => oracle !== null);
}

async function solved(addon: NativeAddon, problem: TransportProblem, signal?: AbortSignal): Promise<Found> {
  const { stepping } = problem.solver;
  let reason = `no variant offers fp64 with ${stepping} stepping`;
  for (const variant of contenders(addon.variants(), stepping)) {
    const inFp64: TransportProblem = { ...problem, solver: { ...problem.solver, precision: 'fp64' } };
    const wanted = candidate(inFp64, variant).problem;
    try {
      if (variant.id === 'reference' && cellSteps(addon, wanted) > mostReferenceCellSteps) continue;
      const { result } = await measure(addon, wanted, signal);
      if (result.status !== 'done') return { oracle: null, reason: 'cancelled' };
      return { oracle: { variant: variant.id, precision: 'fp64', stepping, dose: result.dose }, reason: null };
    } catch (error) {
      reason = messageOf(error);
    }
  }
  return { oracle: null, reason };
}
