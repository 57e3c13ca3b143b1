/** Scenario files opened or saved last, newest first; stored in the data folder. */
import path from 'node:path';
import { z } from 'zod';
import { InOrder } from '../flow/in-order.ts';
import type { Locks } from './locks.ts';
import { StateFile } from './state-file.ts';

const MOST = 12;
const fileSchema = z.object({ version: z.literal(1), paths: z.array(z.string()) });

export class RecentFiles {
  readonly #file: StateFile<z.infer<typeof fileSchema>>;
  #paths: readonly string[] | null = null;
  /** Writes follow one another, so that the last one is the newest. */
  readonly #writing = new InOrder();
  readonly #onTrouble: (reason: string) => void;

  constructor(dataFolder: string, locks: Locks, onTrouble: (reason: string) => void) {
    this.#onTrouble = onTrouble;
    this.#file = new StateFile({
      file: path.join(dataFolder, 'recent.json'),
      schema: fileSchema,
      empty: { version: 1, paths: [] },
      locks,
      onDamaged: (aside) => onTrouble(`The list of recent files could not be read; it was put aside as ${aside}.`),
    });
  }

  async list(): Promise<readonly string[]> {
    if (this.#paths === null) {
      const { paths } = await this.#file.read().catch(() => ({ paths: [] }));
      this.#paths ??= paths.slice(0, MOST);
    }
    return this.#paths;
  }

  async add(file: string): Promise<void> {
    await this.list();
    this.#keep((paths) => [file, ...paths.filter((other) => other !== file)].slice(0, MOST));
  }

  clear(): void {
    this.#keep(() => []);
  }

  /** Resolves when what was added is on disk. */
  settled(): Promise<void> {
    return this.#writing.settled();
  }

  /** Here at once; in the file, to what other programs have put there. */
  #keep(change: (paths: readonly string[]) => string[]): void {
    this.#paths = change(this.#paths ?? []);
    void this.#writing.do(async () => {
      try {
        await this.#file.change((kept) => ({ ...kept, paths: change(kept.paths) }));
      } catch (error) {
        this.#onTrouble(`The list of recent files was not kept: ${error instanceof Error ? error.message : error}`);
      }
    });
  }
}
