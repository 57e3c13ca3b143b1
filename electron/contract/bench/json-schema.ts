/** The published JSON Schemas of benchmark sessions, generated from the zod schemas. */
import { z } from 'zod';
import { recordedSessionSchema } from './kept-session.ts';
import { sessionSchema } from './session.ts';

/** By the version that files name: 2 is written, 1 is imported. */
const versions = {
  1: {
    schema: recordedSessionSchema,
    title: 'Braggbench benchmark session, version 1',
    description:
      'A format for each family of workloads, told by `format`. Braggbench imports it and writes version 2. Times are in seconds; keys carry other units as a suffix.',
  },
  2: {
    schema: sessionSchema,
    title: 'Braggbench benchmark session',
    description:
      'What was measured, with every sample: which machine, which program, under what, and how the variants stand. Samples name their instance, round and repetitions. Times are in seconds; keys carry other units as a suffix.',
  },
} as const;
export type SessionVersion = keyof typeof versions;

export const schemaFile = (version: SessionVersion): string => `session-${version}.schema.json`;

export function publishedSessionSchema(version: SessionVersion): Readonly<Record<string, unknown>> {
  const { schema, title, description } = versions[version];
  const { $schema, ...body } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    // What several places share is told once, under $defs.
    reused: 'ref',
  });
  return { $schema, $id: schemaFile(version), title, description, ...body };
}
