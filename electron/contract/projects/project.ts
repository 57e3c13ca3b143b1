/**
 * A project in one file: scenarios with the files that they name, runs, sessions, studies and notes, packed for somebody
 * who has nothing of it. A zip archive; `project.json` in it says what there is.
 */
import { z } from 'zod';
import { benchIdSchema } from '../bench/benches.ts';
import { fileRefSchema } from '../files.ts';
import { runIdSchema } from '../run.ts';
import { scenarioDraftSchema } from '../scenario/draft.ts';
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
  /** ISO 8601. */
  created: z.string().max(40),
  /** Which version of the program packed it. */
  program: z.string().max(100),
  entries: z
    .array(
      z.strictObject({
        part: projectPartSchema,
        /** In the archive. */
        path: z.string().min(1).max(1000),
        /** As its file or study is called. */
        name: z.string().min(1).max(255),
        bytes: z.number().int().nonnegative(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .max(60_000)
    .readonly(),
});
export type ProjectManifest = Readonly<z.infer<typeof projectManifestSchema>>;

export const cameSchema = z.strictObject({
  part: projectPartSchema,
  name: z.string(),
  /** Name after import. */
  as: z.string(),
  /** `there`: the same was there already. `kept`: another of the name is there and stays, this did not come. */
  how: z.enum(['new', 'there', 'kept']),
});
export type Came = Readonly<z.infer<typeof cameSchema>>;

const MOST_PACKED = 10_000;

export const projectMethods = {
  'project.pack': {
    params: z.strictObject({
      name: z.string().min(1).max(100),
      /** The scenario in the form, and its file, relative to which its file references are resolved. Null for none. */
      scenario: z
        .strictObject({
          name: z.string().max(200),
          document: scenarioDraftSchema,
          file: fileRefSchema.nullable().default(null),
        })
        .nullable(),
      /** In the library, or opened. */
      files: z.array(fileRefSchema).max(MOST_PACKED),
      /** This session's, saved or not. */
      runs: z.array(runIdSchema).max(MOST_PACKED),
      benches: z.array(benchIdSchema).max(MOST_PACKED),
      studies: z.array(studyIdSchema).max(MOST_PACKED),
      /** All notes on timelines. */
      notes: z.boolean(),
    }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },
  /** Into the library. What is there stays as it is. */
  'project.unpack': {
    params: z.strictObject({
      source: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('bytes'), name: z.string().max(255), bytes }),
        z.strictObject({ kind: z.literal('file'), file: fileRefSchema }),
      ]),
    }),
    result: z.strictObject({ name: z.string(), came: z.array(cameSchema).readonly() }),
  },
} as const;
