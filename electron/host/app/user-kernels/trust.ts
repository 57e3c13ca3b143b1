/** User kernels that the user trusts, by content: a changed file has to be trusted again. */
import path from 'node:path';
import { z } from 'zod';
import type { Locks } from '../../io/files/locks.ts';
import { StateFile } from '../../io/files/state-file.ts';

const trustedSchema = z.strictObject({
  version: z.literal(1),
  trusted: z.array(z.strictObject({ sha256: z.string(), name: z.string(), when: z.string() })),
});
type Entry = z.infer<typeof trustedSchema>['trusted'][number];

/** Contents that are remembered; of those edited in the workbench there are many. */
const MOST = 1000;

export class Trust {
  readonly #file: StateFile<z.infer<typeof trustedSchema>>;
  #entries: readonly Entry[];

  private constructor(file: StateFile<z.infer<typeof trustedSchema>>, entries: readonly Entry[]) {
    this.#file = file;
    this.#entries = entries;
  }

  /** A file that cannot be read trusts nothing. */
  static async open(dataFolder: string, locks: Locks, onTrouble: (reason: string) => void): Promise<Trust> {
    const file = path.join(dataFolder, 'trusted-variants.json');
    const empty = { version: 1, trusted: [] as Entry[] } as const;
    const untrusting = (): void => onTrouble(`${file} could not be read: every user kernel is asked for again.`);
    const state = new StateFile({ file, schema: trustedSchema, empty, locks, onDamaged: untrusting });
    const { trusted } = await state.read().catch(() => {
      untrusting();
      return empty;
    });
    return new Trust(state, trusted);
  }

  has(sha256: string): boolean {
    return this.#entries.some((entry) => entry.sha256 === sha256);
  }

  async add(sha256: string, name: string): Promise<void> {
    if (this.has(sha256)) return;
    const added = { sha256, name, when: new Date().toISOString() };
    // At once: who has said that they trust it does not wait for the disk.
    this.#entries = [added, ...this.#entries].slice(0, MOST);
    // Entries that other programs added meanwhile are retained.
    await this.#file.change(({ version, trusted }) => ({
      version,
      trusted: [added, ...trusted.filter((entry) => entry.sha256 !== sha256)].slice(0, MOST),
    }));
  }
}
