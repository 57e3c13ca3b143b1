/** Settings of the host, stored in the data folder. Unreadable ones are reset and reported. */
import path from 'node:path';
import { z } from 'zod';
import { clustersSchema } from '../../../contract/study/clusters.ts';
import type { Locks } from './locks.ts';
import { StateFile } from './state-file.ts';

const settingsSchema = z.strictObject({
  /** Absolute; null: `library` in the data folder. */
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
      onTrouble(`The settings in ${file} could not be read and were reset. They were put aside as ${aside}.`);
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

  /** As another program may have left it meanwhile. Throws BraggError where the file cannot be opened. */
  async now<Name extends keyof SettingsValues>(name: Name): Promise<SettingsValues[Name]> {
    return (await this.#file.read()).settings[name];
  }

  /** Retains settings that another program has changed meanwhile. Throws BraggError if they cannot be saved. */
  async change(change: Change | ((now: SettingsValues) => Change)): Promise<void> {
    let changed: Change = {};
    const kept = await this.#file.change(({ version, settings }) => {
      changed = typeof change === 'function' ? change(settings) : change;
      return { version, settings: { ...settings, ...changed } };
    });
    this.#values = { ...this.#values, ...pick(kept.settings, changed) };
  }
}

/** Settings changed here; the others apply from the next start. */
function pick(all: SettingsValues, changed: Partial<SettingsValues>): Partial<SettingsValues> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in changed));
}
