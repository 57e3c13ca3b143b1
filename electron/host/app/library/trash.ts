/** The trash of a library: a folder inside it, where files lie under the time they went there and their own name. */
import { lstat, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { fileError } from '../../io/files/errors.ts';
import { checkKey } from '../../io/files/library.ts';
import { renameToFreeName } from '../../workloads/scenarios/index.ts';

const FOLDER = '.trash';
/** `2026-01-02T03-04-05.678Z~mine.json`: sorts by time, and is a file name everywhere. */
const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)~(.+)$/;

export interface Trashed {
  readonly id: string;
  readonly fileName: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly trashed: string;
}

/** Path of something in the trash below the library's folder, as labels name it. */
export function trashedKey(id: string): string {
  return `${FOLDER}/${id}`;
}

function parse(id: string): { readonly fileName: string; readonly trashed: string } | null {
  const [, date, hours, minutes, seconds, fileName] = NAME.exec(id) ?? [];
  return fileName === undefined ? null : { fileName, trashed: `${date}${hours}:${minutes}:${seconds}` };
}

/** Newest first. */
export async function listTrash(libraryFolder: string): Promise<readonly Trashed[]> {
  const folder = path.join(libraryFolder, FOLDER);
  const found: Trashed[] = [];
  for (const id of (await readdir(folder).catch(() => [])).sort().reverse()) {
    const parsed = parse(id);
    const stats = await lstat(path.join(folder, id)).catch(() => null);
    if (parsed !== null && stats?.isFile()) found.push({ id, ...parsed, bytes: stats.size });
  }
  return found;
}

/** Callbacks around a move. `before` gets the new name; if it throws, nothing is moved. */
interface Accompanied {
  readonly before: (wanted: string) => Promise<void>;
  readonly after: () => Promise<void>;
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/**
 * Moves a file of the library there; its id. Nothing in the trash is replaced, also where a clock that was set back
 * gives a time for the second time. Throws BraggError.
 */
export async function moveToTrash(
  libraryFolder: string,
  key: string,
  { before, after }: Accompanied,
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
        if (isTaken(error)) continue;
        throw error;
      }
      await after();
      return id;
    }
  } catch (error) {
    throw fileError(error, key);
  }
}

/** `mine.json`, or `mine 2.json` where that is taken. */
async function freeName(libraryFolder: string, taken: (key: string) => Promise<boolean>, key: string): Promise<string> {
  const extension = key.endsWith('.session.json') ? '.session.json' : path.extname(key);
  const stem = key.slice(0, key.length - extension.length);
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? key : `${stem} ${n}${extension}`;
    // Also what is no file of ours: a folder, a pipe, a link to nothing.
    const there = await lstat(path.join(libraryFolder, name)).catch(() => null);
    if (there === null && !(await taken(name))) return name;
  }
}

/** Puts a file back; the name that it has now. `taken`: names that the program's own files have. Throws BraggError. */
export async function restoreFromTrash(
  libraryFolder: string,
  id: string,
  taken: (key: string) => Promise<boolean>,
  { before, after }: Accompanied,
): Promise<string> {
  const parsed = parse(id);
  if (parsed === null || path.basename(id) !== id || id.includes('\\')) {
    throw new BraggError('not-found', 'There is nothing of this name in the trash.');
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
        if (isTaken(error)) continue;
        throw error;
      }
      await after();
      return name;
    }
  } catch (error) {
    throw fileError(error, parsed.fileName);
  }
}
