/**
 * Tags and remarks of the user: one small file in the library's folder. They travel with the files, and the index can
 * be rebuilt without loss.
 */
import path from 'node:path';
import { z } from 'zod';
import { type Locks, OWN_FOLDER } from '../../io/files/locks.ts';
import { StateFile } from '../../io/files/state-file.ts';

const labelSchema = z.object({ tags: z.array(z.string()), remark: z.string() });
export type Label = Readonly<z.infer<typeof labelSchema>>;

const fileSchema = z.object({ version: z.literal(1), labels: z.record(z.string(), labelSchema) });

export type Labels = Readonly<Record<string, Label>>;

export function labelsFile(libraryFolder: string): string {
  return path.join(libraryFolder, OWN_FOLDER, 'labels.json');
}

/**
 * Labels of a library. A damaged file is renamed and reported, never overwritten, because it contains the user's input.
 */
export class LabelsFile {
  readonly #file: StateFile<z.infer<typeof fileSchema>>;

  constructor(libraryFolder: string, locks: Locks, onTrouble: (reason: string) => void) {
    this.#file = new StateFile({
      file: labelsFile(libraryFolder),
      schema: fileSchema,
      empty: { version: 1, labels: {} },
      locks,
      onDamaged: (aside) =>
        onTrouble(`The tags and remarks of the library could not be read. Their file was put aside as ${aside}.`),
    });
  }

  /** By path below the library's folder. Throws BraggError. */
  async read(): Promise<Labels> {
    return (await this.#file.read()).labels;
  }

  /** For whoever holds the library's lock; null takes a label out. Throws BraggError where it cannot be written. */
  async changeLocked(change: (labels: Labels) => Readonly<Record<string, Label | null>>): Promise<void> {
    await this.#file.changeLocked(({ version, labels }) => {
      const kept = Object.entries({ ...labels, ...change(labels) }).filter(
        (entry): entry is [string, Label] => entry[1] !== null && (entry[1].tags.length > 0 || entry[1].remark !== ''),
      );
      return { version, labels: Object.fromEntries(kept) };
    });
  }
}
