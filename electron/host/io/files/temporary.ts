/** Files and folders that are being written, under a name of their own until they are whole; what a kill leaves of them is swept up. */
import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isAlive, thisMachine } from './this-machine.ts';

/** `.braggbench-ROOM-PID-RANDOM.tmp`; earlier versions wrote `.mine.json.RANDOM.tmp`. */
const OURS = /^\.braggbench-([0-9a-f]{10})-(\d+)-[0-9a-f]{12}\.tmp$/;
const EARLIER = /^\..+\.[0-9a-f]{12}\.tmp$/;
/** Age of an abandoned file, if its process cannot be checked: no write takes so long. */
const ABANDONED_MS = 24 * 60 * 60_000;

/** A new name in `folder`. */
export function temporaryIn(folder: string): string {
  return path.join(
    folder,
    `.braggbench-${thisMachine().processRoomId}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`,
  );
}

export const isTemporary = (name: string): boolean => OURS.test(name);

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const [, room, pid] = OURS.exec(name) ?? [];
  if (room === thisMachine().processRoomId) return !isAlive(Number(pid));
  if (room === undefined && !EARLIER.test(name)) return false;
  const found = await stat(path.join(folder, name)).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS;
}

/** Removes what writers that are gone have left in a folder. Says nothing of what cannot be removed. */
async function sweepTemporaries(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.tmp'));
  for (const name of names) {
    if (!(await isAbandoned(folder, name))) continue;
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

const swept = new Set<string>();

/** The same, once for a folder that this process writes into. */
export async function sweepOnce(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  await sweepTemporaries(folder);
}
