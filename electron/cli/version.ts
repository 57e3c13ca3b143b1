/** The program's version, from its package file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { assetsFolder } from './assets-folder.ts';

const packageSchema = z.looseObject({ version: z.string() });

export async function programVersion(): Promise<string> {
  const text = await readFile(join(assetsFolder(), '..', 'package.json'), 'utf8');
  return packageSchema.parse(JSON.parse(text)).version;
}
