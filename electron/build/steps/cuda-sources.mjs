import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../setup/root.mjs';

/** Include path of `#include "…"` after the folder of the including file. */
const FOLDER = 'kernels';

/**
 * A file and its transitive includes from this repository: its compilation depends on these and no others. Includes
 * inside `#if` count.
 * @param {string} source from the checkout's root
 * @returns {readonly string[]} from the root too, in order of name
 */
export function includedBy(source) {
  const found = new Set([path.posix.normalize(source)]);
  for (const file of found) {
    for (const [, name = ''] of readFileSync(inRoot(file), 'utf8').matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)) {
      const places = [path.posix.dirname(file), FOLDER].map((folder) => path.posix.join(folder, name));
      const place = places.find((each) => existsSync(inRoot(each)));
      if (place !== undefined) found.add(place);
    }
  }
  return [...found].sort();
}
