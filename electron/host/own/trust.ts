/** Which own variants the user has said that they trust: by their content, so that a changed file is asked for again. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { InOrder } from '../in-order.ts';
import { writeAtomically } from '../scenarios/index.ts';

const trustedSchema = z.strictObject({
  version: z.literal(1),
  trusted: z.array(z.strictObject({ sha256: z.string(), name: z.string(), when: z.string() })),
});
type Entry = z.infer<typeof trustedSchema>['trusted'][number];

/** Contents that are remembered; of those edited in the workbench there are many. */
const MOST = 1000;

export class Trust {
  readonly #file: string;
  /** Writes follow one another, so that the last one is the newest. */
  readonly #writing = new InOrder();
  #entries: readonly Entry[];

  private constructor(file: string, entries: readonly Entry[]) {
    this.#file = file;
    this.#entries = entries;
  }

  /** A file that cannot be read trusts nothing. */
  static async open(dataFolder: string, onTrouble: (reason: string) => void): Promise<Trust> {
    const file = path.join(dataFolder, 'trusted-variants.json');
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) return new Trust(file, []);
    try {
      return new Trust(file, trustedSchema.parse(JSON.parse(text)).trusted);
    } catch {
      onTrouble(`${file} could not be read: every own variant is asked for again.`);
      return new Trust(file, []);
    }
  }

  has(sha256: string): boolean {
    return this.#entries.some((entry) => entry.sha256 === sha256);
  }

  async add(sha256: string, name: string): Promise<void> {
    if (this.has(sha256)) return;
    this.#entries = [{ sha256, name, when: new Date().toISOString() }, ...this.#entries].slice(0, MOST);
    await this.#writing.do(async () => {
      await mkdir(path.dirname(this.#file), { recursive: true });
      const content = { version: 1, trusted: this.#entries };
      await writeAtomically(this.#file, `${JSON.stringify(content, null, 2)}\n`, 'replace');
    });
  }
}
