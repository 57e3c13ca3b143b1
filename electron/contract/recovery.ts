/**
 * Recovery of unsaved work, which the host writes to disk continuously and offers after a crash. Also detects windows
 * that have the same file open.
 */
import { z } from 'zod';
import { benchInfoSchema } from './bench/benches.ts';
import { fileRefSchema, namedFileSchema } from './files.ts';
import { runInfoSchema } from './run.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';

const emptyRequestSchema = z.strictObject({});

/** Identifies a page until it is reloaded. */
const pageIdSchema = z.string().regex(/^[\w-]{8,64}$/);

/** Item that was unsaved when its program or page ended. */
const recoverableSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('draft'),
    id: z.string(),
    title: z.string(),
    /** Location of its file; null if it was never saved. */
    place: z.string().nullable(),
    /** Time of the last edit, ISO 8601. */
    time: z.string(),
  }),
  z.strictObject({
    kind: z.literal('run'),
    id: z.string(),
    title: z.string(),
    /** Time of the last saved state, ISO 8601. */
    time: z.string(),
    /** Progress as text: `40 steps, 12.3 mm deep`. */
    upTo: z.string(),
    /** Whether the run had ended, but was not saved. */
    finished: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('session'),
    id: z.string(),
    title: z.string(),
    /** Time of the last complete round on disk, ISO 8601. */
    time: z.string(),
    /** Progress as text: `12 rounds`. */
    upTo: z.string(),
    finished: z.boolean(),
  }),
]);
export type Recoverable = Readonly<z.infer<typeof recoverableSchema>>;

const itemRequestSchema = z.strictObject({ id: z.string().min(1).max(200) });

export const recoveryMethods = {
  /** Saves a page's unsaved edits, replacing its previous ones. */
  'recovery.keep': {
    params: z.strictObject({
      page: pageIdSchema,
      title: z.string().max(255),
      file: fileRefSchema.nullable(),
      draft: scenarioDraftSchema,
    }),
    result: emptyRequestSchema,
  },
  /** Discards the saved edits of a page that has nothing unsaved any more. */
  'recovery.drop': { params: z.strictObject({ page: pageIdSchema }), result: emptyRequestSchema },
  /** Lists unsaved work of programs that have ended, and of this page under its ids before reloads. */
  'recovery.list': {
    params: z.strictObject({ pages: z.array(pageIdSchema).max(16) }),
    result: z.strictObject({ items: z.array(recoverableSchema) }),
  },
  /** Returns the edits; they stay on disk until discarded, or until the page that restored them saves its own. */
  'recovery.draft': {
    params: itemRequestSchema,
    result: z.strictObject({
      title: z.string(),
      file: namedFileSchema.nullable(),
      draft: scenarioDraftSchema,
    }),
  },
  /** Adds the recovered part of the run to the list of runs. */
  'recovery.run': { params: itemRequestSchema, result: runInfoSchema },
  /** Adds the session to the list of benchmarks. */
  'recovery.session': { params: itemRequestSchema, result: benchInfoSchema },
  /** Deletes the recovery data of the item. */
  'recovery.discard': { params: itemRequestSchema, result: emptyRequestSchema },
  /**
   * Reports which file a page has open, every few seconds. The answer is the number of other windows, of this or
   * another program, with the same file open.
   */
  'document.presence': {
    params: z.strictObject({ page: pageIdSchema, file: fileRefSchema.nullable() }),
    result: z.strictObject({ others: z.number().int().nonnegative() }),
  },
} as const;

/** Runs are saved for recovery from this duration on: repeating a shorter one is faster than recovering it. */
export const SAVED_FROM_MS = 3_000;
export const SHORT_RUNS_NOTE = `Runs that ended within ${SAVED_FROM_MS / 1000} s are saved only on request.`;

/** Interval at which a page reports its open file; after three intervals without a report it counts as closed. */
export const PRESENCE_MS = 4_000;
