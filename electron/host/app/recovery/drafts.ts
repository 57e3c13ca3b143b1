/** Unsaved edits of pages, one small file each. */
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type ScenarioDraft, scenarioDraftSchema } from '../../../contract/scenario/draft.ts';
import { writeAtomically } from '../../workloads/scenarios/index.ts';
import { DRAFT_NAME } from './kept.ts';

const keptSchema = z.object({
  version: z.literal(1),
  title: z.string(),
  /** Absolute path of its file; null: never saved. */
  path: z.string().nullable(),
  time: z.string(),
  draft: scenarioDraftSchema,
});
type KeptDraft = Readonly<z.infer<typeof keptSchema>>;

export const draftFile = (folder: string, page: string): string => path.join(folder, `draft-${page}.json`);

export async function keepDraft(
  folder: string,
  page: string,
  draft: { readonly title: string; readonly path: string | null; readonly draft: ScenarioDraft },
): Promise<void> {
  const kept = { version: 1, ...draft, time: new Date().toISOString() };
  await writeAtomically(draftFile(folder, page), `${JSON.stringify(kept)}\n`, 'replace');
}

/** Null when it is not there or cannot be read: half a draft is never written, so another program did that. */
export async function readDraft(file: string): Promise<KeptDraft | null> {
  try {
    return keptSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

export async function dropDraft(folder: string, page: string): Promise<void> {
  await rm(draftFile(folder, page), { force: true });
}

/** Paths of the drafts in a folder. */
export async function draftsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => DRAFT_NAME.test(name)).map((name) => path.join(folder, name));
}
