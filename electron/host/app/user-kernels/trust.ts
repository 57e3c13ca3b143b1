/**
 * User kernels that the user trusts, identified by content. A changed file must be trusted again.
 *
 * Problem folders that agents may submit to are trusted by the content of their definition and reference.
 */
import path from 'node:path';
import { z } from 'zod';
import type { Locks } from '../../io/files/locks.ts';
import { StateFile } from '../../io/files/state-file.ts';
import { kernelHash, type UserKernel } from '../../model/user-kernels/file.ts';

const trustedSchema = z.strictObject({
  version: z.literal(1),
  trusted: z.array(z.strictObject({ sha256: z.string(), name: z.string(), when: z.string() })),
  folders: z.array(z.strictObject({ sha256: z.string(), folder: z.string(), when: z.string() })).default([]),
});
type TrustEntry = z.infer<typeof trustedSchema>['trusted'][number];

/** Maximum number of stored contents. Each edit in the workbench adds one. */
const MAX_TRUSTED = 1000;

/** Hash of the programs that run with every submission to a problem. Candidates and sizes are not part of it. */
export const problemHash = ({
  candidate,
  referenceProgram,
}: Pick<UserKernel, 'candidate' | 'referenceProgram'>): string =>
  kernelHash(
    referenceProgram?.text ?? '',
    JSON.stringify({ ...candidate?.definition, candidates: [], reference: referenceProgram?.name ?? null }),
  );

export class Trust {
  readonly #file: StateFile<z.infer<typeof trustedSchema>>;
  #entries: readonly TrustEntry[];

  private constructor(file: StateFile<z.infer<typeof trustedSchema>>, entries: readonly TrustEntry[]) {
    this.#file = file;
    this.#entries = entries;
  }

  /** Opens the file of trusted contents. If it cannot be read, nothing is trusted. */
  static async open(dataFolder: string, locks: Locks, onTrouble: (reason: string) => void): Promise<Trust> {
    const file = path.join(dataFolder, 'trusted-variants.json');
    const empty = { version: 1 as const, trusted: [] as TrustEntry[], folders: [] };
    const reportUnreadable = (): void =>
      onTrouble(`${file} could not be read: every user kernel needs your trust again.`);
    const state = new StateFile({ file, schema: trustedSchema, empty, locks, onDamaged: reportUnreadable });
    const { trusted } = await state.read().catch(() => {
      reportUnreadable();
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
    // Trust the content at once, before the file is written.
    this.#entries = [added, ...this.#entries].slice(0, MAX_TRUSTED);
    // Retain entries that other programs have added in the meantime.
    await this.#file.change(({ trusted, ...rest }) => ({
      ...rest,
      trusted: [added, ...trusted.filter((entry) => entry.sha256 !== sha256)].slice(0, MAX_TRUSTED),
    }));
  }

  /** Allows agents to submit to the problem in a folder while it has this hash. `folder`: its real path. */
  async addFolder(folder: string, sha256: string): Promise<void> {
    const added = { sha256, folder, when: new Date().toISOString() };
    await this.#file.change(({ folders, ...rest }) => ({
      ...rest,
      folders: [added, ...folders.filter((entry) => entry.folder !== folder)].slice(0, MAX_TRUSTED),
    }));
  }

  /**
   * Whether agents may submit to a folder. Reads the file again, because the workbench may grant trust while the
   * agents' server runs.
   */
  async hasFolder(folder: string, sha256: string): Promise<boolean> {
    const { folders } = await this.#file.read().catch(() => ({ folders: [] }));
    return folders.some((entry) => entry.folder === folder && entry.sha256 === sha256);
  }
}
