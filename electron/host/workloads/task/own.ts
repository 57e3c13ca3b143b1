/** Own variants of small measured workloads. */

import type { TaskReport } from '../../../contract/bench/task-bench.ts';
import { type OwnVerdict, ownVerdict } from '../../../contract/own-verdict.ts';
import type { TaskKind } from '../../../contract/task.ts';
import { withOwn } from '../../model/user-kernels/known.ts';
import { runOf } from '../run-data.ts';
import { type OwnWorkload, replaceableBy, withoutKernels } from '../user-kernels.ts';
import { OwnTask } from './own-task.ts';
import { accuracyOf } from './session.ts';

/** `row.cpp` lists variants; `layer.cpp` and `work.cpp` hold what results are compared with. */
const engine = ['registry.cpp', 'row.cpp', 'layer.cpp', 'work.cpp'];

/** What the report says of a variant as its checks; null where it was not measured. */
export function taskVerdict({ entries }: TaskReport, variant: string): OwnVerdict | null {
  const entry = entries.find((one) => one.variant === variant);
  if (entry?.status !== 'measured') return null;
  const { runs, bitwise } = entry.determinism;
  return ownVerdict(accuracyOf(entry), { runs, bitwise, spread: null });
}

export function ownTask(kind: TaskKind): OwnWorkload {
  return {
    bases: (addon) => addon.taskVariants(kind),
    replaceable: replaceableBy({ engine }),
    fixed: (base) => {
      const library = 'library' in base && typeof base.library === 'string' ? base.library : null;
      if (library !== null) return `${base.id} calls ${library}, whose code is not here: there is nothing to copy.`;
      return withoutKernels(base);
    },
    among: (engine, known) => ({
      taskVariants: (workload) => {
        const shipped = engine.taskVariants(workload);
        return workload === undefined || workload === kind ? withOwn(shipped, known.list(kind)) : shipped;
      },
      createTask: (problem) => {
        const own = problem.workload === kind ? known.find(kind, problem.variant) : null;
        const fits = own !== null && own.base.bench === problem.bench;
        return fits ? new OwnTask(engine, known.session(own), problem) : engine.createTask(problem);
      },
    }),
    // The run has repeated and compared it already.
    check: async (_addon, _reading, run) => {
      const { session, variant } = runOf(kind, run);
      const [report] = session.reports;
      return report === undefined ? null : taskVerdict(report, variant);
    },
  };
}
