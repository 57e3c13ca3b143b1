/** Published claims beside what a bench of tasks gave. */

import type { TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { TaskEntry, TaskReport } from '../../../contract/bench/recorded/task.ts';
import { isIncorrect } from '../../../contract/bench/session.ts';
import type { ScenarioWithConstants, TaskScenario } from '../../../contract/scenario/index.ts';
import { taskKinds } from '../../../contract/scenario/kinds.ts';
import { isTaskKind } from '../../../contract/task.ts';
import {
  keptInstances,
  type Measured,
  notMeasured,
  taskClaimResults,
  toldOrCounted,
} from '../../model/bench/claim-results.ts';
import type { Claim, Values } from '../../model/bench/claims.ts';
import { ofKind } from '../scenarios/side.ts';
import { resolveTask } from './scenario/index.ts';

function measured(entries: readonly TaskEntry[], variant: string) {
  const entry = entries.find(({ label }) => label === variant);
  return entry?.status === 'measured' ? entry : null;
}

type Judged = Pick<TaskReport, 'entries' | 'seed'> & {
  readonly machine: { readonly gpu: { readonly name: string } | null };
};

export function measuredTasks({ entries, seed, machine }: Judged): Measured {
  return {
    gpu: machine.gpu?.name ?? null,
    seed,
    timesFor: ({ variant, mode, clock }) => {
      const entry = measured(entries, variant);
      // Prepared once: there is no whole run.
      if (entry === null || clock !== 'counted') return notMeasured;
      const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
      return { times: keptInstances(samples, ({ time_s }) => time_s), wrong: isIncorrect(entry.verdict) };
    },
    numberOf: (variant, quantity) => {
      const entry = measured(entries, variant);
      if (entry === null || isIncorrect(entry.verdict)) return null;
      return toldOrCounted(entry.quantities, entry, quantity);
    },
  };
}

export const taskClaims = (claims: readonly Claim[], report: Judged): TaskClaimResult[] =>
  taskClaimResults(claims, measuredTasks(report));

const asTask = (filled: ScenarioWithConstants): TaskScenario | null =>
  isTaskKind(filled.kind) ? ofKind(taskKinds, filled) : null;

/** The values of a scenario with its defaults; null where it is of something else. */
export function taskValues(filled: ScenarioWithConstants): Values | null {
  const scenario = asTask(filled);
  return scenario === null ? null : resolveTask(scenario, 1);
}
