/** What a workload shows beside its tables; a further one is one entry here. */
import type { ReactElement } from 'react';
import type { TaskReport } from '../../../electron/contract/bench/task-bench.ts';
import { FusionCeiling } from './fusion-ceiling.tsx';

type Extra = (props: { readonly report: TaskReport }) => ReactElement | null;

const extras: Readonly<Record<string, Extra>> = { 'linear-relu': FusionCeiling };

export function extrasOf(workload: string): Extra | null {
  return extras[workload] ?? null;
}
