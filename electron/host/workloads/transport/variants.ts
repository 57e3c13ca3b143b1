/** Lists the variants of proton transport for the page, and determines which of them can run a scenario. */
import type { Variant } from '../../../contract/capabilities.ts';
import type { TransportScenario } from '../../../contract/scenario/index.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import type { ResolvedScenario } from '../../../contract/scenarios.ts';
import type { NativeAddon, TransportProblem } from '../../io/addon/addon.ts';
import { toPageVariant } from '../variant.ts';
import { isSet } from './scenario/index.ts';
import type { TransportReading } from './scenario/problem.ts';

export function transportVariants(addon: NativeAddon): readonly Variant[] {
  return addon.variants().map((variant) => toPageVariant(variant, variant.precisions));
}

/**
 * Reasons why variants cannot run a scenario, as far as the document determines them. The engine checks the memory.
 */
export function variantsFor(
  addon: NativeAddon,
  solver: TransportScenario['solver'],
  document: unknown,
): ResolvedScenario['variants'] {
  const { stepping, precision } = solver;
  return addon.variants().map(({ id, steppings, precisions, reason }) => {
    const refusal =
      reason !== null
        ? reason
        : isSet(document, 'stepping') && !steppings.includes(stepping)
          ? `It does not offer ${stepping} stepping.`
          : isSet(document, 'precision') && !precisions.includes(precision)
            ? `It does not offer ${precision}.`
            : null;
    return { id, refusal };
  });
}

/** Energies in MeV at which tests compare moments with depth stepping on fine grids. */
const CHECKED_MEV = { min: 30, max: 250, max_tilted: 150 } as const;
/**
 * Minimum radiation length of a material in g/cm²: that of copper, 12.86, rounded down. In heavier elements such as
 * lead, W80–20 differs by more than the tests allow.
 */
const MIN_RADIATION_LENGTH = 12.8;
/** Solver settings that do not apply to the moments method. */
const OF_THE_GRID = ['remap', 'max_steps', 'stop_weight'] as const;

/** Whether tests compare moments with depth stepping for such beams and materials. */
function isCoveredByTests({ beam, spots = [beam], map, materials, physics }: TransportProblem): boolean {
  return (
    physics.straggling === 'bohr' &&
    spots.every(({ energy_MeV, angle_rad }) => {
      const { min, max, max_tilted } = CHECKED_MEV;
      return energy_MeV >= min && energy_MeV <= (angle_rad === 0 ? max : max_tilted);
    }) &&
    [...new Set(map)].every((index) => (materials[index]?.x0_g_cm2 ?? 0) >= MIN_RADIATION_LENGTH)
  );
}

/**
 * Selects the variant for `auto` if no phase space is stored. This is `moments` if it can solve the problem and was
 * tested for it. Otherwise, or if the document requests path stepping or another setting of the grid, returns `reading`
 * unchanged.
 */
export async function readingForReadouts(addon: NativeAddon, reading: TransportReading): Promise<TransportReading> {
  const { scenario, draft, problem } = reading;
  if (scenario === null || problem === null || scenario.solver.variant !== 'auto') return reading;
  if (isSet(draft, 'stepping') && scenario.solver.stepping !== 'depth') return reading;
  if (OF_THE_GRID.some((key) => valueAt(draft, ['solver', key]) !== undefined)) return reading;
  const chosen = { stepping: 'depth', variant: 'moments' } as const;
  const byMoments = (): TransportProblem => {
    const { solver, ...rest } = problem();
    return { ...rest, solver: { ...solver, ...chosen }, keyframes: 0 };
  };
  const tried = byMoments();
  if (!isCoveredByTests(tried)) return reading;
  try {
    await addon.layTransport(tried);
  } catch {
    return reading;
  }
  return { ...reading, scenario: { ...scenario, solver: { ...scenario.solver, ...chosen } }, problem: byMoments };
}
