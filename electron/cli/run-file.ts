/** Operands that name a run file. */
import { BraggError } from '../contract/errors.ts';
import { runPacker } from '../host/app/run-files/packer.ts';
import { readPlain } from '../host/io/files/plain-file.ts';
import type { AnyRunData } from '../host/workloads/run-data.ts';

/** A run of any workload. Throws a BraggError that says what is wrong with the file. */
export async function anyRunFile(path: string): Promise<AnyRunData> {
  const bytes = await readPlain(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `There is no file ${path}.`);
    if (error.code === 'EISDIR') throw new BraggError('foreign-file', `${path} is a folder, not a run.`);
    throw error;
  });
  return runPacker.read(bytes, path);
}
