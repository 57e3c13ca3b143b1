/** The files of a user kernel, from its folder: whoever gets them decides anew whether they are trusted. */
import path from 'node:path';
import { parseConfigured, withoutSuffix } from '../../../contract/tuning/configured.ts';
import {
  isUserKernelFile,
  USER_KERNEL_TEXT_MOST,
  userKernelDescriptionSchema,
} from '../../../contract/user-kernels.ts';
import { readPlainAtMost } from '../../io/files/plain-file.ts';
import { descriptionFile } from '../../model/user-kernels/file.ts';
import { readClosure } from '../../model/user-kernels/includes.ts';

/** The code file that a variant's name means; null: it is a shipped one. */
export function kernelFileOf(variant: unknown): string | null {
  if (typeof variant !== 'string') return null;
  const id = parseConfigured(variant)?.variant ?? withoutSuffix(variant);
  return isUserKernelFile(id) ? id : null;
}

/** Names of the code, its description, what it includes from its folder, and its answer; none where it is not there. */
export async function kernelFiles(id: string, folder: string): Promise<readonly string[]> {
  const file = path.join(folder, id);
  const code = await textAt(file);
  if (code === null) return [];
  // One that includes what it may not is not compiled here either.
  const { included } = await readClosure(file, code).catch(() => ({ included: [] }));
  const description = descriptionFile(id);
  return [
    id,
    description,
    ...included.map(({ name }) => name),
    ...answerOf(await textAt(path.join(folder, description))),
  ];
}

const textAt = async (file: string): Promise<string | null> =>
  (await readPlainAtMost(file, USER_KERNEL_TEXT_MOST).catch(() => null))?.toString('utf8') ?? null;

function answerOf(description: string | null): readonly string[] {
  try {
    const { answer } = userKernelDescriptionSchema.parse(JSON.parse(description ?? ''));
    return answer === '' ? [] : [answer];
  } catch {
    return [];
  }
}
