/** Reads a tuner's file on a worker thread: whole search spaces with all samples are tens of megabytes. */
import { BraggError } from '../../../../contract/errors.ts';
import { aside } from '../../../io/aside/task.ts';
import { parseBroken } from '../../../io/files/loose-json.ts';
import { isKernelTunerCache, readKernelTuner } from './kernel-tuner.ts';
import type { TuningResults } from './results.ts';
import { isT4, readT4 } from './t4.ts';

interface TunerFile {
  readonly text: string;
  /** For messages. */
  readonly name: string;
}

/** Throws BraggError `foreign-file`. */
export function parseTuning({ text, name }: TunerFile): TuningResults {
  let document: unknown = null;
  try {
    document = parseBroken(text, 2).value;
  } catch {
    // Text that is not JSON has neither format.
  }
  if (isKernelTunerCache(document)) return readKernelTuner(text, name);
  if (isT4(document)) return readT4(text, name);
  throw new BraggError(
    'foreign-file',
    `${name} is no file of a tuner that is known; allowed: the cache file of Kernel Tuner, and T4 results`,
  );
}

export const readTuning = aside('read a tuner’s file', parseTuning);
