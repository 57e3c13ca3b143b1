/** The variants of a bench of images, each with the problem that it draws. */
import type { DiffractionProblem, DiffractionVariant } from '../../io/addon/diffraction.ts';
import { type Asked, askedFor } from '../../model/bench/label.ts';

export interface ImageCandidate extends Asked<DiffractionVariant> {
  readonly problem: DiffractionProblem;
}

/** Throws a BraggError for an unknown or repeated variant. */
export function imageCandidates(
  problem: DiffractionProblem,
  labels: readonly string[],
  all: readonly DiffractionVariant[],
): readonly ImageCandidate[] {
  return askedFor(labels, all).map((asked) => {
    const { variant, gpu } = asked;
    const solver = { ...problem.solver, variant: variant.id, ...(gpu === null ? {} : { device: String(gpu) }) };
    return { ...asked, problem: { ...problem, solver } };
  });
}
