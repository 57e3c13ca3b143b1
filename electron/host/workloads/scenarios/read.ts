/** Result of reading a scenario of any kind. */
import type { Issue } from '../../../contract/errors.ts';
import type { FieldIssue } from '../../../contract/scenario/index.ts';

export interface ScenarioText {
  /** The document as written, including its errors; null if the text is not an object. */
  readonly draft: Readonly<Record<string, unknown>> | null;
  /** Errors and warnings, in the order of the text. */
  readonly issues: readonly Issue[];
  /** Converts an error found later into an issue at its position in the text. */
  readonly locate: (fault: FieldIssue) => Issue;
}

/** Result for a document whose kind is unknown. */
export interface NoReading extends ScenarioText {
  readonly kind: null;
  readonly document: null;
  readonly scenario: null;
}
