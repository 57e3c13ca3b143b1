/** Views of a study, in its folder: they go wherever it goes. */
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { type StudyView, studyViewsSchema } from '../../../contract/study/views.ts';
import { fileError } from '../../io/files/errors.ts';
import { readPlainAtMost } from '../../io/files/plain-file.ts';
import { writeBeside } from '../../io/files/write-file.ts';

const FILE = 'views.json';
/** A hundred views take a tenth of it. */
const MOST_BYTES = 2 ** 20;

/** None where there is no file. Throws BraggError `foreign-file` for one that is damaged. */
export async function readViews(folder: string): Promise<readonly StudyView[]> {
  const file = path.join(folder, FILE);
  let text: string;
  try {
    text = (await readPlainAtMost(file, MOST_BYTES))?.toString('utf8') ?? '';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw fileError(error, file);
  }
  try {
    return studyViewsSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new BraggError('foreign-file', `${file} is damaged, or of a newer version.`, [], { cause: error });
  }
}

export async function writeViews(folder: string, views: readonly StudyView[]): Promise<void> {
  await writeBeside(path.join(folder, FILE), `${JSON.stringify(views, null, 2)}\n`);
}
