/**
 * Output files of verbs. They are checked before the work begins, written atomically at its end, and overwritten only
 * on request.
 */
import { BraggError } from '../contract/errors.ts';
import { checkWritable, writeAtomically } from '../host/api/scenarios.ts';
import { type FlagSpec, hasFlag, type ParsedArguments } from './arguments.ts';

export const forceFlag: FlagSpec = { name: 'force', help: 'Overwrite an existing file.' };

export const ifExists = (parsed: ParsedArguments): 'replace' | 'refuse' =>
  hasFlag(parsed, 'force') ? 'replace' : 'refuse';

/** For an error about an existing file, adds to the message how to proceed. Other errors are returned unchanged. */
export function withOverwriteAdvice(error: unknown): unknown {
  if (!(error instanceof BraggError) || error.code !== 'exists') return error;
  const { message, issues } = error;
  return new BraggError('exists', `${message}. Choose another name, or overwrite it with --force.`, issues, {
    cause: error,
  });
}

/** Throws if the file could not be written. Call it before the work begins. */
export async function checkOutput(parsed: ParsedArguments, file: string): Promise<void> {
  await checkWritable(file, ifExists(parsed)).catch((error: unknown) => {
    throw withOverwriteAdvice(error);
  });
}

/** Writes atomically. A file that was created after the check is not replaced. Throws BraggError. */
export async function writeOutput(parsed: ParsedArguments, file: string, data: string | Uint8Array): Promise<void> {
  await writeAtomically(file, data, ifExists(parsed)).catch((error: unknown) => {
    throw withOverwriteAdvice(error);
  });
}
