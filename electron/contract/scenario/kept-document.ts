/** A scenario as runs and sessions keep it: bounded, so that looking it through never takes long. */
import { z } from 'zod';

/** Ten thousand spots of eight values, and what is around them. */
const MOST_VALUES = 100_000;
/** As deep as a frame carries. */
const MOST_LEVELS = 32;

const allowed = `allowed: at most ${MOST_VALUES} values in ${MOST_LEVELS} levels`;

/** Reason why a document is too large; null if it is not. */
export function oversize(document: unknown): string | null {
  let level: unknown[] = [document];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length;
    if (depth > MOST_LEVELS) return `is nested too deeply; ${allowed}`;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const inner of Object.values(value)) next.push(inner);
      if (values + next.length > MOST_VALUES) return `holds too many values; ${allowed}`;
    }
    level = next;
  }
  return null;
}

export const keptDocumentSchema = z.record(z.string(), z.unknown()).superRefine((document, context) => {
  const message = oversize(document);
  if (message !== null) context.addIssue({ code: 'custom', message });
});
