/** Properties of all workloads, for code that is independent of the workload. */
import { z } from 'zod';
import { scenarioKindNames } from './scenario/index.ts';

/** The workloads, by the kind of their scenarios. */
export const workloadSchema = z.enum(scenarioKindNames);
export type WorkloadName = z.infer<typeof workloadSchema>;

/** The one number that a list shows of a run: `R80 30.92 mm`. */
export const headlineSchema = z.strictObject({ name: z.string(), value: z.number(), unit: z.string() });
export type Headline = Readonly<z.infer<typeof headlineSchema>>;
