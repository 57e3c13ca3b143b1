/** Published claims beside what a bench of images gave. */
import type { TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { ImageBenchEntry, ImageBenchReport } from '../../../contract/bench/image-bench.ts';
import {
  claimResults,
  notMeasured,
  readClaimsOf,
  speaksOf,
  type TaskClaim,
  type TimesOf,
} from '../../model/bench/claims.ts';

/** What the program's claims say of images; older session files hold the samples and no claims. */
export const readImageClaims = (assetsFolder: string): Promise<readonly TaskClaim[]> =>
  readClaimsOf(assetsFolder, { workload: 'diffraction', bench: '' });

type Claimed = Pick<ImageBenchReport, 'entries' | 'width' | 'height' | 'terms' | 'seed' | 'judged'>;

/** `apart`: every image was drawn from a state prepared for it. */
function timesIn(entries: readonly ImageBenchEntry[], apart: boolean): TimesOf {
  return ({ variant, mode, clock }) => {
    const entry = entries.find((one) => (one.label ?? one.variant) === variant && one.mode === mode);
    if (entry === undefined) return notMeasured;
    const { first_s, samples_s, wall_samples_s, correct } = entry;
    const first = first_s === null ? [] : [first_s];
    const times = { counted: samples_s, whole: wall_samples_s, first }[clock];
    const instances = apart ? times.map((time) => [time]) : [times];
    return { times: times.length === 0 ? [] : instances, wrong: correct === false };
  };
}

/** Claims that speak about an image of this size. */
export function imageClaims(
  claims: readonly TaskClaim[],
  { entries, width, height, terms, seed, judged }: Claimed,
): TaskClaimResult[] {
  const about = { numbers: { pixels: width * height, terms }, words: {} };
  return claims
    .filter((claim) => speaksOf(claim, about))
    .flatMap(({ where: _where, values: _values, ...claim }) =>
      claimResults([claim], timesIn(entries, judged !== undefined), seed).map((result) => ({ ...result, values: [] })),
    );
}
