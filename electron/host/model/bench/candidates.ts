/** The variants to compare, each with the problem that it runs. */
import type { TransportProblem, TransportVariant as Variant } from '../../io/addon/addon.ts';
import { askedFor } from './label.ts';

export interface Candidate {
  /** As requested: `cuda-fused`, `cuda-fused@fp64`, `cuda-fused:1` on the second GPU. */
  readonly label: string;
  readonly variant: Variant;
  readonly problem: TransportProblem;
  /** Requested GPU; null if none was requested. */
  readonly gpu: number | null;
  /** Deviation from the scenario, because the variant offers nothing else; null if there is none. */
  readonly note: string | null;
}

/** The scenario's choice where the variant offers it, else the first thing it does offer. */
function offered<T>(wanted: T, choices: readonly T[]): T {
  return choices.includes(wanted) ? wanted : (choices[0] ?? wanted);
}

/** `problem` as `variant` can run it. Keyframes are left out: copying them is not what is timed. */
export function candidate(
  problem: TransportProblem,
  variant: Variant,
  label: string = variant.id,
  gpu: number | null = null,
): Candidate {
  const stepping = offered(problem.solver.stepping, variant.steppings);
  const precision = offered(problem.solver.precision, variant.precisions);
  const changed = [
    ...(stepping === problem.solver.stepping ? [] : [`${stepping} stepping`]),
    ...(precision === problem.solver.precision ? [] : [precision]),
  ];
  return {
    label,
    variant,
    gpu,
    problem: {
      ...problem,
      keyframes: 0,
      solver: {
        ...problem.solver,
        variant: variant.id,
        stepping,
        precision,
        ...(gpu === null ? {} : { device: String(gpu) }),
      },
    },
    note: changed.length === 0 ? null : changed.join(', '),
  };
}

/** Requested candidates in their order. Throws a BraggError for an unknown or duplicate name. */
export function candidates(
  problem: TransportProblem,
  ids: readonly string[],
  variants: readonly Variant[],
): readonly Candidate[] {
  return askedFor(ids, variants, ({ precisions }) => precisions).map(({ label, variant, precision, gpu }) => {
    const wanted = variant.precisions.find((one) => one === precision);
    const solver = wanted === undefined ? problem.solver : { ...problem.solver, precision: wanted };
    return candidate({ ...problem, solver }, variant, label, gpu);
  });
}
