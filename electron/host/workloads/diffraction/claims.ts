/** Published claims beside what a bench of images gave. */
import type { TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { ImageBenchReport } from '../../../contract/bench/recorded/image.ts';
import type { ScenarioWithConstants } from '../../../contract/scenario/index.ts';
import { claimResults, type Measured, notMeasured } from '../../model/bench/claim-results.ts';
import { type Claim, type ClaimCatalogue, claimsOf, speaksOf, type Values } from '../../model/bench/claims.ts';

type Claimed = Pick<ImageBenchReport, 'entries' | 'width' | 'height' | 'terms' | 'seed' | 'judged'> & {
  readonly machine: { readonly gpu: { readonly name: string } | null };
};

/** What is of processes is not in these sessions. */
const none = { process: [], 'cold-whole': [], 'cold-run': [] };

/** Where sessions tell of instances, every image was drawn from a state prepared for it. */
export function measuredImages({ entries, seed, judged, machine }: Claimed): Measured {
  return {
    gpu: machine.gpu?.name ?? null,
    seed,
    timesFor: ({ variant, mode, clock }) => {
      const entry = entries.find((one) => (one.label ?? one.variant) === variant && one.mode === mode);
      if (entry === undefined) return notMeasured;
      const { first_s, samples_s, wall_samples_s, correct } = entry;
      const first = first_s === null ? [] : [first_s];
      const times = { ...none, counted: samples_s, whole: wall_samples_s, first }[clock];
      const instances = judged === undefined ? [times] : times.map((time) => [time]);
      return { times: times.length === 0 ? [] : instances, wrong: correct === false };
    },
    numberOf: () => null,
  };
}

/** The size of a scenario's image; null where it is of something else. */
export function imageValues(filled: ScenarioWithConstants): Values | null {
  if (filled.kind !== 'diffraction') return null;
  const { width, height } = filled.detector;
  return { numbers: { pixels: width * height }, words: {} };
}

/** Claims that speak about an image of this size. */
function imageClaims(claims: readonly Claim[], report: Claimed): TaskClaimResult[] {
  const { width, height, terms } = report;
  const about = { numbers: { pixels: width * height, terms }, words: {} };
  return claimResults(
    claims.filter((claim) => speaksOf(claim, about)),
    measuredImages(report),
  ).map((result) => ({ ...result, values: [] }));
}

/** The claims of today beside the samples of a report of any age. */
export const imageClaimsNow = (catalogue: ClaimCatalogue, report: ImageBenchReport): TaskClaimResult[] =>
  imageClaims(claimsOf(catalogue, { workload: 'diffraction', bench: '' }), report);
