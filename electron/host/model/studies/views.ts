/** Views of a study, in its folder: they go wherever it goes. */
import path from 'node:path';
import { type StudyView, studyViewsSchema } from '../../../contract/study/views.ts';
import { readKeptJson } from '../../io/files/kept-json.ts';
import { writeBeside } from '../../io/files/write-file.ts';

const FILE = 'views.json';
/** A hundred views take a tenth of it. */
const MOST_BYTES = 2 ** 20;

/** None where there is no file. Throws BraggError `foreign-file` for one that is damaged. */
export async function readViews(folder: string): Promise<readonly StudyView[]> {
  return (await readKeptJson(path.join(folder, FILE), studyViewsSchema, MOST_BYTES)) ?? [];
}

export const viewsText = (views: readonly StudyView[]): string => `${JSON.stringify(views, null, 2)}\n`;

export async function writeViews(folder: string, views: readonly StudyView[]): Promise<void> {
  await writeBeside(path.join(folder, FILE), viewsText(views));
}
