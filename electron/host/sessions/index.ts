/** Sessions of every workload: read from their files, each in its own format, and made into what comparisons take. */
import type { Variant } from '../../contract/capabilities.ts';
import { type KeptSession, keptFormats, keptSessionSchema } from '../../contract/kept-session.ts';
import type { Session } from '../../contract/session.ts';
import { ratioOf } from '../bench/comparison.ts';
import { parseKept } from '../bench/session-file.ts';
import { median } from '../bench/statistics.ts';
import { imageSession, type RatioOf } from '../workloads/diffraction/session.ts';
import { taskSession } from '../workloads/task/session.ts';
import { transportSession } from '../workloads/transport/session.ts';

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

/** `variants`: of the registry, for what older files do not say of theirs. The only place that tells formats apart. */
export function asSession(kept: KeptSession, variants: readonly Variant[]): Session {
  return made(kept, variants, ratioOf);
}

/** The same without the intervals that its file does not hold: enough for a list, and at once. */
export function outlineOf(kept: KeptSession, variants: readonly Variant[]): Session {
  return made(kept, variants, (times, references) => ({ value: median(times) / median(references), interval: null }));
}
