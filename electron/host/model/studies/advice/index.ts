/** What a study says, in sentences that stand on its points. */
import type { StudyAdvice } from '../../../../contract/study/calls.ts';
import type { PlanHead } from '../../../../contract/study/index.ts';
import { bestAdvice } from './best.ts';
import { claimAdvice, type StudyClaim } from './claims.ts';
import { contestsOf, type Solved } from './contests.ts';
import { convergenceAdvice } from './convergence.ts';

export type { StudyClaim } from './claims.ts';

export function adviceOf(
  head: PlanHead,
  rows: readonly Solved[],
  { claims, error_mm }: { readonly claims: readonly StudyClaim[]; readonly error_mm: number },
): readonly StudyAdvice[] {
  const places = contestsOf(head, rows) ?? [];
  return [
    ...(places.length === 0 ? [] : bestAdvice(places)),
    ...claimAdvice(places, claims),
    ...convergenceAdvice(head, rows, error_mm),
  ];
}
