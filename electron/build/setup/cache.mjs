import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { inRoot } from './root.mjs';

/** Cache folder of the user, which electron/host/model/bench/machine.ts uses too. */
function cacheFolder() {
  const { BRAGGBENCH_CACHE, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (BRAGGBENCH_CACHE) return BRAGGBENCH_CACHE;
  if (process.platform === 'win32') return path.join(LOCALAPPDATA ?? homedir(), 'Braggbench', 'Cache');
  if (process.platform === 'darwin') return path.join(homedir(), 'Library/Caches/braggbench');
  return path.join(XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'braggbench');
}

/** Largest number of cached entries: about four sets of fat binaries, for several branches and checkouts. */
const MAX_CACHED = 24;

/**
 * Creates files with `make`, or copies them from the cache if any checkout has created them from the same inputs.
 * @param {string} digest hash of all inputs
 * @param {readonly string[]} outputs paths from the checkout's root
 * @param {() => Promise<void>} make
 * @param {string} [folder] folder of the cache
 */
export async function makeOrCopyCached(digest, outputs, make, folder = path.join(cacheFolder(), 'compiled')) {
  const place = path.join(folder, digest);
  const pairs = outputs.map((file) => ({ file: inRoot(file), copy: path.join(place, path.basename(file)) }));
  if (pairs.every(({ copy }) => existsSync(copy))) {
    for (const { file, copy } of pairs) {
      mkdirSync(path.dirname(file), { recursive: true });
      copyFileSync(copy, file);
    }
    utimesSync(place, new Date(), new Date());
    return;
  }
  await make();
  try {
    mkdirSync(folder, { recursive: true });
    const fresh = mkdtempSync(path.join(folder, '.new-'));
    for (const { file, copy } of pairs) copyFileSync(file, path.join(fresh, path.basename(copy)));
    // Rename a complete copy, so that the entry is atomic if another process creates the same one.
    rmSync(place, { recursive: true, force: true });
    renameSync(fresh, place);
    evictOldEntries(folder);
  } catch {
    // Ignore a cache folder that is full or not writable: this build succeeds, and the next one compiles again.
  }
}

/** @param {string} folder cache, whose least recently used entries are deleted */
function evictOldEntries(folder) {
  const used = readdirSync(folder).map((name) => {
    const place = path.join(folder, name);
    return { place, at: statSync(place).mtimeMs };
  });
  used.sort((a, b) => b.at - a.at);
  for (const { place } of used.slice(MAX_CACHED)) rmSync(place, { recursive: true, force: true });
}
