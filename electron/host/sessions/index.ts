/** Sessions of every workload: read from their files, each in its own format, and made into what comparisons take. */
import type { Variant } from '../../contract/capabilities.ts';
import { BraggError } from '../../contract/errors.ts';
import { type KeptSession, keptFormats, keptSessionSchema } from '../../contract/kept-session.ts';
import type { Session } from '../../contract/session.ts';
import { ratioOf } from '../bench/comparison.ts';
import { median } from '../bench/statistics.ts';
import { imageSession, type RatioOf } from '../workloads/diffraction/session.ts';
import { taskSession } from '../workloads/task/session.ts';
import { transportSession } from '../workloads/transport/session.ts';

const formatOf = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && 'format' in value ? value.format : null;

/** `path` names the file in what is wrong with it. Throws BraggError `foreign-file`. */
export function parseKeptSession(text: string, path: string): KeptSession {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BraggError('foreign-file', `${path} is not JSON: it is damaged or of another program.`);
  }
  if (!keptFormats.some((format) => format === formatOf(value))) {
    throw new BraggError('foreign-file', `${path} is not a benchmark of this program.`);
  }
  const parsed = keptSessionSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${issue.path.join('.')}: ${issue.message}`;
  throw new BraggError('foreign-file', `${path} cannot be read as a benchmark${where}.`);
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
