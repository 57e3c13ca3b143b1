/** Sessions of every workload: read from their files, each in its own format, and made into what comparisons take. */

import { type KeptSession, keptFormats, keptSessionSchema } from '../../../contract/bench/kept-session.ts';
import { IMAGE_SESSION_FORMAT } from '../../../contract/bench/recorded/image.ts';
import { TASK_SESSION_FORMAT, type TaskReport } from '../../../contract/bench/recorded/task.ts';
import { SESSION_FORMAT, type Session } from '../../../contract/bench/session.ts';
import type { Variant } from '../../../contract/capabilities.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { type Measured, measuredReport, measuredTransport } from '../../model/bench/claim-results.ts';
import { type Claim, type ClaimCatalogue, claimsOf, readCatalogue, spokenOf } from '../../model/bench/claims.ts';
import { bootstrapRatioOf, ratioOf } from '../../model/bench/comparison.ts';
import { type FactorialDesign, readDesigns } from '../../model/bench/factorial/designs.ts';
import { factorialsIn } from '../../model/bench/factorial/effects.ts';
import { parseKept } from '../../model/bench/session-file.ts';
import { median } from '../../model/bench/statistics.ts';
import { imageClaimsNow, measuredImages } from '../../workloads/diffraction/claims.ts';
import { imageSession, type RatioOf } from '../../workloads/diffraction/recorded-session.ts';
import { allVariants, claimedValues } from '../../workloads/index.ts';
import { measuredTasks, taskClaims } from '../../workloads/task/claims.ts';
import { taskSession } from '../../workloads/task/recorded-session.ts';
import { transportSession } from '../../workloads/transport/bench/recorded-session.ts';
import { transportClaims } from '../../workloads/transport/claims.ts';

/** `path` names the file in what is wrong with it. Throws BraggError `foreign-file`. */
export function parseKeptSession(text: string, path: string): KeptSession {
  return parseKept(text, path, keptFormats, keptSessionSchema);
}

/** For those who look at results only: spans are many times as much. */
export function withoutRecordings(session: Session): Session {
  return { ...session, reports: session.reports.map(({ recordings: _, ...report }) => report) };
}

function made(kept: KeptSession, variants: readonly Variant[], ratio: RatioOf): Session {
  switch (kept.format) {
    case SESSION_FORMAT:
      return kept.format_version === 2 ? withoutRecordings(kept) : transportSession(kept);
    case 'braggbench-image-session':
      return imageSession(kept, variants, ratio);
    case 'braggbench-task-session':
      return withoutRecordings(taskSession(kept));
  }
}

/** What files may leave unsaid of what they measured. */
export interface KnownNow {
  /** Variants of the registry, for what older files leave out. */
  readonly variants: readonly Variant[];
  /** The claims of today, which samples of any age are held against. */
  readonly claims: ClaimCatalogue;
  /** Which variants have which optimisations, as today. */
  readonly designs: readonly FactorialDesign[];
}

export async function readKnown(addon: NativeAddon, assetsFolder: string): Promise<KnownNow> {
  const [claims, designs] = await Promise.all([readCatalogue(assetsFolder), readDesigns(assetsFolder)]);
  return { variants: allVariants(addon), claims, designs };
}

/** Claims that speak of what a report of a small workload measured; without its scenario only those that speak of all. */
function spokenIn(claims: ClaimCatalogue, { workload, bench, document }: TaskReport): readonly Claim[] {
  const values = claimedValues(document) ?? { numbers: {}, words: {} };
  return spokenOf(claimsOf(claims, { workload, bench }), values);
}

/** With the claims of today beside its samples, whatever its file says of claims. */
function withClaims(kept: KeptSession, { claims }: Pick<KnownNow, 'claims'>): KeptSession {
  // Sessions of today's format keep the claims that they were held to.
  if (kept.format_version === 2) return kept;
  if (kept.format === IMAGE_SESSION_FORMAT) {
    return { ...kept, reports: kept.reports.map((report) => ({ ...report, claims: imageClaimsNow(claims, report) })) };
  }
  if (kept.format === TASK_SESSION_FORMAT) {
    const judged = (report: TaskReport) => taskClaims(spokenIn(claims, report), report);
    return { ...kept, reports: kept.reports.map((report) => ({ ...report, claims: judged(report) })) };
  }
  return { ...kept, reports: kept.reports.map((report) => ({ ...report, claims: transportClaims(claims, report) })) };
}

/** What each report of a session says to claims, for questions over several of them. */
export function measuredIn(kept: KeptSession): readonly Measured[] {
  switch (kept.format) {
    case SESSION_FORMAT:
      return kept.format_version === 2 ? kept.reports.map(measuredReport) : kept.reports.map(measuredTransport);
    case 'braggbench-image-session':
      return kept.reports.map(measuredImages);
    case 'braggbench-task-session':
      return kept.reports.map(measuredTasks);
  }
}

/** Images are drawn from states of their own; in sessions without `judged` rounds are what is drawn from. */
const imageRatio: RatioOf = (times, references, { judged, seed }) => {
  if (judged === undefined) return bootstrapRatioOf(times, references, seed);
  const apart = (all: readonly number[]) => all.map((time) => [time]);
  return ratioOf(apart(times), apart(references));
};

/** The only place that tells formats apart. */
export function asSession(kept: KeptSession, known: KnownNow): Session {
  return factorialsIn(made(withClaims(kept, known), known.variants, imageRatio), known.designs);
}

/** The same without the intervals and claims that its file does not hold: enough for a list, and at once. */
export function outlineOf(kept: KeptSession, variants: readonly Variant[]): Session {
  return made(kept, variants, (times, references) => ({ value: median(times) / median(references), interval: null }));
}
