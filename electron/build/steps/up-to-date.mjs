import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, root } from '../setup/root.mjs';

/**
 * A build step with its inputs and outputs. It runs again if a setting, the content of an input or the set of inputs
 * has changed. It also runs if an output is missing. It compares contents instead of times, so that a fresh clone or a
 * switch between branches needs no rebuild.
 * @typedef {Readonly<{
 *   name: string,
 *   title: string,
 *   inputs: readonly string[],
 *   outputs: readonly string[],
 *   short?: boolean,
 *   settings?: Readonly<Record<string, string | number | boolean | null>>,
 *   run: (progress: (howFar: string) => void) => Promise<void>,
 * }>} Step
 * `inputs` are globs and `outputs` files, both from the checkout's root; `short`: needs seconds of one core.
 */

/**
 * Digest of the names and contents of files, and of settings.
 * @param {readonly string[]} inputs
 * @param {Step['settings']} settings
 */
export function digest(inputs, settings = {}) {
  const hash = createHash('sha256');
  const files = globSync([...inputs], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.update(JSON.stringify(settings)).digest('hex');
}

/** @param {string} name */
const stampFile = (name) => inRoot('dist/.stamps', name);

/** @param {Step} step */
export function isUpToDate(step) {
  if (!step.outputs.every((file) => existsSync(inRoot(file)))) return false;
  const file = stampFile(step.name);
  return existsSync(file) && readFileSync(file, 'utf8') === digest(step.inputs, step.settings);
}

/**
 * Saves the digest of the inputs from which the step's outputs were built.
 * @param {Step} step
 * @param {string} before digest that was taken before the step ran: a file edited meanwhile makes it stale
 */
export function saveStamp(step, before) {
  mkdirSync(inRoot('dist/.stamps'), { recursive: true });
  writeFileSync(stampFile(step.name), before);
}
