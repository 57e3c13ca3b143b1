/** Changes whenever a file does, or a file of a folder. Restored backups keep size and mtime; ctime is the system's. */
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const partsOf = ({ mtimeMs, ctimeMs, size, ino }: Stats): string => `${mtimeMs} ${ctimeMs} ${size} ${ino}`;

/** Null if there is no file. */
export async function stampOf(where: string): Promise<string | null> {
  const found = await stat(where).catch(() => null);
  if (found === null) return null;
  const own = partsOf(found);
  if (!found.isDirectory()) return own;
  const stamps: string[] = [];
  for (const name of (await readdir(where)).sort()) {
    const one = await stat(path.join(where, name)).catch(() => null);
    stamps.push(`${name} ${one === null ? '' : partsOf(one)}`);
  }
  return [own, ...stamps].join('\n');
}
