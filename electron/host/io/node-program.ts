/** Node as a program: Electron's cannot be started as Node once it is packaged. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { BraggError } from '../../contract/errors.ts';

/** Throws a BraggError `unsupported` where there is none. `what`: who needs it, in a sentence. */
export async function nodeProgram(what: string): Promise<string> {
  if (process.versions['electron'] === undefined) return process.execPath;
  await promisify(execFile)('node', ['--version']).catch(() => {
    throw new BraggError('unsupported', `${what} needs Node: none was found.`);
  });
  return 'node';
}
