/** Small measured workloads in the host: one shape for every kind of them. */

import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import { taskKinds } from '../../../contract/scenario/kinds.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { isTaskKind } from '../../../contract/task.ts';
import { countText } from '../../../contract/units.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { runOf } from '../run-data.ts';
import { type AnyReading, problemOf, type TaskReading } from '../scenarios/index.ts';
import { ofKind } from '../scenarios/side.ts';
import { asVariant } from '../variant.ts';
import type { HostWorkload } from '../workload.ts';
import { taskBenchable } from './benchable.ts';
import { variantsFor } from './candidates.ts';
import { comparedTasks } from './compared.ts';
import { exportTask } from './export.ts';
import { taskMeasures } from './measures.ts';
import { taskRunFile } from './run-file.ts';
import { TaskRunning } from './running.ts';
import { resolveTask } from './scenario/index.ts';
import { isTask } from './scenario/reading.ts';
import { taskScenario } from './scenario/side.ts';
import { bestOf } from './task-data.ts';
import { roundsText } from './texts.ts';
import { taskTimeline } from './timeline.ts';
import { taskUserKernels } from './user-kernels.ts';
import { sizesIn } from './user-problem/definition.ts';
import { leastOfRun, refuseLongTask } from './work.ts';

function narrowed(kind: TaskKind, reading: AnyReading): TaskReading {
  if (isTask(reading)) return reading;
  throw new Error(`a scenario of ${reading.kind} came to ${kind}`);
}

export function taskWorkload(kind: TaskKind): HostWorkload {
  const variants = (addon: NativeAddon) =>
    addon.taskVariants(kind).map((variant) => asVariant(variant, [variant.precision]));
  return {
    scenario: taskScenario,
    runFile: taskRunFile,
    timeline: (run) => taskTimeline(runOf(kind, run)),
    userKernels: taskUserKernels(kind),
    compiledAtStart: false,
    variants,
    resolve: async ({ addon, memoryLimit_bytes }, any) => {
      const reading = narrowed(kind, any);
      if (reading.problem === null) return null;
      const problem = reading.problem();
      const mine = variantsFor(problem, addon.taskVariants(kind));
      const { plan } = addon.createTask(problem);
      refuseLongTask(problem);
      return {
        kind,
        scenario: { ...reading.scenario },
        variant: plan.variant,
        variants: mine.map(({ id, reason }) => ({ id, refusal: reason })),
        estimate: { total_bytes: plan.estimate_bytes, limit_bytes: memoryLimit_bytes },
        bench: problem.bench,
        title: mine[0]?.benchTitle ?? kind,
        available: mine.filter(({ available }) => available).length,
      };
    },
    needs: async (addon, reading) => {
      const asked = problemOf(narrowed(kind, reading));
      const { variant, precision, estimate_bytes } = addon.createTask(asked).plan;
      refuseLongTask(asked);
      const problem = kind === USER_PROBLEM ? sizesIn(asked) : { ...asked.numbers, ...asked.words, ...asked.switches };
      const told = Object.entries(problem).map(([name, value]) => `${name} ${value}`);
      return {
        variant,
        precision,
        state_bytes: estimate_bytes,
        size: told.join(', '),
        sizes: { problem },
        least_s: leastOfRun(addon, asked),
      };
    },
    prepare: async (addon, any, { assetsFolder, name, trace, measure, energy }) => {
      const reading = narrowed(kind, any);
      refuseLongTask(problemOf(reading));
      return new TaskRunning(addon, {
        kind,
        problem: problemOf(reading),
        document: { ...reading.document },
        name: reading.scenario.name || name,
        assetsFolder,
        trace,
        measure,
        energy,
      });
    },
    ended: async (any) => {
      const { session } = runOf(kind, any);
      const best = bestOf(session);
      const measured = session.reports[0]?.entries.filter(({ status }) => status === 'measured').length ?? 0;
      const rounds = session.reports[0]?.rounds ?? 0;
      const gain = best === null || best.ratio.value === 0 ? null : 1 / best.ratio.value;
      return {
        size: countText(measured, 'variant'),
        headline: gain === null ? null : { name: 'best', value: gain, unit: '×' },
        detail: { workload: kind, phase: 'rounds', what: '', round: rounds, rounds },
        upTo: roundsText(session),
      };
    },
    exported: (run, what, packer) => exportTask(runOf(kind, run), what, packer),
    benchable: taskBenchable(kind),
    compared: comparedTasks,
    measures: (run) => taskMeasures(runOf(kind, run)),
    // Anything that runs at the same time disturbs a measurement.
    together: () => 'alone',
    about: () => '',
    // Claims may be limited to some values.
    claimed: (filled) => (isTaskKind(filled.kind) ? resolveTask(ofKind(taskKinds, filled), 1) : null),
  };
}
