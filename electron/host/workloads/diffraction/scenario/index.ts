/** The diffraction workload's side of scenario files: the list of reflections, defaults, checks, the problem. */
import type { Issue } from '../../../../contract/errors.ts';
import {
  type DiffractionScenario,
  type DiffractionWithConstants,
  type Fault,
  isWithin,
  type Path,
} from '../../../../contract/scenario/index.ts';
import type { DiffractionProblem } from '../../../io/addon/diffraction.ts';
import { checkDiffraction } from './check.ts';
import { reflectionsOf } from './reflections.ts';
import { resolveDiffraction } from './resolve.ts';

interface DiffractionServices {
  /** Ids of the workload's variants. */
  readonly variants: readonly string[];
  readonly memoryLimit_bytes: number;
}

interface DiffractionParts {
  readonly scenario: DiffractionScenario;
  /** Lines of the list of reflections that hold one; 0 without a list. */
  readonly reflections: number;
  readonly faults: readonly Fault[];
  /** Errors in files that the scenario names. */
  readonly issues: readonly Issue[];
  /** Only for a scenario without errors. */
  readonly problem: () => DiffractionProblem;
}

/** The middle of the detector, half a pixel off as the beam centre is counted. */
function completed(filled: DiffractionWithConstants): DiffractionScenario {
  const { detector } = filled;
  const { width, height, pixel_mm } = detector;
  const middle = (pixels: number): number => Number((((pixels + 1) * pixel_mm) / 2).toPrecision(12));
  const beam_x_mm = detector.beam_x_mm ?? middle(height);
  const beam_y_mm = detector.beam_y_mm ?? middle(width);
  return { ...filled, detector: { ...detector, beam_x_mm, beam_y_mm } };
}

/** Completes and checks what the schema has let through. */
export async function readDiffraction(
  filled: DiffractionWithConstants,
  leftOut: readonly Path[],
  place: { readonly name: string; readonly folder: string | null },
  services: DiffractionServices,
): Promise<DiffractionParts> {
  const scenario = completed(filled);
  const found = await reflectionsOf(filled, place);
  const list = found.value ?? new Float64Array(0);
  const reflections = list.length / 4;
  const { variants, memoryLimit_bytes } = services;
  // An invalid value has been replaced by its default, so issues and warnings about it would refer to a value that
  // nobody wrote.
  const checks = checkDiffraction(scenario, { variants, memoryLimit_bytes }).filter(
    ({ path, severity }) =>
      leftOut.length === 0 || (severity === 'error' && !leftOut.some((gone) => isWithin(path, gone))),
  );
  return {
    scenario,
    reflections,
    faults: [...found.faults, ...checks],
    issues: found.issues,
    problem: () => resolveDiffraction(scenario, list, memoryLimit_bytes),
  };
}
