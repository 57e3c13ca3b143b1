/** Operands that name a run file. */
import { runPacker } from '../host/app/run-files/packer.ts';
import { readNamed } from '../host/io/files/plain-file.ts';
import type { AnyRunData } from '../host/workloads/run-data.ts';

/** A run of any workload. Throws a BraggError that says what is wrong with the file. */
export async function anyRunFile(path: string): Promise<AnyRunData> {
  const bytes = await readNamed(path, 'a run');
  return runPacker.read(bytes, path);
}
