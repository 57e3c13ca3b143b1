/**
 * Project file: scenarios and the files that they name, runs, sessions, studies and notes, packed for another machine.
 * It is a zip archive, in which `project.json` lists the contents.
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
  /** Version of the program that packed the project. */
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
   * `new`: imported. `there`: an identical item already existed. `kept`: not
   * imported, because a different item has this name.
   */
  how: z.enum(['new', 'there', 'kept']),
});
export type UnpackedPart = Readonly<z.infer<typeof unpackedPartSchema>>;

const MAX_PACKED_ITEMS = 10_000;

export const projectMethods = {
  'project.pack': {
    params: z.strictObject({
      name: z.string().min(1).max(100),
      /** Scenario in the page's form, and the file that its references are relative to; null to omit it. */
      scenario: z
        .strictObject({
          name: z.string().max(200),
          document: scenarioDraftSchema,
          file: fileRefSchema.nullable().default(null),
        })
        .nullable(),
      /** Files in the library, or files that the user opened. */
      files: z.array(fileRefSchema).max(MAX_PACKED_ITEMS),
      /** Ids of listed runs, whether saved or not. */
      runs: z.array(runIdSchema).max(MAX_PACKED_ITEMS),
      benches: z.array(benchIdSchema).max(MAX_PACKED_ITEMS),
      studies: z.array(studyIdSchema).max(MAX_PACKED_ITEMS),
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
