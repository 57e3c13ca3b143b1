/** What changes whenever a file does, or one of those in a folder. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Null without one. */
export async function stampOf(where: string): Promise<string | null> {
  const found = await stat(where).catch(() => null);
  if (found === null) return null;
  const own = `${found.mtimeMs} ${found.size} ${found.ino}`;
  if (!found.isDirectory()) return own;
  const stamps: string[] = [];
  for (const name of (await readdir(where)).sort()) {
    const one = await stat(path.join(where, name)).catch(() => null);
    stamps.push(`${name} ${one?.mtimeMs} ${one?.size} ${one?.ino}`);
  }
  return [own, ...stamps].join('\n');
}
