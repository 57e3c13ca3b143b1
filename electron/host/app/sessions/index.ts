/** Session files: parsed, and completed with the factorial effects of their variants. */
import { SESSION_FORMAT, type Session, sessionSchema } from '../../../contract/bench/session.ts';
import type { FactorialDesign } from '../../model/bench/factorial/designs.ts';
import { factorialsIn } from '../../model/bench/factorial/effects.ts';
import { parseKept } from '../../model/bench/session-file.ts';

/** `path` names the file in error messages. Throws BraggError `foreign-file`. */
export function parseSession(text: string, path: string): Session {
  return parseKept(text, path, [SESSION_FORMAT], sessionSchema);
}

/** Spans are many times as large as the results. */
export function withoutRecordings(session: Session): Session {
  return { ...session, reports: session.reports.map(({ recordings: _, ...report }) => report) };
}

/** With the effects of optimisations alone and together, by the current designs. */
export function asSession(kept: Session, designs: readonly FactorialDesign[]): Session {
  return factorialsIn(withoutRecordings(kept), designs);
}
