/** Small measured workloads on the command line: every kind whose problem is flat. */

import type { Session, SessionReport } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { NamedFile } from '../../../contract/files.ts';
import type { ScenarioKindName } from '../../../contract/scenario/index.ts';
import type { UserKernelVerdict } from '../../../contract/user-kernels/verdict.ts';
import { withoutRecordings } from '../../../host/app/sessions/index.ts';
import type { Host } from '../../../host/index.ts';
import type { TaskProblem } from '../../../host/io/addon/task.ts';
import { limitsOf, sessionText } from '../../../host/model/bench/index.ts';
import { engineRefusal, problemOf, type TaskReading } from '../../../host/workloads/scenarios/index.ts';
import { variantsFor } from '../../../host/workloads/task/candidates.ts';
import { isTask } from '../../../host/workloads/task/scenario/reading.ts';
import { taskVerdict, userKernelRefusal } from '../../../host/workloads/task/user-kernels.ts';
import { flagValue, hasFlag, type ParsedArguments } from '../../arguments.ts';
import { exitCodeOf, measured, refuseUnkeptTrace, show } from '../../benching.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { writeOutput } from '../../output-file.ts';
import { fitByName, type KnownReading } from '../../read-scenario.ts';
import { saidBy, verdictLines } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';
import { variantList, type Workload } from '../workload.ts';

// `braggbench run` of a small measured workload: one variant, checked and timed.

/** Enough for a median and how far samples stray from it. */
const rounds = 7;

/** The variant that runs; `auto` is resolved. Throws a BraggError with what the engine refuses. */
function chosen(host: Host, reading: TaskReading, problem: TaskProblem): string {
  try {
    return host.addon.createTask(problem).plan.variant;
  } catch (error) {
    throw engineRefusal(reading, error);
  }
}

/** The checks of a user kernel; null of one of ours. Throws a BraggError with what ended it. */
function verdictOf(host: Host, report: SessionReport, variant: string): UserKernelVerdict | null {
  if (host.userKernels.find(variant) === null) return null;
  const refused = report.entries.find((entry) => entry.variant === variant && entry.status === 'refused');
  if (refused?.status === 'refused') throw userKernelRefusal(variant, refused.reason);
  return taskVerdict(report, variant);
}

/** Saves the session and returns the error, if any: it is thrown after the result has been printed. */
async function keptAt(parsed: ParsedArguments, session: Session): Promise<BraggError | null> {
  const out = flagValue(parsed, 'out');
  if (out === undefined) return null;
  try {
    await writeOutput(parsed, out, sessionText(session));
    return null;
  } catch (error) {
    if (error instanceof BraggError) return error;
    throw error;
  }
}

async function runTask(
  context: VerbContext,
  host: Host,
  reading: KnownReading,
  place: NamedFile | null,
): Promise<ExitCode> {
  const { parsed, terminal } = context;
  refuseUnkeptTrace(parsed);
  if (!isTask(reading)) throw new Error(`a scenario of ${reading.kind} came to a small measured workload`);
  const variant = chosen(host, reading, problemOf(reading));
  const session = await measured(context, host, {
    verb: 'run',
    readings: [reading],
    variants: [variant],
    modes: [],
    limits: limitsOf(rounds, Number.POSITIVE_INFINITY),
    sweep: null,
    withoutClaims: true,
  });
  const [report] = session.reports;
  if (report === undefined) throw new Error('a measurement gave no report');
  const kept = await keptAt(parsed, session);
  const verdict = verdictOf(host, report, variant);
  if (verdict !== null && hasFlag(parsed, 'json'))
    terminal.printJson({ ...report, checks: verdict, printed: host.userKernels.printed(variant) });
  else show(context, withoutRecordings(session));
  if (verdict !== null && !hasFlag(parsed, 'json')) {
    for (const line of ['', ...verdictLines(verdict, (style, text) => terminal.style(style, text))])
      terminal.print(line);
    for (const line of saidBy(host, variant)) terminal.print(line);
  }
  if (kept instanceof Error) throw kept;
  if (place !== null) terminal.say(`Kept as ${place.place}`);
  return verdict?.right === false ? exitCodes.failed : exitCodeOf([report]);
}

export function taskWorkload(kind: ScenarioKindName): Workload {
  return {
    fit: fitByName,
    run: runTask,
    usual: (addon, reading) => (isTask(reading) ? variantsFor(problemOf(reading), addon.taskVariants(kind)) : []),
    variants: (addon) => {
      const all = addon.taskVariants(kind);
      const hasRows = all.some(({ bench }) => bench !== '');
      const row = hasRows ? [{ title: 'Row', text: ({ bench }: { readonly bench: string }) => bench }] : [];
      return variantList(all, [{ title: 'Precision', text: ({ precision }) => precision }], row);
    },
    compare: null,
  };
}
