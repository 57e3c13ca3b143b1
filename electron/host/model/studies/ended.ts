/** What of a study has ended, by the names of its results' files, and when their folders changed. */
import { type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export type PointState = 'done' | 'failed';

const ENDED = /^([0-9a-f]{16})(\.failed)?\.json$/;

/** Clocks of file servers tick and differ by less. */
const SETTLED_MS = 10_000;

/**
 * The same for two looks at a folder that saw the same names. Null where it changed so short ago that another file may
 * come in the same tick of the file system's clock. A copy may bring the time of its origin along: `ctime` tells.
 */
function stampOf({ ino, mtimeMs, ctimeMs }: Stats): string | null {
  return Date.now() - Math.max(mtimeMs, ctimeMs) < SETTLED_MS ? null : `${ino} ${mtimeMs} ${ctimeMs}`;
}

const foldersIn = async (results: string): Promise<readonly string[]> => readdir(results).catch(() => []);

/** The same as long as no result has come or gone: of the folders alone. Null: that cannot be told yet. */
export async function resultsStamp(results: string): Promise<string | null> {
  const stamps: string[] = [];
  for (const name of await foldersIn(results)) {
    const stamp = stampOf(statSync(path.join(results, name)));
    if (stamp === null) return null;
    stamps.push(`${name} ${stamp}`);
  }
  return stamps.toSorted().join('\n');
}

async function endedIn(folder: string): Promise<ReadonlyMap<string, PointState>> {
  const ended = new Map<string, PointState>();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, id, failed] = ENDED.exec(name) ?? [];
    if (id === undefined) continue;
    // Solved later than it failed: both may stand for a moment.
    if (failed === undefined) ended.set(id, 'done');
    else if (!ended.has(id)) ended.set(id, 'failed');
  }
  return ended;
}

export async function endedBelow(results: string): Promise<ReadonlyMap<string, PointState>> {
  const ended = new Map<string, PointState>();
  for (const name of await foldersIn(results))
    for (const [id, state] of await endedIn(path.join(results, name))) ended.set(id, state);
  return ended;
}

interface Tally {
  readonly done: number;
  readonly failed: readonly string[];
}

/** By folder: those that have not changed are not listed again. A study has up to 256 of them. */
const tallied = new Map<string, { readonly stamp: string; readonly tally: Tally }>();
const MOST_TALLIED = 100 * 256;

async function tallyIn(folder: string): Promise<Tally> {
  // Before its names: what comes in between is found the next time.
  const looked = await stat(folder).catch(() => null);
  const stamp = looked === null ? null : stampOf(looked);
  const before = tallied.get(folder);
  tallied.delete(folder);
  if (before !== undefined && before.stamp === stamp) {
    tallied.set(folder, before);
    return before.tally;
  }
  const ended = [...(await endedIn(folder))];
  const failed = ended.flatMap(([id, state]) => (state === 'failed' ? [id] : []));
  const tally = { done: ended.length - failed.length, failed };
  if (stamp !== null) tallied.set(folder, { stamp, tally });
  if (tallied.size > MOST_TALLIED) tallied.delete(tallied.keys().next().value ?? '');
  return tally;
}

/** How many have ended, and which of them failed: a point's files lie in one folder. */
export async function tallyBelow(results: string): Promise<Tally> {
  let done = 0;
  const failed: string[] = [];
  for (const name of await foldersIn(results)) {
    const some = await tallyIn(path.join(results, name));
    done += some.done;
    for (const id of some.failed) failed.push(id);
  }
  return { done, failed };
}
