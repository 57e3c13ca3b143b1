/** Files that verbs write: looked at before the work, written whole at its end, and nothing replaced unasked. */
import { BraggError } from '../contract/errors.ts';
import { checkWritable, writeAtomically } from '../host/workloads/scenarios/index.ts';
import { type FlagSpec, hasFlag, type ParsedArguments } from './arguments.ts';

export const forceFlag: FlagSpec = { name: 'force', help: 'Replace a file that is there.' };

export const ifExists = (parsed: ParsedArguments): 'replace' | 'refuse' =>
  hasFlag(parsed, 'force') ? 'replace' : 'refuse';

/** The same error; of a file that is there it says what can be done. */
export function withWayOut(error: unknown): unknown {
  if (!(error instanceof BraggError) || error.code !== 'exists') return error;
  const { message, issues } = error;
  return new BraggError('exists', `${message}. Choose another name, or replace it with --force.`, issues, {
    cause: error,
  });
}

/** Throws before any work what writing would. */
export async function checkOutput(parsed: ParsedArguments, file: string): Promise<void> {
  await checkWritable(file, ifExists(parsed)).catch((error: unknown) => {
    throw withWayOut(error);
  });
}

/** Whole or not at all; a file that has appeared since it was looked at stays. Throws a BraggError. */
export async function writeOutput(parsed: ParsedArguments, file: string, data: string | Uint8Array): Promise<void> {
  await writeAtomically(file, data, ifExists(parsed)).catch((error: unknown) => {
    throw withWayOut(error);
  });
}
