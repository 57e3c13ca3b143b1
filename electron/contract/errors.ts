/**
 * Errors that cross a process boundary. Each has a code for programs, a message for people, and a list of issues if the
 * input is invalid.
 */
import { z } from 'zod';

export const errorCodeSchema = z.enum([
  /** The message violates the contract: a bug in the program, not a user error. */
  'bad-request',
  /** The user's input was rejected; `issues` has an entry for each problem. */
  'invalid',
  'not-found',
  /** The request would run user code that the user has not marked as trusted. */
  'untrusted',
  /** The name is already in use, and the existing item must not be replaced. */
  'exists',
  /** The estimated or allocated memory exceeds the limit. */
  'memory',
  'unsupported',
  /** The GPU reported an error or was lost. */
  'device',
  /** Reading or writing a file failed. */
  'io',
  'no-space',
  /** The file has a different format, is truncated, or was written by a newer version. */
  'foreign-file',
  /**
   * A reader of a lossless stream fell behind by more bytes than allowed, or a message is larger than a frame may be.
   */
  'overflow',
  /** The session ended before the response arrived. */
  'disconnected',
  'internal',
]);
export type ErrorCode = z.infer<typeof errorCodeSchema>;

export const issueSchema = z.strictObject({
  severity: z.enum(['error', 'warning']),
  /** File name or path as shown to the user; null for an unsaved document. */
  file: z.string().nullable(),
  /**
   * Field of the document, such as `beam.energy_MeV` or `geometry.regions[1].x_mm`. Empty if the issue concerns the
   * document as a whole.
   */
  path: z.string(),
  /** 1-based line in the source text, or null if there is no text. */
  line: z.number().int().positive().nullable(),
  column: z.number().int().positive().nullable(),
  message: z.string(),
  /** Offending value as JSON, shortened for display. Null without a value, as for a missing key. */
  value: z.string().nullable(),
  /** Allowed values as text: `5 to 250 MeV`; `water, air, …`. */
  allowed: z.string().nullable(),
});
export type Issue = Readonly<z.infer<typeof issueSchema>>;

export const wireErrorSchema = z.strictObject({
  code: errorCodeSchema,
  message: z.string(),
  issues: z.array(issueSchema),
});
export type WireError = Readonly<z.infer<typeof wireErrorSchema>>;

/** The only error class that hosts throw deliberately, and the class of errors that clients receive. */
export class BraggError extends Error {
  override readonly name = 'BraggError';

  readonly code: ErrorCode;
  readonly issues: readonly Issue[];

  constructor(code: ErrorCode, message: string, issues: readonly Issue[] = [], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.issues = issues;
  }

  toWire(): WireError {
    return { code: this.code, message: this.message, issues: [...this.issues] };
  }

  static fromWire(error: WireError): BraggError {
    return new BraggError(error.code, error.message, error.issues);
  }
}

/** Message of a thrown value, which need not be an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Converts a thrown value to the form that is sent. Errors of unexpected classes get the code `internal`. */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof BraggError) return thrown.toWire();
  return { code: 'internal', message: messageOf(thrown), issues: [] };
}
