/**
 * Errors that cross a process boundary: a code for programs, a message for people and, for invalid input, every issue.
 */
import { z } from 'zod';

export const errorCodeSchema = z.enum([
  /** The message violates the contract: a bug in the program, not a user error. */
  'bad-request',
  /** User input was rejected; `issues` lists every error. */
  'invalid',
  'not-found',
  /** User code that the user has not marked as trusted. */
  'untrusted',
  /** An item with this name already exists and must not be replaced. */
  'exists',
  /** The estimate or an allocation exceeds the memory limit. */
  'memory',
  'unsupported',
  /** The accelerator failed or was lost. */
  'device',
  /** Reading or writing a file failed. */
  'io',
  'no-space',
  /** The file has another format, is truncated, or comes from a newer version. */
  'foreign-file',
  /** The reader of a lossless stream fell behind its byte limit, or a message exceeds the largest frame. */
  'overflow',
  /** The session ended before the response arrived. */
  'disconnected',
  'internal',
]);
export type ErrorCode = z.infer<typeof errorCodeSchema>;

export const issueSchema = z.strictObject({
  severity: z.enum(['error', 'warning']),
  /** File as shown to the user; null for an unsaved document. */
  file: z.string().nullable(),
  /** Path in the document, such as `beam.energy_MeV` or `geometry.regions[1].x_mm`; empty for the whole document. */
  path: z.string(),
  /** 1-based line in the source text, or null if there is no text. */
  line: z.number().int().positive().nullable(),
  column: z.number().int().positive().nullable(),
  message: z.string(),
  /** Offending value as shortened JSON; null if there is none (a missing key). */
  value: z.string().nullable(),
  /** Allowed values for display: `5 to 250 MeV`, `water, air, …`. */
  allowed: z.string().nullable(),
});
export type Issue = Readonly<z.infer<typeof issueSchema>>;

export const wireErrorSchema = z.strictObject({
  code: errorCodeSchema,
  message: z.string(),
  issues: z.array(issueSchema),
});
export type WireError = Readonly<z.infer<typeof wireErrorSchema>>;

/** The only error class that hosts throw on purpose and clients receive. */
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

/** Message of a thrown value, which may be no Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Converts any thrown value to a wire error; unexpected ones become `internal`. */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof BraggError) return thrown.toWire();
  return { code: 'internal', message: messageOf(thrown), issues: [] };
}
