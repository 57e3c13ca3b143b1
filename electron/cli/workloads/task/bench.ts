/** `braggbench bench` of a small measured workload. */
import { TASK_SESSION_FORMAT, type TaskReport, type TaskSession } from '../../../contract/bench/task-bench.ts';
import { placeOf } from '../../../host/app/user-kernels/user-kernels.ts';
import type { Host } from '../../../host/index.ts';
import type { TaskProblem } from '../../../host/io/addon/task.ts';
import { problemOf, type TaskReading } from '../../../host/workloads/scenarios/index.ts';
import { benchTask, type TaskBenchOptions } from '../../../host/workloads/task/bench.ts';
import { variantsFor } from '../../../host/workloads/task/candidates.ts';
import { taskFits, withoutRecordings } from '../../../host/workloads/task/session-file.ts';
import { taskSurroundings } from '../../../host/workloads/task/surroundings.ts';
import { flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { assetsFolder } from '../../assets-folder.ts';
import {
  keepAndShow,
  type Lines,
  measured,
  refuseExternal,
  roundLine,
  roundsAsked,
  seedOf,
  show,
} from '../../benching.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { modesOf } from '../../modes.ts';
import { duration } from '../../numbers.ts';
import { ProgressBar } from '../../progress-bar.ts';
import { openNamed, ours } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';
import { taskReport, taskSweepReport } from './report.ts';
import { readTaskScenario } from './scenario.ts';

/** Measures a scenario's variants with what sessions of `run` and `bench` have in common: machine, claims, progress. */
export async function measureTask(
  { parsed, terminal, signal }: VerbContext,
  host: Host,
  reading: TaskReading,
  problem: TaskProblem,
  own: Pick<TaskBenchOptions, 'variants' | 'modes' | 'limits' | 'claims'>,
): Promise<TaskReport> {
  const progress = new ProgressBar(terminal);
  return benchTask(host.addon, problem, {
    scenario: reading.scenario.name || (parsed.operands[0] ?? ''),
    seed: seedOf(parsed),
    ...(await taskSurroundings(host.addon, problem, assetsFolder(), reading.document, (reason) =>
      terminal.say(`No ceilings: ${reason}`),
    )),
    ...(hasFlag(parsed, 'trace') && { trace: (reason: string) => terminal.say(reason) }),
    signal,
    onProgress: ({ phase, variant: what, round, mostRounds, elapsed_s }) =>
      progress.draw(
        phase === 'rounds'
          ? roundLine(what, round, mostRounds, elapsed_s)
          : `${phase}: ${what}  ${duration(elapsed_s)}`,
      ),
    ...own,
  }).finally(() => progress.clear());
}

const lines: Lines<TaskSession> = { report: taskReport, sweep: taskSweepReport, document: withoutRecordings };

export const showTaskSession = (context: VerbContext, session: TaskSession): void => show(context, session, lines);

/** A trace that is not kept would cost its time for nothing. */
export function refuseUnkeptTrace(parsed: ParsedArguments): void {
  if (hasFlag(parsed, 'trace') && flagValue(parsed, 'out') === undefined)
    throw new UsageError('--trace needs --out: a name for the session that keeps it, such as run.json');
}

export async function benchTasks(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed } = context;
  refuseExternal(parsed);
  refuseUnkeptTrace(parsed);
  const session = await measured(
    context,
    async (more) => {
      const reading = await readTaskScenario(context, host, more);
      const problem = problemOf(reading);
      const named = await openNamed(context, host, placeOf(reading.scenario));
      return measureTask(context, host, reading, problem, {
        variants: named ?? ours(variantsFor(problem, host.addon.taskVariants())),
        modes: modesOf(parsed),
        limits: roundsAsked(parsed),
      });
    },
    taskFits,
  );
  return keepAndShow<TaskSession>(context, { format: TASK_SESSION_FORMAT, ...session }, lines);
}
