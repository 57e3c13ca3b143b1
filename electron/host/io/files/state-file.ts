/**
 * A small JSON file that several instances of the program change: each change applies to the file's present content.
 *
 * Two such files are defined here, both in the data folder. One has the host's settings, which are reset and reported
 * if they cannot be read. The other lists the recently opened or saved scenario files, newest first.
 */
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { clustersSchema } from '../../../contract/study/clusters.ts';
import { jsonTextInSlices, runInSlices } from '../flow/cooperative.ts';
import { SerialQueue } from '../flow/queues.ts';
import { makePrivateFolder } from './folders.ts';
import type { Locks } from './locks.ts';
import { readRegularFileUpTo, toFileError } from './plain-file.ts';
import { writeAtomically } from './write-file.ts';

/**
 * Maximum file size. It suffices for tags and remarks on some ten thousand files, which can be searched in
 * milliseconds.
 */
const MAX_BYTES = 4 * 2 ** 20;

interface StateFileOptions<T> {
  readonly file: string;
  /** Schema of the complete file. */
  readonly schema: z.ZodType<T>;
  /** Value used if there is no file. */
  readonly empty: T;
  readonly locks: Locks;
  /**
   * Called with the new path after a damaged file was renamed. It is not deleted, because a person may have written it.
   */
  readonly onDamaged: (aside: string) => void;
}

const isMissingFileError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

export class StateFile<T> {
  readonly #options: StateFileOptions<T>;

  constructor(options: StateFileOptions<T>) {
    this.#options = options;
  }

  /**
   * Reads the content; the empty value if there is no file. Throws BraggError if the file exists but cannot be opened.
   */
  async read(): Promise<T> {
    const { file, schema, empty, onDamaged } = this.#options;
    let bytes: Buffer | null;
    try {
      bytes = await readRegularFileUpTo(file, MAX_BYTES);
    } catch (error) {
      if (isMissingFileError(error)) return empty;
      throw toFileError(error, file);
    }
    if (bytes === null) throw tooLargeError(file);
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8'));
      // Parsing and validating a file of megabytes each need some milliseconds, so other work may run in between.
      await nextTurn();
      return schema.parse(value);
    } catch {
      const aside = `${file}.damaged-${Date.now()}`;
      await rename(file, aside).catch(() => undefined);
      onDamaged(aside);
      return empty;
    }
  }

  /** Reads, changes and writes the file under its lock. Returns the new content. Throws BraggError. */
  async change(change: (now: T) => T): Promise<T> {
    const { file, locks } = this.#options;
    try {
      await makePrivateFolder(path.dirname(file));
    } catch (error) {
      throw toFileError(error, file);
    }
    return locks.withLock(file, () => this.changeLocked(change));
  }

  /**
   * Like `change`, for a caller that already has the lock. An unchanged content is not written, so that this also works
   * on a full disk.
   */
  async changeLocked(change: (now: T) => T): Promise<T> {
    const now = await this.read();
    const next = change(now);
    if ((await runInSlices(jsonTextInSlices(next))) === (await runInSlices(jsonTextInSlices(now)))) return now;
    const { file } = this.#options;
    const text = `${JSON.stringify(next, null, 2)}\n`;
    if (Buffer.byteLength(text) > MAX_BYTES) throw tooLargeError(file);
    await makePrivateFolder(path.dirname(file));
    await writeAtomically(file, text, 'replace');
    return next;
  }
}

function tooLargeError(file: string): BraggError {
  return new BraggError(
    'io',
    `${file} would become too large; allowed: ${MAX_BYTES / 2 ** 20} MiB. It was not changed.`,
  );
}

const settingsSchema = z.strictObject({
  /** Absolute path of the library. Null stands for the folder `library` in the data folder. */
  libraryFolder: z.string().nullable().default(null),
  clusters: clustersSchema.default([]),
});
type SettingsValues = Readonly<z.infer<typeof settingsSchema>>;

type SettingsChange = Partial<SettingsValues>;

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
  async read<Name extends keyof SettingsValues>(name: Name): Promise<SettingsValues[Name]> {
    return (await this.#file.read()).settings[name];
  }

  /**
   * Saves changed settings. Other settings keep the values that another program may have written. Throws BraggError.
   */
  async change(change: SettingsChange | ((now: SettingsValues) => SettingsChange)): Promise<void> {
    let changed: SettingsChange = {};
    const kept = await this.#file.change(({ version, settings }) => {
      changed = typeof change === 'function' ? change(settings) : change;
      return { version, settings: { ...settings, ...changed } };
    });
    this.#values = { ...this.#values, ...pickChanged(kept.settings, changed) };
  }
}

/** Selects the settings that this program changed. Changes by other programs apply from the next start on. */
function pickChanged(all: SettingsValues, changed: Partial<SettingsValues>): Partial<SettingsValues> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in changed));
}

const MAX_RECENT_FILES = 12;
const recentFileSchema = z.object({ version: z.literal(1), paths: z.array(z.string()) });

export class RecentFiles {
  readonly #file: StateFile<z.infer<typeof recentFileSchema>>;
  #paths: readonly string[] | null = null;
  /** Serializes writes, so that the last write contains the newest list. */
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
    this.#changeList((paths) => [file, ...paths.filter((other) => other !== file)].slice(0, MAX_RECENT_FILES));
  }

  clear(): void {
    this.#changeList(() => []);
  }

  /** Resolves when all changes of the list are on disk. */
  settled(): Promise<void> {
    return this.#writing.settled();
  }

  /**
   * Changes the list in memory at once, and later the list in the file, to which other programs may have added entries.
   */
  #changeList(change: (paths: readonly string[]) => string[]): void {
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
