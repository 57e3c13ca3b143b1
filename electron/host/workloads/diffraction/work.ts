/** How much there is to do of an image. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionPlan, DiffractionProblem } from '../../io/addon/diffraction.ts';
import { fastest, leastSeconds, type Work } from '../least-minutes.ts';
import { imageCandidates } from './candidates.ts';

export function workOf(addon: NativeAddon, { variant, terms, threads }: DiffractionPlan): Work {
  const onGpu = addon.diffractionVariants().some(({ id, device }) => id === variant && device !== 'cpu');
  const rate = fastest.latticeTerms;
  return { variant, amount: terms, of: 'lattice factors', rate, threads: onGpu ? null : threads };
}

/** Least seconds of one image by each variant, by all that can run where none is named; 0 for those that cannot. */
export function leastOfEach(addon: NativeAddon, problem: DiffractionProblem, labels: readonly string[] | null): number {
  const able = addon.diffractionVariants().filter(({ available }) => available);
  const chosen = imageCandidates(problem, labels ?? able.map(({ id }) => id), addon.diffractionVariants());
  return chosen.reduce((sum_s, each) => {
    try {
      return sum_s + leastSeconds(workOf(addon, addon.createDiffraction(each.problem).plan));
    } catch {
      return sum_s;
    }
  }, 0);
}
