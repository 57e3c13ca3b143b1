/**
 * A small JSON file of the program that several programs change: each change applies to the present content.
 *
 * Settings of the host, stored in the data folder. Unreadable ones are reset and reported.
 *
 * Recently opened or saved scenario files, newest first; stored in the data folder.
 */
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { clustersSchema } from '../../../contract/study/clusters.ts';
import { jsonText, runInSlices } from '../flow/cooperative.ts';
import { SerialQueue } from '../flow/queues.ts';
import { makePrivate } from './folders.ts';
import type { Locks } from './locks.ts';
import { fileError, readPlainAtMost } from './plain-file.ts';
import { writeAtomically } from './write-file.ts';

/** Enough for tags and remarks of some ten thousand files, which can be searched in milliseconds. */
const MAX_BYTES = 4 * 2 ** 20;

interface StateFileOptions<T> {
  readonly file: string;
  /** Schema of the complete file. */
  readonly schema: z.ZodType<T>;
  /** Value used if there is no file. */
  readonly empty: T;
  readonly locks: Locks;
  /** Called if a file cannot be read. The file was renamed, because a person may have written it. */
  readonly onDamaged: (aside: string) => void;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

export class StateFile<T> {
  readonly #options: StateFileOptions<T>;

  constructor(options: StateFileOptions<T>) {
    this.#options = options;
  }

  /** Throws BraggError if the file exists but cannot be opened, which is not the same as a missing file. */
  async read(): Promise<T> {
    const { file, schema, empty, onDamaged } = this.#options;
    let bytes: Buffer | null;
    try {
      bytes = await readPlainAtMost(file, MAX_BYTES);
    } catch (error) {
      if (isMissing(error)) return empty;
      throw fileError(error, file);
    }
    if (bytes === null) throw tooLarge(file);
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8'));
      // Parsing and validating megabytes each need some milliseconds.
      await nextTurn();
      return schema.parse(value);
    } catch {
      const aside = `${file}.damaged-${Date.now()}`;
      await rename(file, aside).catch(() => undefined);
      onDamaged(aside);
      return empty;
    }
  }

  /** Reads, changes and writes while no other program does. Returns the new content. Throws BraggError. */
  async change(change: (now: T) => T): Promise<T> {
    const { file, locks } = this.#options;
    try {
      await makePrivate(path.dirname(file));
    } catch (error) {
      throw fileError(error, file);
    }
    return locks.holding(file, () => this.changeLocked(change));
  }

  /**
   * Like `change`, but the caller must hold the lock. Writes nothing if the content does not change, so it also works
   * on a full disk.
   */
  async changeLocked(change: (now: T) => T): Promise<T> {
    const now = await this.read();
    const next = change(now);
    if ((await runInSlices(jsonText(next))) === (await runInSlices(jsonText(now)))) return now;
    const { file } = this.#options;
    const text = `${JSON.stringify(next, null, 2)}\n`;
    if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge(file);
    await makePrivate(path.dirname(file));
    await writeAtomically(file, text, 'replace');
    return next;
  }
}

function tooLarge(file: string): BraggError {
  return new BraggError(
    'io',
    `${file} would become too large; allowed: ${MAX_BYTES / 2 ** 20} MiB. It was not changed.`,
  );
}

const settingsSchema = z.strictObject({
  /** Absolute path. Null for `library` in the data folder. */
  libraryFolder: z.string().nullable().default(null),
  clusters: clustersSchema.default([]),
});
type SettingsValues = Readonly<z.infer<typeof settingsSchema>>;

type Change = Partial<SettingsValues>;

const fileSchema = z.object({ version: z.literal(1), settings: settingsSchema });

export class HostSettings {
  readonly #file: StateFile<z.infer<typeof fileSchema>>;
  #values: SettingsValues;

  private constructor(file: StateFile<z.infer<typeof fileSchema>>, values: SettingsValues) {
    this.#file = file;
    this.#values = values;
  }

  static async open(dataFolder: string, locks: Locks, onTrouble: (reason: string) => void): Promise<HostSettings> {
    const file = path.join(dataFolder, 'settings.json');
    const empty = { version: 1, settings: settingsSchema.parse({}) } as const;
    const onDamaged = (aside: string): void =>
      onTrouble(`The settings in ${file} could not be read and were reset. They were moved to ${aside}.`);
    const state = new StateFile({ file, schema: fileSchema, empty, locks, onDamaged });
    const { settings } = await state.read().catch((error: unknown) => {
      onTrouble(`The settings were not read: ${error instanceof Error ? error.message : error}`);
      return empty;
    });
    return new HostSettings(state, settings);
  }

  get values(): SettingsValues {
    return this.#values;
  }

  /** Reads the file, because another program may have changed it. Throws BraggError if it cannot be opened. */
  async now<Name extends keyof SettingsValues>(name: Name): Promise<SettingsValues[Name]> {
    return (await this.#file.read()).settings[name];
  }

  /** Retains settings that another program has changed in the meantime. Throws BraggError if they cannot be saved. */
  async change(change: Change | ((now: SettingsValues) => Change)): Promise<void> {
    let changed: Change = {};
    const kept = await this.#file.change(({ version, settings }) => {
      changed = typeof change === 'function' ? change(settings) : change;
      return { version, settings: { ...settings, ...changed } };
    });
    this.#values = { ...this.#values, ...pick(kept.settings, changed) };
  }
}

/** Selects the settings changed here; changes by other programs apply from the next start. */
function pick(all: SettingsValues, changed: Partial<SettingsValues>): Partial<SettingsValues> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in changed));
}

const MAX_RECENT_FILES = 12;
const recentFileSchema = z.object({ version: z.literal(1), paths: z.array(z.string()) });

export class RecentFiles {
  readonly #file: StateFile<z.infer<typeof recentFileSchema>>;
  #paths: readonly string[] | null = null;
  /** Serializes writes, so that the last one is the newest. */
  readonly #writing = new SerialQueue();
  readonly #onTrouble: (reason: string) => void;

  constructor(dataFolder: string, locks: Locks, onTrouble: (reason: string) => void) {
    this.#onTrouble = onTrouble;
    this.#file = new StateFile({
      file: path.join(dataFolder, 'recent.json'),
      schema: recentFileSchema,
      empty: { version: 1, paths: [] },
      locks,
      onDamaged: (aside) => onTrouble(`The list of recent files could not be read; it was moved to ${aside}.`),
    });
  }

  async list(): Promise<readonly string[]> {
    if (this.#paths === null) {
      const { paths } = await this.#file.read().catch(() => ({ paths: [] }));
      this.#paths ??= paths.slice(0, MAX_RECENT_FILES);
    }
    return this.#paths;
  }

  async add(file: string): Promise<void> {
    await this.list();
    this.#keep((paths) => [file, ...paths.filter((other) => other !== file)].slice(0, MAX_RECENT_FILES));
  }

  clear(): void {
    this.#keep(() => []);
  }

  /** Resolves when the added entries are on disk. */
  settled(): Promise<void> {
    return this.#writing.settled();
  }

  /** Changes the list in memory at once; in the file, merges with changes of other programs. */
  #keep(change: (paths: readonly string[]) => string[]): void {
    this.#paths = change(this.#paths ?? []);
    void this.#writing.do(async () => {
      try {
        await this.#file.change((kept) => ({ ...kept, paths: change(kept.paths) }));
      } catch (error) {
        this.#onTrouble(`The list of recent files was not saved: ${error instanceof Error ? error.message : error}`);
      }
    });
  }
}
