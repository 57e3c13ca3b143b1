/** Amount of work in an image. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionPlan, DiffractionProblem } from '../../io/addon/diffraction.ts';
import type { Amount } from '../benchable.ts';
import { fastest, leastSeconds, type Work } from '../least-minutes.ts';
import { imageCandidates } from './candidates.ts';
import { REFERENCE } from './render.ts';

export function workOf(addon: NativeAddon, { variant, terms, threads }: DiffractionPlan): Work {
  const onGpu = addon.diffractionVariants().some(({ id, device }) => id === variant && device !== 'cpu');
  const rate = fastest.latticeTerms;
  return { variant, amount: terms, of: 'lattice factors', rate, threads: onGpu ? null : threads };
}

/** Lattice factors that a thread takes in a second, on an EPYC server with AVX-512: 128² pixels of a simple cubic lattice. */
const usualRates: Readonly<Record<string, number>> = {
  'diffraction-fp64': 1.2e8,
  'diffraction-in-loop': 9e6,
  'diffraction-unfused': 1.4e7,
  'diffraction-naive-fp32': 3.5e7,
  'diffraction-delta-fp32': 6.8e7,
  'diffraction-mixed': 7e7,
  'diffraction-chebyshev': 1e8,
  'diffraction-double-float': 2.9e7,
};

/** Null if `id` is the plain reference or cannot run. */
export async function amountFor(addon: NativeAddon, problem: DiffractionProblem, id: string): Promise<Amount | null> {
  if (id === REFERENCE) return null;
  try {
    const own = { ...problem, solver: { ...problem.solver, variant: id } };
    const { amount, of, threads } = workOf(addon, addon.createDiffraction(own).plan);
    const right = addon.diffractionVariants().some((one) => one.id === id && one.brightError < 1);
    return { amount, of, threads, usualRate: usualRates[id] ?? null, right };
  } catch {
    return null;
  }
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
