/** The variants that stand for each other's originals: those of a workload, or of one of its benchmarks. No React. */
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import { workloadSchema } from '../../../electron/contract/workload.ts';

export interface Group {
  /** Unique among the groups. */
  readonly key: string;
  readonly workload: string;
  readonly bench: string;
  readonly label: string;
  /** The user's own first. */
  readonly variants: readonly Variant[];
}

export const groupKey = (workload: string, bench: string): string => `${workload}/${bench}`;

function groupLabel(workload: string, bench: string): string {
  const known = workloadSchema.safeParse(workload);
  const title = known.success ? scenarioKinds[known.data].title : workload;
  return bench === '' ? title : `${title}: ${bench}`;
}

export function groupsOf(all: readonly Variant[], isUserKernel: (id: string) => boolean): readonly Group[] {
  const each = Map.groupBy(all, ({ workload, bench }) => groupKey(workload, bench));
  return [...each].flatMap(([key, variants]) => {
    const [first] = variants;
    if (first === undefined) return [];
    const { workload, bench } = first;
    const ordered = [
      ...variants.filter(({ id }) => isUserKernel(id)),
      ...variants.filter(({ id }) => !isUserKernel(id)),
    ];
    return [{ key, workload, bench, label: groupLabel(workload, bench), variants: ordered }];
  });
}
