/** Saved benchmarks: reopened to the same report, even without a GPU. */
import type { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { readNamed } from '../../io/files/plain-file.ts';
import { schemaFault } from '../../io/text/schema-fault.ts';

/** Sessions of any workload. JSON lacks NaN and infinities; the schemas let none through. */
export function sessionText(session: { readonly format: string }): string {
  return `${JSON.stringify(session)}\n`;
}

/** Text of a saved session of any workload. Throws like `readNamed`. */
export const readKept = async (path: string): Promise<string> => (await readNamed(path, 'a session')).toString('utf8');

const isOneOf = (format: unknown, formats: readonly string[]): boolean => formats.some((one) => one === format);

/** JSON that calls itself one of `formats`, checked against its schema. `path` names the file in what is wrong with it. Throws BraggError 'foreign-file'. */
export function parseKept<T>(text: string, path: string, formats: readonly string[], schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BraggError('foreign-file', `${path} is not JSON: it is damaged or of another program.`);
  }
  if (value === null || typeof value !== 'object' || !('format' in value) || !isOneOf(value.format, formats)) {
    throw new BraggError('foreign-file', `${path} is not a benchmark of this program.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${issue.path.join('.')}: ${schemaFault(issue.message)}`;
  throw new BraggError('foreign-file', `${path} cannot be read as a benchmark${where}.`);
}
