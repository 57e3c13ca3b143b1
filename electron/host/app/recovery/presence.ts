/** Which files are open in which windows, of all programs that share the data folder: one tiny file per page. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PRESENCE_MS } from '../../../contract/recovery.ts';
import { makePrivate } from '../../io/files/data-folder.ts';
import { isAlive, thisMachine } from '../../io/files/this-machine.ts';

/** A page without a sign of life for this long is gone. */
const GONE_MS = 3 * PRESENCE_MS;
/** Age at which another page deletes the file of a page that is gone. */
const SWEEP_MS = 60 * 60_000;

/**
 * Whether a window of a live program has the file open. Process ids of another namespace cannot be checked and count as
 * live.
 */
function isOpen(line: string, mark: string): boolean {
  const [pid, marked, room] = line.split(' ');
  return marked === mark && (room !== thisMachine().processRoomId || isAlive(Number(pid)));
}

export class Presence {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'open');
  }

  /** Records that a page has this file open (null: none). Returns the number of other windows that have it open. */
  async tell(page: string, file: string | null): Promise<number> {
    const own = path.join(this.#folder, page);
    if (file === null) {
      await rm(own, { force: true });
      return 0;
    }
    // A hash identifies equal paths without exposing them.
    const mark = createHash('sha256').update(file).digest('hex');
    const line = `${process.pid} ${mark} ${thisMachine().processRoomId}`;
    try {
      await makePrivate(this.#folder);
      await writeFile(own, line);
    } catch {
      // A full disk: the warning is a convenience, and saving will say what is wrong.
      return 0;
    }
    let others = 0;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (name === page) continue;
      const other = path.join(this.#folder, name);
      // Absolute, because a clock that was set back makes files from the future.
      const age = Math.abs(Date.now() - ((await stat(other).catch(() => null))?.mtimeMs ?? 0));
      if (age > SWEEP_MS) await rm(other, { force: true });
      else if (age < GONE_MS && isOpen(await readFile(other, 'utf8').catch(() => ''), mark)) others += 1;
    }
    return others;
  }
}
