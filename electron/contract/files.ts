/**
 * File references, by which the page names files; it never sees paths. A reference is either a name in the library or a
 * grant. The host issues a grant when the user selects a file in a dialog, by dropping it, or on the command line. The
 * library contains the user's scenarios, runs and sessions, the examples, and the trash.
 */
import { z } from 'zod';

export const fileRefSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('library'),
    /**
     * File name in the library folder without separators or a leading dot: `water-70MeV.json`. An example also has its
     * folder: `diffraction/mosaic-1000.json`.
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

/** Facts read from a file. Each is null if the file does not contain it or is of another kind. */
const libraryFactsSchema = z.strictObject({
  workload: z.string().nullable(),
  /** Parameter that distinguishes the scenario from similar ones: `70 MeV`. */
  about: z.string().nullable(),
  variant: z.string().nullable(),
  precision: z.string().nullable(),
  /** Main result of a run as text: `R80 40.75 mm`. */
  result: z.string().nullable(),
  wall_s: z.number().nullable(),
  status: z.string().nullable(),
  device: z.string().nullable(),
});
export type LibraryFacts = Readonly<z.infer<typeof libraryFactsSchema>>;

const libraryItemSchema = z.strictObject({
  /** Id of the file; `library.restore` uses it to find a file in the trash. */
  id: z.string(),
  /** Null if the file is in the trash. */
  file: fileRefSchema.nullable(),
  fileName: z.string(),
  kind: libraryKindSchema,
  /** Name and notes stored in the file; empty if absent. */
  name: z.string(),
  notes: z.string(),
  facts: libraryFactsSchema,
  /** Tags given by the user. The host stores them in a separate file. */
  tags: z.array(z.string()),
  remark: z.string(),
  /** Reason why the file could not be read; null if it could. */
  problem: z.string().nullable(),
  bytes: z.number().nonnegative(),
  /** Time of the last change, or of the removal to the trash, ISO 8601. */
  modified: z.string(),
});
export type LibraryItem = Readonly<z.infer<typeof libraryItemSchema>>;

const libraryQuerySchema = z.strictObject({
  place: libraryPlaceSchema,
  /** Words separated by blanks. Each must occur in a file's name, notes, tags, remark or facts. */
  text: z.string().max(200),
  /** Kind of file to search for; null for all kinds. */
  kind: libraryKindSchema.nullable(),
  /** Tag that matching files must have; null for files with any tags. */
  tag: tagSchema.nullable(),
  order: z.enum(['newest', 'name']),
  limit: z.number().int().min(1).max(1000),
});
export type LibraryQuery = Readonly<z.infer<typeof libraryQuerySchema>>;

export const libraryMethods = {
  'library.search': {
    params: libraryQuerySchema,
    result: z.strictObject({
      /** Folder that contains the user's files. */
      folder: z.string(),
      items: z.array(libraryItemSchema),
      /** Total number of matches, including those not sent because of the limit. */
      total: z.number().int().nonnegative(),
      /** All tags in use with their number of files, the most used first. */
      tags: z.array(z.strictObject({ tag: z.string(), count: z.number().int().positive() })),
    }),
  },
  /** Replaces the tags and the remark of one of the user's files. */
  'library.label': {
    params: z.strictObject({
      file: fileRefSchema,
      tags: z.array(tagSchema).max(MAX_TAGS),
      remark: z.string().max(4000),
    }),
    result: emptyRequestSchema,
  },
  /** Moves one of the user's files to the trash, a folder inside the library. Files are never deleted. */
  'library.trash': { params: z.strictObject({ file: fileRefSchema }), result: z.strictObject({ id: z.string() }) },
  /** Moves a file from the trash back to the library. If its name is in use, the file gets another one. */
  'library.restore': { params: z.strictObject({ id: z.string().min(1).max(300) }), result: namedFileSchema },
  /** Builds the library's index again from its files. */
  'library.rebuild': { params: emptyRequestSchema, result: z.strictObject({ files: z.number().int().nonnegative() }) },
  /** Opens a folder dialog, if `capabilities.shell.dialogs` is true. Null if the user cancelled the dialog. */
  'library.chooseFolder': { params: emptyRequestSchema, result: z.strictObject({ folder: z.string().nullable() }) },
} as const;

export const libraryStreams = {
  /** Sends a new number whenever something in the library may have changed. */
  library: { params: emptyRequestSchema, frame: z.strictObject({ revision: z.number().int() }), policy: 'latest' },
} as const;
