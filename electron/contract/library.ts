/** The library as the page asks for it: the user's scenarios, runs and sessions, the examples, and the trash. */
import { z } from 'zod';
import { fileRefSchema, namedFileSchema } from './files.ts';

const nothing = z.strictObject({});

export const libraryKindSchema = z.enum(['scenario', 'run', 'session', 'kernel']);
export type LibraryKind = z.infer<typeof libraryKindSchema>;

export const libraryPlaceSchema = z.enum(['yours', 'examples', 'trash']);
export type LibraryPlace = z.infer<typeof libraryPlaceSchema>;

const tagSchema = z.string().trim().min(1).max(40);
export const MOST_TAGS = 24;

/** Facts read from a file; null if the file does not contain them or is of another kind. */
const libraryFactsSchema = z.strictObject({
  workload: z.string().nullable(),
  /** Distinguishing parameter of its scenario: `70 MeV`. */
  about: z.string().nullable(),
  variant: z.string().nullable(),
  precision: z.string().nullable(),
  /** The result of a run, in words: `R80 40.75 mm`. */
  result: z.string().nullable(),
  wall_s: z.number().nullable(),
  status: z.string().nullable(),
  device: z.string().nullable(),
});
export type LibraryFacts = Readonly<z.infer<typeof libraryFactsSchema>>;

const libraryItemSchema = z.strictObject({
  /** Id of a file in the trash, for `library.restore`. */
  id: z.string(),
  /** Null if the file is in the trash. */
  file: fileRefSchema.nullable(),
  fileName: z.string(),
  kind: libraryKindSchema,
  /** `name` and `notes` in the file; empty when it has none. */
  name: z.string(),
  notes: z.string(),
  facts: libraryFactsSchema,
  /** Tags given by the user, stored next to the files. */
  tags: z.array(z.string()),
  remark: z.string(),
  /** Why the file cannot be read; null when it can. */
  problem: z.string().nullable(),
  bytes: z.number().nonnegative(),
  /** ISO 8601; of a file in the trash, when it went there. */
  modified: z.string(),
});
export type LibraryItem = Readonly<z.infer<typeof libraryItemSchema>>;

const libraryQuerySchema = z.strictObject({
  place: libraryPlaceSchema,
  /** Every word has to be somewhere in names, notes, tags, remarks or facts. */
  text: z.string().max(200),
  /** Null if all kinds match. */
  kind: libraryKindSchema.nullable(),
  /** Null if tags do not matter. */
  tag: tagSchema.nullable(),
  order: z.enum(['newest', 'name']),
  limit: z.number().int().min(1).max(1000),
});
export type LibraryQuery = Readonly<z.infer<typeof libraryQuerySchema>>;

export const libraryMethods = {
  'library.search': {
    params: libraryQuerySchema,
    result: z.strictObject({
      /** Folder of the user's files. */
      folder: z.string(),
      items: z.array(libraryItemSchema),
      /** Number of matches, including those beyond the limit. */
      total: z.number().int().nonnegative(),
      /** All tags in use, the most used first. */
      tags: z.array(z.strictObject({ tag: z.string(), count: z.number().int().positive() })),
    }),
  },
  /** Replaces the tags and the remark of a file of the user's. */
  'library.label': {
    params: z.strictObject({
      file: fileRefSchema,
      tags: z.array(tagSchema).max(MOST_TAGS),
      remark: z.string().max(4000),
    }),
    result: nothing,
  },
  /** Moves a file of the user's to the trash folder inside the library. Nothing is ever deleted. */
  'library.trash': { params: z.strictObject({ file: fileRefSchema }), result: z.strictObject({ id: z.string() }) },
  /** Puts it back, under another name where its own is taken. */
  'library.restore': { params: z.strictObject({ id: z.string().min(1).max(300) }), result: namedFileSchema },
  /** Rebuilds the index from the files. */
  'library.rebuild': { params: nothing, result: z.strictObject({ files: z.number().int().nonnegative() }) },
  /** Only where `capabilities.shell.dialogs`; null: the user dismissed the dialog. */
  'library.chooseFolder': { params: nothing, result: z.strictObject({ folder: z.string().nullable() }) },
} as const;

export const libraryStreams = {
  /** A new number whenever something in the library may have changed. */
  library: { params: nothing, frame: z.strictObject({ revision: z.number().int() }), policy: 'latest' },
} as const;
