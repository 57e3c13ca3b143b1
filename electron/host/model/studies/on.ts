/** Where a study was solved last, in its folder: a cluster's jobs may go on there. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readKeptJson } from '../../io/files/kept-json.ts';
import { writeBeside } from '../../io/files/write-file.ts';

const FILE = 'on.json';
const MOST_BYTES = 10_000;
const schema = z.strictObject({ cluster: z.string() });

/** Name of a cluster; null: this machine, or nobody knows. */
export async function readOn(folder: string): Promise<string | null> {
  return (await readKeptJson(path.join(folder, FILE), schema, MOST_BYTES).catch(() => null))?.cluster ?? null;
}

export async function writeOn(folder: string, cluster: string | null): Promise<void> {
  const file = path.join(folder, FILE);
  if (cluster === null) await rm(file, { force: true });
  else await writeBeside(file, `${JSON.stringify({ cluster })}\n`);
}
