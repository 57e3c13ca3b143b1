/** Diffraction images as sessions take them. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionProblem } from '../../io/addon/diffraction.ts';
import { remembered } from '../../io/flow/remembered.ts';
import type { Arena, Oracle } from '../../model/bench/arena.ts';
import { sessionClaims } from '../../model/bench/claim-results.ts';
import { type Claim, speaksOf } from '../../model/bench/claims.ts';
import { coldStart } from '../../model/bench/cold/process.ts';
import { type Entrant, headOf } from '../../model/bench/contestant.ts';
import { imageCandidates } from './candidates.ts';
import { coldRunOf, ImageContestant } from './contestant.ts';
import { REFERENCE, render } from './render.ts';

interface ImageArenaOptions {
  /** Ids, or id:gpu. */
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** Other programs. */
  readonly rivals?: readonly Entrant[];
  readonly signal?: AbortSignal | undefined;
}

/** Throws a BraggError for variants that are not known, and for a problem that no variant takes. */
export function imageArena(addon: NativeAddon, problem: DiffractionProblem, options: ImageArenaOptions): Arena {
  const { claims = [], rivals = [], signal } = options;
  const all = imageCandidates(problem, options.variants, addon.diffractionVariants());
  const variant = REFERENCE;
  const { width, height, terms } = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant } }).plan;
  let known: Promise<Oracle> | null = null;
  return {
    bench: '',
    title: 'Diffraction image',
    entrants: [
      ...all.map((candidate) => ({
        head: headOf(candidate),
        enter: () => new ImageContestant(addon, candidate, signal),
        cold: coldStart(coldRunOf(candidate)),
      })),
      ...rivals,
    ],
    // An image's state is made for it: each is an instance of its own.
    roundsPerInstance: 1,
    oracle: () => {
      const { solver: _, ...asked } = problem;
      known ??= remembered(
        addon,
        asked,
        () => render(addon, problem, { variant, mode: 'warm' }, signal),
        ({ result }) => result.status === 'done',
      ).then(({ result }) => ({ values: result.image, told: 'the FP64 reference' }));
      return known;
    },
    facts: () => [['Image', `${width} × ${height} pixels, ${terms} lattice terms`]],
    claims: (report) =>
      sessionClaims(
        claims.filter((claim) => speaksOf(claim, { numbers: { pixels: width * height, terms }, words: {} })),
        report,
      ),
  };
}
