/** "Did you mean", for a scenario file that is not there. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { suggest } from '../../../contract/scenario/index.ts';

const ending = /\.(json|ya?ml)$/;

/** By name without the ending, which all have. */
async function scenariosIn(folder: string, recursive: boolean): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(folder, { recursive }).catch(() => []);
  return new Map(
    found.filter((name) => ending.test(name)).map((name) => [path.basename(name).replace(ending, ''), name]),
  );
}

/** The most similar file name in the same folder, else a shipped scenario if only a name was given. */
export async function nearFile(file: string, assetsFolder: string): Promise<string | null> {
  const word = path.basename(file).replace(ending, '');
  const beside = await scenariosIn(path.dirname(file), false);
  const near = suggest(word, [...beside.keys()]);
  if (near !== null) return path.join(path.dirname(file), beside.get(near) ?? near);
  if (path.basename(file) !== file) return null;
  return suggest(word, [...(await scenariosIn(path.join(assetsFolder, 'scenarios'), true)).keys()]);
}
