/** Which files are open in which windows, of all programs that share the data folder: one tiny file per page. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PRESENCE_MS } from '../../../contract/recovery.ts';
import { makePrivate } from '../../io/files/data-folder.ts';
import { isAlive, thisMachine } from '../../io/files/this-machine.ts';

/** A page that has not told for this long is gone. */
const GONE_MS = 3 * PRESENCE_MS;
/** What a page that is long gone left is swept up by the next. */
const SWEEP_MS = 60 * 60_000;

/** In a window of a program that still runs, as far as can be told here: process ids of other rooms say nothing. */
function isOpen(line: string, mark: string): boolean {
  const [pid, marked, room] = line.split(' ');
  return marked === mark && (room !== thisMachine().processRoomId || isAlive(Number(pid)));
}

export class Presence {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'open');
  }

  /** Tells that a page has this file open (null: none); in how many other windows it is open too. */
  async tell(page: string, file: string | null): Promise<number> {
    const own = path.join(this.#folder, page);
    if (file === null) {
      await rm(own, { force: true });
      return 0;
    }
    // The path itself is nobody's business here: its hash tells equal ones.
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
