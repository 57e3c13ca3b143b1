/** Scenario files that were opened or saved last, newest first; kept in the data folder. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { InOrder } from '../in-order.ts';
import { writeAtomically } from '../scenarios/index.ts';

const MOST = 12;
const fileSchema = z.object({ version: z.literal(1), paths: z.array(z.string()) });

export class RecentFiles {
  readonly #file: string;
  #paths: string[] | null = null;
  /** Writes follow one another, so that the last one is the newest. */
  readonly #writing = new InOrder();
  readonly #onTrouble: (reason: string) => void;

  constructor(dataFolder: string, onTrouble: (reason: string) => void) {
    this.#file = path.join(dataFolder, 'recent.json');
    this.#onTrouble = onTrouble;
  }

  async list(): Promise<readonly string[]> {
    if (this.#paths === null) {
      // No file yet, or one that something else has damaged: the list starts anew.
      const text = await readFile(this.#file, 'utf8').catch(() => '');
      let read: unknown = null;
      try {
        read = JSON.parse(text);
      } catch {
        read = null;
      }
      const parsed = fileSchema.safeParse(read);
      this.#paths ??= parsed.success ? parsed.data.paths.slice(0, MOST) : [];
    }
    return this.#paths;
  }

  async add(file: string): Promise<void> {
    const others = (await this.list()).filter((other) => other !== file);
    this.#keep([file, ...others].slice(0, MOST));
  }

  clear(): void {
    this.#keep([]);
  }

  /** Resolves when what was added is on disk. */
  settled(): Promise<void> {
    return this.#writing.settled();
  }

  #keep(paths: string[]): void {
    this.#paths = paths;
    void this.#writing.do(async () => {
      try {
        await mkdir(path.dirname(this.#file), { recursive: true });
        await writeAtomically(this.#file, `${JSON.stringify({ version: 1, paths }, null, 2)}\n`, 'replace');
      } catch (error) {
        this.#onTrouble(`The list of recent files was not kept: ${error instanceof Error ? error.message : error}`);
      }
    });
  }
}
