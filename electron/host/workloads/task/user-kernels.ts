/** User kernels of small measured workloads. */

import type { SessionReport } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { type UserKernelVerdict, userKernelVerdict } from '../../../contract/user-kernels/verdict.ts';
import type { TaskVariant } from '../../io/addon/task.ts';
import { ANSWER_FILE } from '../../model/reproducer/reproducer.ts';
import type { UserKernel } from '../../model/user-kernels/file.ts';
import { withUserKernels } from '../../model/user-kernels/known.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/index.ts';
import { replaceableBy, type UserKernelWorkload, withoutKernels } from '../user-kernels.ts';
import { isTask } from './scenario/reading.ts';
import { UserKernelTask } from './user-kernel-task.ts';

/** `row.cpp` lists variants; `layer.cpp` and `work.cpp` hold what results are compared with. */
const engine = ['registry.cpp', 'row.cpp', 'layer.cpp', 'work.cpp'];

/** Checks of a variant in a report; null if it was not measured. */
export function taskVerdict({ entries }: Pick<SessionReport, 'entries'>, variant: string): UserKernelVerdict | null {
  const entry = entries.find((one) => one.variant === variant);
  if (entry?.status !== 'measured') return null;
  const { runs = 0, bitwise = false } = entry.determinism ?? {};
  return userKernelVerdict(entry.accuracy, { runs, bitwise, spread: null });
}

/** Error for a user kernel that is not among the variants. Rows omit its name, so the message always begins with it. */
export function userKernelRefusal(variant: string, reason: string): BraggError {
  return new BraggError('device', reason.startsWith(variant) ? reason : `${variant}: ${reason}`);
}

/** A problem of the user has candidates only: the engine's own variants are their seats. */
function withCandidates(shipped: readonly TaskVariant[], candidates: readonly UserKernel[]): TaskVariant[] {
  const seats = shipped.filter(({ workload }) => workload === USER_PROBLEM);
  const others = shipped.filter(({ workload }) => workload !== USER_PROBLEM);
  const mine = candidates.flatMap(({ id, description, base }) => {
    const seat = seats.find((one) => one.id === base.id);
    if (seat === undefined) return [];
    const { title, changes, bench } = description;
    return [{ ...seat, id, bench, benchTitle: bench, title, changes: changes || title, buildsOn: null, source: id }];
  });
  return [...others, ...mine];
}

export function taskUserKernels(kind: TaskKind): UserKernelWorkload {
  return {
    bases: (addon) => addon.taskVariants(kind),
    replaceable: replaceableBy({ engine }),
    fixed: (base) => {
      const library = 'library' in base && typeof base.library === 'string' ? base.library : null;
      if (library !== null) return `${base.id} calls ${library}, whose code is not here: there is nothing to copy.`;
      return withoutKernels(base);
    },
    reproduced: (_addon, reading, { base, answer }) => {
      if (!isTask(reading)) throw new Error(`a scenario of ${reading.kind} came to ${kind}`);
      const problem = { ...problemOf(reading), variant: base.id };
      if (answer === null) return { kind: 'task', problem, held: null };
      const words = { ...problem.words, answer: ANSWER_FILE };
      return { kind: 'task', problem: { ...problem, words }, answered: problem, held: null };
    },
    among: (engine, known) => ({
      taskVariants: (workload) => {
        const shipped = engine.taskVariants(workload);
        if (workload !== undefined && workload !== kind) return shipped;
        return kind === USER_PROBLEM
          ? withCandidates(shipped, known.list(kind))
          : withUserKernels(shipped, known.list(kind));
      },
      createTask: (problem) => {
        const isAuto = kind === USER_PROBLEM && problem.workload === kind && problem.variant === 'auto';
        const [first] = isAuto ? known.list(kind).filter(({ base }) => base.bench === problem.bench) : [];
        const kernel = first ?? (problem.workload === kind ? known.find(kind, problem.variant) : null);
        const fits = kernel !== null && kernel.base.bench === problem.bench;
        return fits ? new UserKernelTask(engine, known.loaded(kernel), problem) : engine.createTask(problem);
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
