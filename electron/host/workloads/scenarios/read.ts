/** Result of reading a scenario of any kind. */
import type { Issue } from '../../../contract/errors.ts';
import type { FieldIssue } from '../../../contract/scenario/index.ts';

export interface ScenarioText {
  /** The document as the user wrote it, with its errors. Null if the text is not an object. */
  readonly draft: Readonly<Record<string, unknown>> | null;
  /** Errors and warnings, in the order of the text. */
  readonly issues: readonly Issue[];
  /** Converts an error that is found later to an issue at its position in the text. */
  readonly locate: (fault: FieldIssue) => Issue;
}

/** Result of reading a document of unknown kind. */
export interface UnknownKindReading extends ScenarioText {
  readonly kind: null;
  readonly document: null;
  readonly scenario: null;
}
