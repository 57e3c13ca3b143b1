/**
 * Project in one file: scenarios with the files that they name, runs, sessions, studies and notes, packed for transfer
 * to another machine. The file is a zip archive; `project.json` in it lists the contents.
 */
import { z } from 'zod';
import { benchIdSchema } from '../bench/benches.ts';
import { fileRefSchema } from '../files.ts';
import { runIdSchema } from '../run.ts';
import { scenarioDraftSchema } from '../scenario/workload.ts';
import { studyIdSchema } from '../study/calls.ts';
import { bytes } from '../wire/arrays.ts';

export const PROJECT_ENDING = '.braggbench';
export const PROJECT_FORMAT = 'braggbench-project';

const projectPartSchema = z.enum(['scenario', 'run', 'session', 'study', 'notes', 'beside']);
export type ProjectPart = z.infer<typeof projectPartSchema>;

export const projectManifestSchema = z.strictObject({
  format: z.literal(PROJECT_FORMAT),
  version: z.literal(1),
  name: z.string().max(200),
  /** Time of packing, ISO 8601. */
  created: z.string().max(40),
  /** Version of the program that packed it. */
  program: z.string().max(100),
  entries: z
    .array(
      z.strictObject({
        part: projectPartSchema,
        /** Path in the archive. */
        path: z.string().min(1).max(1000),
        /** Name of the file or study. */
        name: z.string().min(1).max(255),
        bytes: z.number().int().nonnegative(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .max(60_000)
    .readonly(),
});
export type ProjectManifest = Readonly<z.infer<typeof projectManifestSchema>>;

export const unpackedPartSchema = z.strictObject({
  part: projectPartSchema,
  name: z.string(),
  /** Name after import. */
  as: z.string(),
  /**
   * `there`: an equal item already existed. `kept`: a different item with this name already existed, so this one was
   * not imported.
   */
  how: z.enum(['new', 'there', 'kept']),
});
export type UnpackedPart = Readonly<z.infer<typeof unpackedPartSchema>>;

const MAX_PACKED = 10_000;

export const projectMethods = {
  'project.pack': {
    params: z.strictObject({
      name: z.string().min(1).max(100),
      /** Scenario in the page's form, and the file against which its file references are resolved. Null for none. */
      scenario: z
        .strictObject({
          name: z.string().max(200),
          document: scenarioDraftSchema,
          file: fileRefSchema.nullable().default(null),
        })
        .nullable(),
      /** Files of the library, or opened by the user. */
      files: z.array(fileRefSchema).max(MAX_PACKED),
      /** Runs of the current session, saved or not. */
      runs: z.array(runIdSchema).max(MAX_PACKED),
      benches: z.array(benchIdSchema).max(MAX_PACKED),
      studies: z.array(studyIdSchema).max(MAX_PACKED),
      /** Whether to include all timeline notes. */
      notes: z.boolean(),
    }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },
  /** Imports a project into the library. Existing items are not changed. */
  'project.unpack': {
    params: z.strictObject({
      source: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('bytes'), name: z.string().max(255), bytes }),
        z.strictObject({ kind: z.literal('file'), file: fileRefSchema }),
      ]),
    }),
    result: z.strictObject({ name: z.string(), came: z.array(unpackedPartSchema).readonly() }),
  },
} as const;
