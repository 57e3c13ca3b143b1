/** Reads a small JSON file of this program, checked against its schema. */
import type { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { fileError } from './errors.ts';
import { readPlainAtMost } from './plain-file.ts';

/**
 * Null if there is no file.
 * @param most_bytes a larger file counts as damaged
 * @throws BraggError `foreign-file` for one that is damaged: so that it is not written over
 */
export async function readKeptJson<T>(file: string, schema: z.ZodType<T>, most_bytes: number): Promise<T | null> {
  let text: string;
  try {
    text = (await readPlainAtMost(file, most_bytes))?.toString('utf8') ?? '';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw fileError(error, file);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new BraggError('foreign-file', `${file} is damaged, or of a newer version.`, [], { cause: error });
  }
}
