/**
 * The user's tags and remarks: one small file in the library's folder, so that
 * they go where the files go and the index can be made anew without loss.
 */
import { mkdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../scenarios/index.ts';

const labelSchema = z.object({ tags: z.array(z.string()), remark: z.string() });
export type Label = Readonly<z.infer<typeof labelSchema>>;

const fileSchema = z.object({ version: z.literal(1), labels: z.record(z.string(), labelSchema) });

export type Labels = Readonly<Record<string, Label>>;

export function labelsFile(libraryFolder: string): string {
  return path.join(libraryFolder, '.braggbench', 'labels.json');
}

/**
 * Labels by path below the library's folder. A file that is damaged is put
 * aside under another name, and told: what a person wrote is not overwritten.
 */
export async function readLabels(libraryFolder: string, onTrouble: (reason: string) => void): Promise<Labels> {
  const file = labelsFile(libraryFolder);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return {};
  try {
    return fileSchema.parse(JSON.parse(text)).labels;
  } catch {
    const aside = `${file}.damaged-${Date.now()}`;
    await rename(file, aside).catch(() => undefined);
    onTrouble(`The tags and remarks of the library could not be read. Their file was put aside as ${aside}.`);
    return {};
  }
}

async function write(libraryFolder: string, labels: Labels): Promise<void> {
  const file = labelsFile(libraryFolder);
  await mkdir(path.dirname(file), { recursive: true });
  await writeAtomically(file, `${JSON.stringify({ version: 1, labels }, null, 2)}\n`, 'replace');
}

/** Reads, changes and writes; null takes a label out. Throws BraggError where the file cannot be written. */
export async function changeLabels(
  libraryFolder: string,
  change: (labels: Labels) => Readonly<Record<string, Label | null>>,
  onTrouble: (reason: string) => void,
): Promise<void> {
  const labels = await readLabels(libraryFolder, onTrouble);
  const next = { ...labels, ...change(labels) };
  const kept = Object.entries(next).filter(
    (entry): entry is [string, Label] => entry[1] !== null && (entry[1].tags.length > 0 || entry[1].remark !== ''),
  );
  await write(libraryFolder, Object.fromEntries(kept));
}
