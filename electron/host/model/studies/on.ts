/** Cluster on which a study was last solved, stored in its folder: jobs may still be running there. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readKeptJson } from '../../io/files/kept-json.ts';
import { writeBeside } from '../../io/files/write-file.ts';

const FILE = 'on.json';
const MOST_BYTES = 10_000;
const schema = z.strictObject({
  cluster: z.string(),
  /** Name of the study on the cluster; absent until it was sent. */
  there: z.string().optional(),
});
export type On = Readonly<z.infer<typeof schema>>;

/** Null if the study was solved on this machine, or if unknown. */
export async function readOn(folder: string): Promise<On | null> {
  return readKeptJson(path.join(folder, FILE), schema, MOST_BYTES).catch(() => null);
}

export async function writeOn(folder: string, on: On | null): Promise<void> {
  const file = path.join(folder, FILE);
  if (on === null) await rm(file, { force: true });
  else await writeBeside(file, `${JSON.stringify(on)}\n`);
}
