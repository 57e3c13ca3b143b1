/** Unsaved work, which the host writes to disk while it goes on and offers after a crash; which windows share a file. */
import { z } from 'zod';
import { benchInfoSchema } from './bench/benches.ts';
import { fileRefSchema, namedFileSchema } from './files.ts';
import { runInfoSchema } from './run.ts';
import { scenarioDraftSchema } from './scenario/draft.ts';

const nothing = z.strictObject({});

/** Names one page until it is loaded anew. */
const pageIdSchema = z.string().regex(/^[\w-]{8,64}$/);

/** Something that was not saved when its program or page ended. */
const recoverableSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('draft'),
    id: z.string(),
    title: z.string(),
    /** Where its file is; null: never saved. */
    place: z.string().nullable(),
    /** ISO 8601, of the last edit. */
    time: z.string(),
  }),
  z.strictObject({
    kind: z.literal('run'),
    id: z.string(),
    title: z.string(),
    /** ISO 8601, of the last state that was kept. */
    time: z.string(),
    /** How far it was, in words: `40 steps, 12.3 mm deep`. */
    upTo: z.string(),
    /** Had ended and was not saved. */
    finished: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('session'),
    id: z.string(),
    title: z.string(),
    /** ISO 8601, of the last complete round on disk. */
    time: z.string(),
    /** In words: `12 rounds`. */
    upTo: z.string(),
    finished: z.boolean(),
  }),
]);
export type Recoverable = Readonly<z.infer<typeof recoverableSchema>>;

const ofItem = z.strictObject({ id: z.string().min(1).max(200) });

export const recoveryMethods = {
  /** Keeps a page's unsaved edits, in place of what it kept before. */
  'recovery.keep': {
    params: z.strictObject({
      page: pageIdSchema,
      title: z.string().max(255),
      file: fileRefSchema.nullable(),
      draft: scenarioDraftSchema,
    }),
    result: nothing,
  },
  /** The page has nothing unsaved any more. */
  'recovery.drop': { params: z.strictObject({ page: pageIdSchema }), result: nothing },
  /** What programs that have ended left, and what this page kept under other ids before it was loaded anew. */
  'recovery.list': {
    params: z.strictObject({ pages: z.array(pageIdSchema).max(16) }),
    result: z.strictObject({ items: z.array(recoverableSchema) }),
  },
  /** The edits; they stay kept until they are discarded or kept by the page that took them. */
  'recovery.draft': {
    params: ofItem,
    result: z.strictObject({
      title: z.string(),
      file: namedFileSchema.nullable(),
      draft: scenarioDraftSchema,
    }),
  },
  /** Puts the run, as far as it was kept, among the runs. */
  'recovery.run': { params: ofItem, result: runInfoSchema },
  /** Puts the session among the benchmarks. */
  'recovery.session': { params: ofItem, result: benchInfoSchema },
  /** Forgets it. */
  'recovery.discard': { params: ofItem, result: nothing },
  /**
   * Tells which file a page has open, every few seconds; the answer is in how
   * many other windows, of this program or of another, it is open too.
   */
  'document.presence': {
    params: z.strictObject({ page: pageIdSchema, file: fileRefSchema.nullable() }),
    result: z.strictObject({ others: z.number().int().nonnegative() }),
  },
} as const;

/** A run is kept from then on: what takes less is sooner done again than recovered. */
export const KEPT_FROM_MS = 3_000;
export const NOT_KEPT = `Runs that ended within ${KEPT_FROM_MS / 1000} s are kept only when you save them.`;

/** How often a page tells that its file is open; three times that without a word is an end. */
export const PRESENCE_MS = 4_000;
