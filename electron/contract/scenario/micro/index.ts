/** The scenarios of the small workloads that isolate one published claim each: a file per row, listed here. */
import { z } from 'zod';
import { taskSchema } from '../task/shape.ts';
import { launchSchema } from './launch.ts';

const rowSchema = z.discriminatedUnion('kind', [launchSchema]).meta({
  title: 'Row',
  description: 'Which row of the claim ledger, and its parameters.',
});

export const microSchema = taskSchema(
  'micro',
  'Small workloads',
  'one row of the ledger of published claims',
  rowSchema,
);

export type MicroDocument = z.input<typeof microSchema>;
export type MicroScenario = z.output<typeof microSchema>;
