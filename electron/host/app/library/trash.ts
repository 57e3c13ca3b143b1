/**
 * The trash of a library, which is a folder inside it. Its files are named after the time of deletion and the original
 * name.
 */
import { lstat, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { checkKey } from '../../io/files/library.ts';
import { toFileError } from '../../io/files/plain-file.ts';
import { renameToFreeName } from '../../workloads/scenarios/scenarios.ts';

const FOLDER = '.trash';
/** For example `2026-01-02T03-04-05.678Z~mine.json`: sorts by time, and is a valid file name on every system. */
const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)~(.+)$/;

export interface TrashEntry {
  readonly id: string;
  readonly fileName: string;
  readonly bytes: number;
  /** Time in ISO 8601. */
  readonly trashed: string;
}

/** Path of a file in the trash relative to the library's folder. Labels use it as key. */
export function trashedKey(id: string): string {
  return `${FOLDER}/${id}`;
}

function parseTrashId(id: string): { readonly fileName: string; readonly trashed: string } | null {
  const [, date, hours, minutes, seconds, fileName] = NAME.exec(id) ?? [];
  return fileName === undefined ? null : { fileName, trashed: `${date}${hours}:${minutes}:${seconds}` };
}

/** Lists the files in the trash, newest first. */
export async function listTrash(libraryFolder: string): Promise<readonly TrashEntry[]> {
  const folder = path.join(libraryFolder, FOLDER);
  const found: TrashEntry[] = [];
  for (const id of (await readdir(folder).catch(() => [])).sort().reverse()) {
    const parsed = parseTrashId(id);
    const stats = await lstat(path.join(folder, id)).catch(() => null);
    if (parsed !== null && stats?.isFile()) found.push({ id, ...parsed, bytes: stats.size });
  }
  return found;
}

/** Called before and after a move. `before` receives the new name; if it throws, nothing is moved. */
interface MoveCallbacks {
  readonly before: (wanted: string) => Promise<void>;
  readonly after: () => Promise<void>;
}

const isNameTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/**
 * Moves a file from the library to the trash and returns its id. Never replaces a file in the trash, even if a clock
 * was set back and a time repeats. Throws BraggError.
 */
export async function moveToTrash(
  libraryFolder: string,
  key: string,
  { before, after }: MoveCallbacks,
  now = new Date(),
): Promise<string> {
  try {
    await mkdir(path.join(libraryFolder, FOLDER), { recursive: true });
    for (let ms = now.getTime(); ; ms += 1) {
      const id = `${new Date(ms).toISOString().replaceAll(':', '-')}~${key}`;
      const place = path.join(libraryFolder, FOLDER, id);
      if ((await lstat(place).catch(() => null)) !== null) continue;
      await before(id);
      try {
        await renameToFreeName(path.join(libraryFolder, key), place);
      } catch (error) {
        if (isNameTaken(error)) continue;
        throw error;
      }
      await after();
      return id;
    }
  } catch (error) {
    throw toFileError(error, key);
  }
}

/** Finds a free name: `mine.json`, or `mine 2.json` if that name is in use. */
async function freeName(libraryFolder: string, taken: (key: string) => Promise<boolean>, key: string): Promise<string> {
  const extension = key.endsWith('.session.json') ? '.session.json' : path.extname(key);
  const stem = key.slice(0, key.length - extension.length);
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? key : `${stem} ${n}${extension}`;
    // Folders, pipes and broken links also make a name unavailable, so use lstat.
    const there = await lstat(path.join(libraryFolder, name)).catch(() => null);
    if (there === null && !(await taken(name))) return name;
  }
}

/** Restores a file and returns its new name. `taken`: whether a shipped file has this name. Throws BraggError. */
export async function restoreFromTrash(
  libraryFolder: string,
  id: string,
  taken: (key: string) => Promise<boolean>,
  { before, after }: MoveCallbacks,
): Promise<string> {
  const parsed = parseTrashId(id);
  if (parsed === null || path.basename(id) !== id || id.includes('\\')) {
    throw new BraggError('not-found', 'The trash has no file with this name.');
  }
  checkKey(parsed.fileName);
  try {
    for (;;) {
      const name = await freeName(libraryFolder, taken, parsed.fileName);
      await lstat(path.join(libraryFolder, FOLDER, id));
      await before(name);
      try {
        await renameToFreeName(path.join(libraryFolder, FOLDER, id), path.join(libraryFolder, name));
      } catch (error) {
        if (isNameTaken(error)) continue;
        throw error;
      }
      await after();
      return name;
    }
  } catch (error) {
    throw toFileError(error, parsed.fileName);
  }
}
