/**
 * Errors that cross a process boundary: a code for programs, a message for people and, for invalid input, every issue.
 */
import { z } from 'zod';

export const errorCodeSchema = z.enum([
  /** The message violates the contract: a bug in the program, not an error of the user. */
  'bad-request',
  /** User input was rejected; `issues` lists every error. */
  'invalid',
  'not-found',
  /** Code of the user's that they have not said they trust. */
  'untrusted',
  /** Something of that name is there already and was not to be replaced. */
  'exists',
  /** The estimate or an allocation passed the memory limit. */
  'memory',
  'unsupported',
  /** The accelerator failed or is gone. */
  'device',
  /** Reading or writing a file failed. */
  'io',
  'no-space',
  /** A file that is not ours, is cut off, or comes from a newer version. */
  'foreign-file',
  /** A lossless stream's reader fell behind its byte bound, or a message is larger than a frame may be. */
  'overflow',
  /** The session ended before the answer came. */
  'disconnected',
  'internal',
]);
export type ErrorCode = z.infer<typeof errorCodeSchema>;

export const issueSchema = z.strictObject({
  severity: z.enum(['error', 'warning']),
  /** The file as shown to the user; null for a document that has none yet. */
  file: z.string().nullable(),
  /** Path in the document, such as `beam.energy_MeV` or `geometry.regions[1].x_mm`; empty for the whole document. */
  path: z.string(),
  /** 1-based line in the text it was read from, or null when there is no text. */
  line: z.number().int().positive().nullable(),
  column: z.number().int().positive().nullable(),
  message: z.string(),
  /** The offending value, shortened, as JSON; null when there is none (a missing key). */
  value: z.string().nullable(),
  /** Allowed values, for a reader: `5 to 250 MeV`, `water, air, …`. */
  allowed: z.string().nullable(),
});
export type Issue = Readonly<z.infer<typeof issueSchema>>;

export const wireErrorSchema = z.strictObject({
  code: errorCodeSchema,
  message: z.string(),
  issues: z.array(issueSchema),
});
export type WireError = Readonly<z.infer<typeof wireErrorSchema>>;

/** The one error class that hosts throw on purpose and clients receive. */
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

/** Message of a thrown value, whether an Error or not. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Any thrown value as a wire error; what was not thrown on purpose becomes `internal`. */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof BraggError) return thrown.toWire();
  return { code: 'internal', message: messageOf(thrown), issues: [] };
}
