/** Command-line part of all small measured workloads, whose problem is a flat object. */

import type { Session, SessionReport } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { NamedFile } from '../../../contract/files.ts';
import type { ScenarioKindName } from '../../../contract/scenario/index.ts';
import type { UserKernelVerdict } from '../../../contract/user-kernels/checks.ts';
import { createLimits, sessionText, type ValidReading, withoutRecordings } from '../../../host/api/benches.ts';
import { engineErrorWithIssue, problemOf, type TaskReading } from '../../../host/api/scenarios.ts';
import { isTask, taskVerdict, unknownUserKernelError, variantsFor } from '../../../host/api/workloads.ts';
import type { Host, TaskProblem } from '../../../host/index.ts';
import { flagValue, hasFlag, type ParsedArguments } from '../../arguments.ts';
import { exitCodeOf, measureWithProgress, printSession, throwIfTraceUnsaved } from '../../benching.ts';
import { writeOutput } from '../../output-file.ts';
import { adaptByName } from '../../read-scenario.ts';
import { userKernelNotes, verdictLines } from '../../user-kernels.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../../verb.ts';
import { variantList, type Workload } from '../workload.ts';

/** Number of rounds, which suffices for a median and a spread. */
const rounds = 7;

/** Variant to run; `auto` is replaced by the selected one. Throws BraggError if the engine rejects it. */
function resolvedVariant(host: Host, reading: TaskReading, problem: TaskProblem): string {
  try {
    return host.addon.createTask(problem).plan.variant;
  } catch (error) {
    throw engineErrorWithIssue(reading, error);
  }
}

/** Check results of a user kernel; null for a built-in variant. Throws BraggError if the kernel failed. */
function userKernelChecks(host: Host, report: SessionReport, variant: string): UserKernelVerdict | null {
  if (host.userKernels.find(variant) === null) return null;
  const refused = report.entries.find((entry) => entry.variant === variant && entry.status === 'refused');
  if (refused?.status === 'refused') throw unknownUserKernelError(variant, refused.reason);
  return taskVerdict(report, variant);
}

/** Saves the session. Returns an error instead of throwing it, because the result must be printed first. */
async function saveSession(parsed: ParsedArguments, session: Session): Promise<BraggError | null> {
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
  reading: ValidReading,
  place: NamedFile | null,
): Promise<ExitCode> {
  const { parsed, terminal } = context;
  throwIfTraceUnsaved(parsed);
  if (!isTask(reading)) throw new Error(`a scenario of kind ${reading.kind} is not a small measured workload`);
  const variant = resolvedVariant(host, reading, problemOf(reading));
  const session = await measureWithProgress(context, host, {
    verb: 'run',
    readings: [reading],
    variants: [variant],
    modes: [],
    limits: createLimits(rounds, Number.POSITIVE_INFINITY),
    sweep: null,
    withoutClaims: true,
  });
  const [report] = session.reports;
  if (report === undefined) throw new Error('the measurement returned no report');
  const saved = await saveSession(parsed, session);
  const verdict = userKernelChecks(host, report, variant);
  if (verdict !== null && hasFlag(parsed, 'json'))
    terminal.printJson({ ...report, checks: verdict, printed: host.userKernels.printedOutput(variant) });
  else await printSession(context, withoutRecordings(session));
  if (verdict !== null && !hasFlag(parsed, 'json')) {
    for (const line of ['', ...verdictLines(verdict, (style, text) => terminal.style(style, text))])
      terminal.print(line);
    for (const line of userKernelNotes(host, variant)) terminal.print(line);
  }
  if (saved instanceof Error) throw saved;
  if (place !== null) terminal.printNote(`Saved as ${place.place}`);
  return verdict?.right === false && !verdict.doubtful ? exitCodes.failed : exitCodeOf([report]);
}

export function taskWorkload(kind: ScenarioKindName): Workload {
  return {
    adapt: adaptByName,
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
