/**
 * The page never names a path. It uses file references: a name in the library, or a grant. The host issues a grant if
 * the user chose a file in a dialog, dropped it, or named it on the command line. The library holds the user's
 * scenarios, runs and sessions, the examples, and the trash.
 */
import { z } from 'zod';

export const fileRefSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('library'),
    /**
     * File name in the library folder, such as `water-70MeV.json`: no separators, no leading dot. For an example, the
     * folder is included: `diffraction/mosaic-1000.json`.
     */
    key: z.string().min(1).max(200),
  }),
  z.strictObject({
    kind: z.literal('granted'),
    key: z.string().min(1).max(64),
  }),
]);
export type FileRef = Readonly<z.infer<typeof fileRefSchema>>;

export const namedFileSchema = z.strictObject({
  file: fileRefSchema,
  /** File name without folder. */
  name: z.string(),
  /** Location shown to the user: a full path, or `library`. */
  place: z.string(),
});
export type NamedFile = Readonly<z.infer<typeof namedFileSchema>>;

export const filePurposeSchema = z.enum([
  'open-scenario',
  'save-scenario',
  'open-run',
  'open-trace',
  'open-session',
  'save-run',
  'export',
]);
export type FilePurpose = z.infer<typeof filePurposeSchema>;

const emptyRequestSchema = z.strictObject({});

export const libraryKindSchema = z.enum(['scenario', 'run', 'session', 'kernel']);
export type LibraryKind = z.infer<typeof libraryKindSchema>;

export const libraryPlaceSchema = z.enum(['yours', 'examples', 'trash']);
export type LibraryPlace = z.infer<typeof libraryPlaceSchema>;

const tagSchema = z.string().trim().min(1).max(40);
export const MAX_TAGS = 24;

/** Facts read from a file; null if the file does not contain them or is of another kind. */
const libraryFactsSchema = z.strictObject({
  workload: z.string().nullable(),
  /** Distinguishing parameter of the file's scenario: `70 MeV`. */
  about: z.string().nullable(),
  variant: z.string().nullable(),
  precision: z.string().nullable(),
  /** Result of a run as text: `R80 40.75 mm`. */
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
  /** `name` and `notes` in the file; empty if absent. */
  name: z.string(),
  notes: z.string(),
  facts: libraryFactsSchema,
  /** Tags given by the user, stored next to the files. */
  tags: z.array(z.string()),
  remark: z.string(),
  /** Reason why the file cannot be read; null if it can. */
  problem: z.string().nullable(),
  bytes: z.number().nonnegative(),
  /** Time of the last change, ISO 8601; for a file in the trash, the time of its removal. */
  modified: z.string(),
});
export type LibraryItem = Readonly<z.infer<typeof libraryItemSchema>>;

const libraryQuerySchema = z.strictObject({
  place: libraryPlaceSchema,
  /** Each word must occur in a name, note, tag, remark or fact. */
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
  /** Replaces the tags and the remark of a user's file. */
  'library.label': {
    params: z.strictObject({
      file: fileRefSchema,
      tags: z.array(tagSchema).max(MAX_TAGS),
      remark: z.string().max(4000),
    }),
    result: emptyRequestSchema,
  },
  /** Moves a user's file to the trash folder inside the library. Nothing is ever deleted. */
  'library.trash': { params: z.strictObject({ file: fileRefSchema }), result: z.strictObject({ id: z.string() }) },
  /** Restores a file from the trash, under another name if its original one is taken. */
  'library.restore': { params: z.strictObject({ id: z.string().min(1).max(300) }), result: namedFileSchema },
  /** Rebuilds the index from the files. */
  'library.rebuild': { params: emptyRequestSchema, result: z.strictObject({ files: z.number().int().nonnegative() }) },
  /** Only available if `capabilities.shell.dialogs`; null if the user dismissed the dialog. */
  'library.chooseFolder': { params: emptyRequestSchema, result: z.strictObject({ folder: z.string().nullable() }) },
} as const;

export const libraryStreams = {
  /** Sends a new number whenever something in the library may have changed. */
  library: { params: emptyRequestSchema, frame: z.strictObject({ revision: z.number().int() }), policy: 'latest' },
} as const;
