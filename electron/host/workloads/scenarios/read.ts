/** What is known of any scenario after reading it. */
import type { Issue } from '../../../contract/errors.ts';
import type { Fault } from '../../../contract/scenario/index.ts';

export interface Read {
  /** The document as written, also with faults in it; null when the text is no object. */
  readonly draft: Readonly<Record<string, unknown>> | null;
  /** Errors and warnings, in the order of the text. */
  readonly issues: readonly Issue[];
  /** A fault found later, as an issue at its place in the text. */
  readonly locate: (fault: Fault) => Issue;
}

/** Not even its kind is known. */
export interface NoReading extends Read {
  readonly kind: null;
  readonly document: null;
  readonly scenario: null;
}
