/** Properties of all workloads, such as export formats, for code that is independent of the workload. */
import { z } from 'zod';
import { scenarioKindNames, scenarioKinds } from './scenario/index.ts';
import type { ExportChoice } from './scenario/workload.ts';

/** Workload names, equal to the kinds of their scenarios. */
export const workloadSchema = z.enum(scenarioKindNames);
export type WorkloadName = z.infer<typeof workloadSchema>;

/** Main number of a run in lists: `R80 30.92 mm`. */
export const headlineSchema = z.strictObject({ name: z.string(), value: z.number(), unit: z.string() });
export type Headline = Readonly<z.infer<typeof headlineSchema>>;

/** Export formats in the order of menus. */
export const exportsOf = (workload: WorkloadName): readonly ExportChoice[] => scenarioKinds[workload].exports;

/** File name extensions of run files. */
export const allRunEndings: readonly string[] = [
  ...new Set(Object.values(scenarioKinds).map(({ runEnding }) => runEnding)),
];
