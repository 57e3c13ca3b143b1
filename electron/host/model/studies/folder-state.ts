/**
 * Views of a study and the cluster on which it was last solved. Both are stored in the study's folder, so that they
 * move with it. Jobs may still be running on that cluster.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type StudyView, studyViewsSchema } from '../../../contract/study/calls.ts';
import { readStateJson } from '../../io/files/plain-file.ts';
import { writeReplacing } from '../../io/files/write-file.ts';

const VIEWS_FILE = 'views.json';
/** Size limit; a hundred views need a tenth of it. */
const VIEWS_MAX_BYTES = 2 ** 20;

/** Views of a study; empty without a file. Throws BraggError `foreign-file` for a damaged file. */
export async function readViews(folder: string): Promise<readonly StudyView[]> {
  return (await readStateJson(path.join(folder, VIEWS_FILE), studyViewsSchema, VIEWS_MAX_BYTES)) ?? [];
}

export const viewsText = (views: readonly StudyView[]): string => `${JSON.stringify(views, null, 2)}\n`;

export async function writeViews(folder: string, views: readonly StudyView[]): Promise<void> {
  await writeReplacing(path.join(folder, VIEWS_FILE), viewsText(views));
}

const FILE = 'on.json';
const MAX_BYTES = 10_000;
const schema = z.strictObject({
  cluster: z.string(),
  /** Name of the study on the cluster; absent until it was sent. */
  there: z.string().optional(),
});
export type StudyTarget = Readonly<z.infer<typeof schema>>;

/** Cluster of a study; null if it was solved on this machine, or if unknown. */
export async function readTarget(folder: string): Promise<StudyTarget | null> {
  return readStateJson(path.join(folder, FILE), schema, MAX_BYTES).catch(() => null);
}

export async function writeTarget(folder: string, on: StudyTarget | null): Promise<void> {
  const file = path.join(folder, FILE);
  if (on === null) await rm(file, { force: true });
  else await writeReplacing(file, `${JSON.stringify(on)}\n`);
}
