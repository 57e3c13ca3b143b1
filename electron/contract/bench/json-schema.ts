/** The published JSON Schema of benchmark sessions, generated from the zod schema. */
import { z } from 'zod';
import { sessionSchema } from './session.ts';

export function publishedSessionSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...body } = z.toJSONSchema(sessionSchema, {
    io: 'input',
    target: 'draft-2020-12',
    // Puts schemas that occur several times into $defs.
    reused: 'ref',
  });
  return {
    $schema,
    $id: 'session-3.schema.json',
    title: 'Braggbench benchmark session',
    description:
      'A benchmark with every sample: machine, program, environment, and the verdict of each variant. Samples name their instance, round and repetitions; files contain them as columns; a column with a single value has that value for all samples. Times are in seconds; keys carry other units as a suffix.',
    ...body,
  };
}
