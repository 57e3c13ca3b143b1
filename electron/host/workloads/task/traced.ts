/** One traced sample of a task, as a timeline: on a GPU every kernel, copy and driver call of its repetitions. */
import type { NativeAddon } from '../../addon.ts';
import type { TaskProblem } from '../../addon-task.ts';
import { usedGpu } from '../../gpu.ts';
import type { Timeline } from '../../trace/chrome-trace.ts';
import { taskCandidates } from './candidates.ts';
import { TaskWorker } from './contestant.ts';

/** Few repetitions: a trace is looked at, and slows launches. */
const traced_s = 1e-3;

/** Null when it was cancelled. Throws a BraggError. `traceReason`: why the device's work is not in it. */
export async function tracedTask(
  addon: NativeAddon,
  name: string,
  problem: TaskProblem,
  signal?: AbortSignal,
): Promise<(Timeline & { readonly traceReason: string | null }) | null> {
  const [candidate] = taskCandidates(problem, [problem.variant], addon.taskVariants(problem.workload));
  if (candidate === undefined) return null;
  const worker = new TaskWorker(addon, candidate, signal);
  try {
    // Finds how often to repeat it, untraced.
    if ((await worker.sample('warm', traced_s)) === null) return null;
    const sample = await worker.sample('warm', traced_s, true);
    if (sample === null) return null;
    const { version } = addon.buildInfo();
    const device = usedGpu(addon.devices())?.name ?? null;
    return {
      name,
      variant: problem.variant,
      precision: candidate.variant.precision,
      machine: { device: candidate.variant.device === 'cuda' ? device : null, cpu: addon.machine().cpu },
      program: { version },
      spans: sample.spans,
      trace: sample.trace,
      traceReason: sample.traceReason,
    };
  } finally {
    await worker.close();
  }
}
