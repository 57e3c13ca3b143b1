/** The published JSON Schema of benchmark sessions, generated from the zod schemas. */
import { z } from 'zod';
import { keptSessionSchema } from './kept-session.ts';

/** The published file, session-1.schema.json: a session as files keep it, told by its `format`. */
export function publishedSessionSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...body } = z.toJSONSchema(keptSessionSchema, {
    io: 'input',
    target: 'draft-2020-12',
    // What several places share is told once, under $defs.
    reused: 'ref',
  });
  return {
    $schema,
    $id: 'session-1.schema.json',
    title: 'Braggbench benchmark session',
    description:
      'What was measured, with every sample: which machine, which program, under what, and how the variants stand. Times are in seconds; keys carry other units as a suffix.',
    ...body,
  };
}
