/** Settings of the host, kept in the data folder; ones that cannot be read are reset, and told. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { InOrder } from '../in-order.ts';
import { writeAtomically } from '../scenarios/index.ts';
import { fileError } from './errors.ts';

const settingsSchema = z.strictObject({
  /** Absolute; null: `library` in the data folder. */
  libraryFolder: z.string().nullable().default(null),
  /** Whether the desktop program asks for newer versions. Off until the user wants it. */
  updates: z.boolean().default(false),
});
export type SettingsValues = Readonly<z.infer<typeof settingsSchema>>;

const fileSchema = z.object({ version: z.literal(1), settings: settingsSchema });

export class HostSettings {
  readonly #file: string;
  readonly #changes = new InOrder();
  #values: SettingsValues;

  private constructor(file: string, values: SettingsValues) {
    this.#file = file;
    this.#values = values;
  }

  static async open(dataFolder: string, onTrouble: (reason: string) => void): Promise<HostSettings> {
    const file = path.join(dataFolder, 'settings.json');
    const text = await readFile(file, 'utf8').catch(() => null);
    const defaults = settingsSchema.parse({});
    if (text === null) return new HostSettings(file, defaults);
    try {
      return new HostSettings(file, fileSchema.parse(JSON.parse(text)).settings);
    } catch {
      onTrouble(`The settings in ${file} could not be read and were reset.`);
      return new HostSettings(file, defaults);
    }
  }

  get values(): SettingsValues {
    return this.#values;
  }

  /** Throws BraggError where they cannot be kept. */
  change(change: Partial<SettingsValues>): Promise<void> {
    return this.#changes.do(async () => {
      const values = { ...this.#values, ...change };
      try {
        await mkdir(path.dirname(this.#file), { recursive: true });
        await writeAtomically(this.#file, `${JSON.stringify({ version: 1, settings: values }, null, 2)}\n`, 'replace');
      } catch (error) {
        throw fileError(error, this.#file);
      }
      this.#values = values;
    });
  }
}
