/** Properties of all workloads, such as their export formats, for code that does not depend on the workload. */
import { z } from 'zod';
import { scenarioKindNames, scenarioKinds } from './scenario/index.ts';
import type { ExportChoice } from './scenario/workload.ts';

/** Names of the workloads, which are also the kinds of their scenarios. */
export const workloadSchema = z.enum(scenarioKindNames);
export type WorkloadName = z.infer<typeof workloadSchema>;

/** Main result of a run for lists, such as `R80 30.92 mm`. */
export const headlineSchema = z.strictObject({ name: z.string(), value: z.number(), unit: z.string() });
export type Headline = Readonly<z.infer<typeof headlineSchema>>;

/** Export formats in menu order. */
export const exportsOf = (workload: WorkloadName): readonly ExportChoice[] => scenarioKinds[workload].exports;

/** File name extensions of run files. */
export const allRunEndings: readonly string[] = [
  ...new Set(Object.values(scenarioKinds).map(({ runEnding }) => runEnding)),
];
