/** `braggbench run` of a small measured workload: one variant, checked and timed. */
import type { NamedFile } from '../../../contract/files.ts';
import { TASK_SESSION_FORMAT, type TaskSession } from '../../../contract/task-bench.ts';
import type { TaskProblem } from '../../../host/addon-task.ts';
import { writeSession } from '../../../host/bench/index.ts';
import type { Host } from '../../../host/index.ts';
import {
  engineRefusal,
  type Override,
  problemOf,
  type TaskReading,
  writeAtomically,
} from '../../../host/scenarios/index.ts';
import { chromeTrace } from '../../../host/trace/chrome-trace.ts';
import { tracedTask } from '../../../host/workloads/task/traced.ts';
import { flagValue, hasFlag, UsageError } from '../../arguments.ts';
import { exitCodeOf } from '../../benching.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { VerbContext } from '../../verb.ts';
import { measureTask, showTaskSession } from './bench.ts';
import { readTaskScenario } from './scenario.ts';

/** Enough for a median and how far samples stray from it. */
const rounds = 7;

const overrideFor = (id: string | undefined): readonly Override[] =>
  id === undefined ? [] : [{ path: ['solver', 'variant'], value: id }];

/** Of auto the one that runs. Throws a BraggError with what the engine refuses. */
function chosen(host: Host, reading: TaskReading, problem: TaskProblem): string {
  try {
    return host.addon.createTask(problem).plan.variant;
  } catch (error) {
    throw engineRefusal(reading, error);
  }
}

export async function runTask(context: VerbContext, host: Host, place: NamedFile | null): Promise<ExitCode> {
  const { parsed, terminal, signal } = context;
  const traced = hasFlag(parsed, 'trace');
  if (traced && place === null) throw new UsageError('--trace needs --out: a name for the timeline, such as run.json');
  const reading = await readTaskScenario(context, host, overrideFor(flagValue(parsed, 'variant')));
  const asked = problemOf(reading);
  const variant = chosen(host, reading, asked);
  const problem = { ...asked, variant };
  const report = await measureTask(context, host, reading, problem, {
    claims: [],
    variants: [variant],
    limits: { fewestRounds: rounds, mostRounds: rounds, mostSeconds: Number.POSITIVE_INFINITY },
  });
  const session: TaskSession = {
    format: TASK_SESSION_FORMAT,
    format_version: 1,
    created: new Date().toISOString(),
    command: ['run', ...context.words].join(' '),
    reports: [report],
    sweep: null,
  };
  const out = flagValue(parsed, 'out');
  if (out !== undefined && traced) {
    const timeline = await tracedTask(host.addon, report.scenario, problem, signal);
    if (timeline === null) return exitCodes.interrupted;
    if (timeline.traceReason !== null) terminal.say(timeline.traceReason);
    await writeAtomically(out, `${JSON.stringify(chromeTrace(timeline))}\n`, 'replace');
  } else if (out !== undefined) await writeSession(out, session);
  showTaskSession(context, session);
  if (place !== null) terminal.say(`Kept as ${place.place}`);
  return exitCodeOf([report]);
}
