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

/** Cache folder of this user, the same as in electron/host/model/bench/ceilings.ts. */
function cacheFolder() {
  const { BRAGGBENCH_CACHE, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (BRAGGBENCH_CACHE) return BRAGGBENCH_CACHE;
  if (process.platform === 'win32') return path.join(LOCALAPPDATA ?? homedir(), 'Braggbench', 'Cache');
  if (process.platform === 'darwin') return path.join(homedir(), 'Library/Caches/braggbench');
  return path.join(XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'braggbench');
}

/** Some four sets of fat binaries: a branch, what it left, and their neighbours. */
const MOST = 24;

/**
 * Makes files, or copies those cached for the same inputs, in this checkout or in another.
 * @param {string} digest of all inputs
 * @param {readonly string[]} outputs from the checkout's root
 * @param {() => Promise<void>} make
 * @param {string} [folder] of the cache
 */
export async function kept(digest, outputs, make, folder = path.join(cacheFolder(), 'compiled')) {
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
    // Atomic, also if another process makes the same files at the same time.
    rmSync(place, { recursive: true, force: true });
    renameSync(fresh, place);
    forget(folder);
  } catch {
    // A full or closed folder costs the next build its time, and this one nothing.
  }
}

/** @param {string} folder of which what was used longest ago goes */
function forget(folder) {
  const used = readdirSync(folder).map((name) => {
    const place = path.join(folder, name);
    return { place, at: statSync(place).mtimeMs };
  });
  used.sort((a, b) => b.at - a.at);
  for (const { place } of used.slice(MOST)) rmSync(place, { recursive: true, force: true });
}
