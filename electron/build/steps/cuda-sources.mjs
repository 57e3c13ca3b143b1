import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../setup/root.mjs';

/** Where `#include "…"` looks after the folder of the file that says it. */
const FOLDER = 'kernels';

/**
 * A file and what it includes of ours, however far down: with these, and no others, its compilation changes. What stands
 * behind an `#if` counts as included.
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
