/** The variants that belong together: those of one benchmark of one workload. */
import { useMemo } from 'react';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { ShownRow } from './rows.ts';

export interface Benched {
  readonly workload: WorkloadName;
  /** Which benchmark of a workload that has several; empty otherwise. */
  readonly bench: string;
}

/** Variants and benchmark of the scenario in the form. */
export function useScenarioBench(): Benched {
  const { stores } = useWorkbench();
  const workload = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  const bench = useSelected(stores.scenario, ({ lastResolved: resolved }) =>
    resolved !== null && 'bench' in resolved ? resolved.bench : '',
  );
  return { workload, bench };
}

export function useVariants({ workload, bench }: Benched): readonly Variant[] {
  const { stores } = useWorkbench();
  const all = useSelected(stores.connection, (state) => state.capabilities.variants);
  return useMemo(() => all.filter((one) => one.workload === workload && one.bench === bench), [all, workload, bench]);
}

/** Variants and benchmark of what is compared; of the scenario in the form where nothing is. */
export function useRowsBench(rows: readonly ShownRow[]): Benched {
  const scenario = useScenarioBench();
  const { row } = rows.find(({ reference }) => reference) ?? rows[0] ?? {};
  return row === undefined ? scenario : { workload: row.workload, bench: row.bench };
}
