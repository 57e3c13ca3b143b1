/**
 * Recovery of unsaved work: the host continuously writes it to disk, and offers it after a crash. The host also detects
 * other windows that have the same file open.
 */
import { z } from 'zod';
import { benchInfoSchema } from './bench/benches.ts';
import { fileRefSchema, namedFileSchema } from './files.ts';
import { runInfoSchema } from './run.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';

const emptyRequestSchema = z.strictObject({});

/** Identifies a page until it is reloaded. */
const pageIdSchema = z.string().regex(/^[\w-]{8,64}$/);

/** Item that was not saved when its page or program ended. */
const recoverableItemSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('draft'),
    id: z.string(),
    title: z.string(),
    /** Path of its file for display; null if it was never saved. */
    place: z.string().nullable(),
    /** Time of the last edit, ISO 8601. */
    time: z.string(),
  }),
  z.strictObject({
    kind: z.literal('run'),
    id: z.string(),
    title: z.string(),
    /** Time at which the recovered state was written, ISO 8601. */
    time: z.string(),
    /** Progress of the run as text: `40 steps, 12.3 mm deep`. */
    upTo: z.string(),
    /** Whether the run had finished before the program ended. */
    finished: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('session'),
    id: z.string(),
    title: z.string(),
    /** Time at which the last complete round was written, ISO 8601. */
    time: z.string(),
    /** Progress of the session as text: `12 rounds`. */
    upTo: z.string(),
    finished: z.boolean(),
  }),
]);
export type RecoverableItem = Readonly<z.infer<typeof recoverableItemSchema>>;

const itemRequestSchema = z.strictObject({ id: z.string().min(1).max(200) });

export const recoveryMethods = {
  /** Stores a page's unsaved edits for recovery, in place of its previous ones. */
  'recovery.keep': {
    params: z.strictObject({
      page: pageIdSchema,
      title: z.string().max(255),
      file: fileRefSchema.nullable(),
      draft: scenarioDraftSchema,
    }),
    result: emptyRequestSchema,
  },
  /** Deletes the stored edits of a page, because everything is saved. */
  'recovery.drop': { params: z.strictObject({ page: pageIdSchema }), result: emptyRequestSchema },
  /** Lists unsaved work of ended programs, and of this page before it was reloaded. */
  'recovery.list': {
    params: z.strictObject({ pages: z.array(pageIdSchema).max(16) }),
    result: z.strictObject({ items: z.array(recoverableItemSchema) }),
  },
  /** Returns stored edits. They stay on disk until they are discarded, or until the page stores edits again. */
  'recovery.draft': {
    params: itemRequestSchema,
    result: z.strictObject({
      title: z.string(),
      file: namedFileSchema.nullable(),
      draft: scenarioDraftSchema,
    }),
  },
  /** Adds the recovered steps of a run to the list of runs. */
  'recovery.run': { params: itemRequestSchema, result: runInfoSchema },
  /** Adds the recovered rounds of a session to the list of benchmarks. */
  'recovery.session': { params: itemRequestSchema, result: benchInfoSchema },
  /** Deletes the recovery data of the item. */
  'recovery.discard': { params: itemRequestSchema, result: emptyRequestSchema },
  /**
   * Reports the file that a page has open; called every few seconds. `others` is the number of other windows with the
   * same file, in any program.
   */
  'document.presence': {
    params: z.strictObject({ page: pageIdSchema, file: fileRefSchema.nullable() }),
    result: z.strictObject({ others: z.number().int().nonnegative() }),
  },
} as const;

/** Runs are stored for recovery after this time, ms. Repeating a shorter run is faster than recovering it. */
export const MIN_RECOVERED_RUN_MS = 3_000;
export const SHORT_RUNS_NOTE = `Runs that ended within ${MIN_RECOVERED_RUN_MS / 1000} s are saved only on request.`;

/**
 * Interval at which a page reports its open file, ms. After three intervals without a report, the file counts as
 * closed.
 */
export const PRESENCE_INTERVAL_MS = 4_000;
