/**
 * Reads recorded tuning results of GPUs (assets/tuned, written by `npm run bench -- tuning`), and derives the default
 * constants for a GPU generation from them.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { intervalSchema } from '../../../contract/bench/bench-session.ts';
import type { Configuration } from '../../../contract/tuning/configured.ts';
import { workloadSchema } from '../../../contract/workload.ts';

const configurationSchema = z.record(z.string(), z.number().int());

const entrySchema = z.strictObject({
  configuration: configurationSchema,
  time_s: z.number().positive(),
  /** Time divided by the time with the default constants in the same session. */
  ratio: z.number().positive(),
  interval: intervalSchema.nullable(),
  right: z.boolean(),
});

const sessionSchema = z.strictObject({
  session: z.string(),
  workload: workloadSchema,
  bench: z.string(),
  variant: z.string(),
  /** Source file that contains the constants. */
  file: z.string(),
  scenario: z.string(),
  /** Number of configurations that were measured in the search. */
  measured: z.number().int().nonnegative(),
  usual: configurationSchema,
  entries: z.array(entrySchema).readonly(),
});
export type TunedSession = Readonly<z.infer<typeof sessionSchema>>;

const recordSchema = z.strictObject({
  format: z.literal('braggbench-tuned'),
  format_version: z.literal(1),
  created: z.string(),
  commit: z.string().nullable(),
  on: z.strictObject({
    /** Name of the GPU; empty for the CPU. */
    name: z.string(),
    uuid: z.string().nullable(),
    driver: z.string().nullable(),
    /** Compute capability as a number, such as 90 for Hopper; null for the CPU. */
    architecture: z.number().int().nullable(),
  }),
  sessions: z.array(sessionSchema).readonly(),
});
export type TunedRecord = Readonly<z.infer<typeof recordSchema>>;

/** Parses a record. Throws if the text is not a valid record. */
export const parseTunedRecord = (text: string): TunedRecord => recordSchema.parse(JSON.parse(text));

/** Reads all records, the newest last. Throws if a file is damaged. */
export async function readTunedRecords(assetsFolder: string): Promise<readonly TunedRecord[]> {
  const folder = path.join(assetsFolder, 'tuned');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.map(parseTunedRecord).toSorted((a, b) => a.created.localeCompare(b.created));
}

const nameOf = (configuration: Configuration): string =>
  JSON.stringify(Object.entries(configuration).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Largest time, relative to the default constants, for which a GPU generation gets separate constants. */
const MAX_RATIO = 0.95;

/** A source file with tunable constants, and the variants that it implements, from assets/tunables. */
interface TunedSource {
  readonly file: string;
  readonly variants: readonly string[];
}

/**
 * Selects default constants of a source file for a GPU generation, or null if none qualify. They must be measured, with
 * correct answers, for every variant of the file on every recorded GPU of the generation. They must not be slower than
 * the present defaults in any session. On each GPU they must be faster by at least 5 % in one session. The fastest over
 * all sessions are selected.
 */
export function tunedValuesFor(
  records: readonly TunedRecord[],
  { file, variants }: TunedSource,
  architecture: number,
): Configuration | null {
  const cards = records
    .filter(({ on }) => on.architecture === architecture)
    .map(({ sessions }) => sessions.filter((one) => one.file === file))
    .filter((sessions) => sessions.length > 0);
  const whole = cards.every((sessions) => variants.every((id) => sessions.some(({ variant }) => variant === id)));
  if (!whole) return null;
  const all = cards.flat();
  const entryIn = ({ entries }: TunedSession, name: string) =>
    entries.find(({ configuration }) => nameOf(configuration) === name);
  const held = (all[0]?.entries ?? []).flatMap(({ configuration }) => {
    const name = nameOf(configuration);
    const found = all.map((session) => entryIn(session, name));
    const neverSlower = found.every((one) => one?.right === true && one.interval !== null && one.interval.low <= 1);
    const fasterOnEach = cards.every((sessions) =>
      sessions.some((session) => (entryIn(session, name)?.interval?.high ?? 1) <= MAX_RATIO),
    );
    if (!neverSlower || !fasterOnEach) return [];
    return [{ configuration, cost: found.reduce((sum, one) => sum + Math.log(one?.ratio ?? 1), 0) }];
  });
  return held.toSorted((a, b) => a.cost - b.cost)[0]?.configuration ?? null;
}
