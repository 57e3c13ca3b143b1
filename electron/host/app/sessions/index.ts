/** Sessions of every workload: read from their files, each in its own format, and made into what comparisons take. */

import { IMAGE_SESSION_FORMAT } from '../../../contract/bench/image-bench.ts';
import { type KeptSession, keptFormats, keptSessionSchema } from '../../../contract/bench/kept-session.ts';
import type { Session } from '../../../contract/bench/session.ts';
import type { Variant } from '../../../contract/capabilities.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { TaskClaim } from '../../model/bench/claims.ts';
import { bootstrapRatioOf, ratioOf } from '../../model/bench/comparison.ts';
import { parseKept } from '../../model/bench/session-file.ts';
import { median } from '../../model/bench/statistics.ts';
import { imageClaims, readImageClaims } from '../../workloads/diffraction/claims.ts';
import { imageSession, type RatioOf } from '../../workloads/diffraction/session.ts';
import { allVariants } from '../../workloads/index.ts';
import { taskSession } from '../../workloads/task/session.ts';
import { transportSession } from '../../workloads/transport/session.ts';

/** `path` names the file in what is wrong with it. Throws BraggError `foreign-file`. */
export function parseKeptSession(text: string, path: string): KeptSession {
  return parseKept(text, path, keptFormats, keptSessionSchema);
}

function made(kept: KeptSession, variants: readonly Variant[], ratio: RatioOf): Session {
  switch (kept.format) {
    case 'braggbench-session':
      return transportSession(kept);
    case 'braggbench-image-session':
      return imageSession(kept, variants, ratio);
    case 'braggbench-task-session':
      return taskSession(kept);
  }
}

/** What files may leave unsaid of what they measured. */
export interface KnownNow {
  /** Variants of the registry, for what older files leave out. */
  readonly variants: readonly Variant[];
  /** About images, of which older files hold the samples and no claims. */
  readonly imageClaims: readonly TaskClaim[];
}

export async function readKnown(addon: NativeAddon, assetsFolder: string): Promise<KnownNow> {
  const imageClaims = await readImageClaims(assetsFolder);
  return { variants: allVariants(addon), imageClaims };
}

/** With the claims beside its samples, where its file holds none. */
export function withClaims(kept: KeptSession, { imageClaims: claims }: Pick<KnownNow, 'imageClaims'>): KeptSession {
  if (kept.format !== IMAGE_SESSION_FORMAT) return kept;
  const reports = kept.reports.map((report) =>
    report.claims === undefined ? { ...report, claims: imageClaims(claims, report) } : report,
  );
  return { ...kept, reports };
}

/** Images are drawn from states of their own; in sessions without `judged` rounds are what is drawn from. */
const imageRatio: RatioOf = (times, references, { judged, seed }) => {
  if (judged === undefined) return bootstrapRatioOf(times, references, seed);
  const apart = (all: readonly number[]) => all.map((time) => [time]);
  return ratioOf(apart(times), apart(references));
};

/** The only place that tells formats apart. */
export function asSession(kept: KeptSession, known: KnownNow): Session {
  return made(withClaims(kept, known), known.variants, imageRatio);
}

/** The same without the intervals and claims that its file does not hold: enough for a list, and at once. */
export function outlineOf(kept: KeptSession, variants: readonly Variant[]): Session {
  return made(kept, variants, (times, references) => ({ value: median(times) / median(references), interval: null }));
}
