/**
 * Two small files in the folder of a study, which move with it: the study's saved views, and the cluster on which it
 * was last solved. Jobs may still be running on that cluster.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type StudyView, studyViewsSchema } from '../../../contract/study/calls.ts';
import { readStateJson } from '../../io/files/plain-file.ts';
import { writeWithoutSync } from '../../io/files/write-file.ts';

const VIEWS_FILE = 'views.json';
/** Maximum size of the file with views. A hundred views need a tenth of it. */
const VIEWS_MAX_BYTES = 2 ** 20;

/** Saved views of a study; empty if there is no file. Throws BraggError `foreign-file` for a damaged file. */
export async function readViews(folder: string): Promise<readonly StudyView[]> {
  return (await readStateJson(path.join(folder, VIEWS_FILE), studyViewsSchema, VIEWS_MAX_BYTES)) ?? [];
}

export const viewsText = (views: readonly StudyView[]): string => `${JSON.stringify(views, null, 2)}\n`;

export async function writeViews(folder: string, views: readonly StudyView[]): Promise<void> {
  await writeWithoutSync(path.join(folder, VIEWS_FILE), viewsText(views));
}

const FILE = 'on.json';
const MAX_BYTES = 10_000;
const schema = z.strictObject({
  cluster: z.string(),
  /** Name of the study's copy on the cluster; absent until the study is sent. */
  there: z.string().optional(),
});
export type StudyTarget = Readonly<z.infer<typeof schema>>;

/** Cluster on which a study was last solved; null if it was solved on this machine, or if unknown. */
export async function readTarget(folder: string): Promise<StudyTarget | null> {
  return readStateJson(path.join(folder, FILE), schema, MAX_BYTES).catch(() => null);
}

export async function writeTarget(folder: string, on: StudyTarget | null): Promise<void> {
  const file = path.join(folder, FILE);
  if (on === null) await rm(file, { force: true });
  else await writeWithoutSync(file, `${JSON.stringify(on)}\n`);
}
