/**
 * Records which files are open in windows, for all programs that share the data folder. Each page has one small file.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PRESENCE_INTERVAL_MS } from '../../../contract/recovery.ts';
import { makePrivateFolder } from '../../io/files/folders.ts';
import { identifyThisMachine, isProcessAlive } from '../../io/files/this-machine.ts';

/** Time without a report after which a page is considered closed. */
const GONE_MS = 3 * PRESENCE_INTERVAL_MS;
/** Age at which the record of a closed page is deleted by another page. */
const SWEEP_MS = 60 * 60_000;

/**
 * Whether a running program has the file open in a window. Process ids of another namespace cannot be checked and count
 * as running.
 */
function isOpen(line: string, mark: string): boolean {
  const [pid, marked, room] = line.split(' ');
  return marked === mark && (room !== identifyThisMachine().processNamespaceId || isProcessAlive(Number(pid)));
}

export class PresenceFile {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'open');
  }

  /**
   * Records the open file of a page, or removes the record if `file` is null. Returns the number of other windows that
   * have the file open.
   */
  async update(page: string, file: string | null): Promise<number> {
    const own = path.join(this.#folder, page);
    if (file === null) {
      await rm(own, { force: true });
      return 0;
    }
    // A hash identifies equal paths without exposing them.
    const mark = createHash('sha256').update(file).digest('hex');
    const line = `${process.pid} ${mark} ${identifyThisMachine().processNamespaceId}`;
    try {
      await makePrivateFolder(this.#folder);
      await writeFile(own, line);
    } catch {
      // If the disk is full, omit the warning, because saving will report the error.
      return 0;
    }
    let others = 0;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (name === page) continue;
      const other = path.join(this.#folder, name);
      // Use the absolute value, because files have future times after a clock was set back.
      const age = Math.abs(Date.now() - ((await stat(other).catch(() => null))?.mtimeMs ?? 0));
      if (age > SWEEP_MS) await rm(other, { force: true });
      else if (age < GONE_MS && isOpen(await readFile(other, 'utf8').catch(() => ''), mark)) others += 1;
    }
    return others;
  }
}
