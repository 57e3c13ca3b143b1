/** `braggbench bench` of a small measured workload. */
import { TASK_SESSION_FORMAT, type TaskReport, type TaskSession } from '../../../contract/task-bench.ts';
import { devicesWithCeilings, gpuFacts, readTaskClaims, recordedFacts } from '../../../host/bench/index.ts';
import type { Host } from '../../../host/index.ts';
import { type Override, problemOf, type TaskReading } from '../../../host/scenarios/index.ts';
import { benchTask, type TaskBenchOptions } from '../../../host/workloads/task/bench.ts';
import { variantsFor } from '../../../host/workloads/task/candidates.ts';
import { taskFits, writeTaskSession } from '../../../host/workloads/task/session-file.ts';
import { flagNumber, flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { assetsFolder } from '../../assets-folder.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { modesOf } from '../../modes.ts';
import { duration } from '../../numbers.ts';
import { bar, ProgressBar } from '../../progress-bar.ts';
import { parseSweep } from '../../sweep.ts';
import type { VerbContext } from '../../verb.ts';
import { taskReport, taskSweepReport } from './report.ts';
import { readTaskScenario } from './scenario.ts';

const fewestRounds = 7;
const usualMostRounds = 100;
const usualSeconds = 60;

function listed(parsed: ParsedArguments, flag: string): readonly string[] | null {
  return (
    flagValue(parsed, flag)
      ?.split(',')
      .map((word) => word.trim()) ?? null
  );
}

/** The kernels of a workload lie in the folder of its name, with underscores. */
const kernelsOf = (workload: string): string => workload.replaceAll('-', '_');

/** What sessions of `run` and `bench` have in common: machine, claims, how they end. */
export async function commonOptions(
  { parsed, terminal, signal }: VerbContext,
  host: Host,
  reading: TaskReading,
): Promise<Omit<TaskBenchOptions, 'variants' | 'limits'>> {
  const problem = problemOf(reading);
  const devices = await devicesWithCeilings(host.addon, (reason) => terminal.say(`No ceilings: ${reason}`));
  const progress = new ProgressBar(terminal);
  return {
    scenario: reading.scenario.name || (parsed.operands[0] ?? ''),
    seed: flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1,
    gpu: gpuFacts(devices),
    claims: await readTaskClaims(assetsFolder(), problem),
    recorded: {
      ...(await recordedFacts(assetsFolder(), devices, kernelsOf(problem.workload))),
      ...(reading.document === null ? {} : { document: { ...reading.document } }),
    },
    signal,
    onProgress: ({ phase, what, round, mostRounds, elapsed_s }) => {
      if (round >= mostRounds) progress.clear();
      else if (phase === 'rounds') {
        progress.draw(
          `${bar(round / mostRounds)}  round ${round + 1} of at most ${mostRounds}: ${what}  ${duration(elapsed_s)}`,
        );
      } else progress.draw(`${phase}: ${what}  ${duration(elapsed_s)}`);
    },
  };
}

async function measure(context: VerbContext, host: Host, more: readonly Override[]): Promise<TaskReport> {
  const { parsed, terminal } = context;
  const reading = await readTaskScenario(context, host, more);
  const problem = problemOf(reading);
  const own = variantsFor(problem, host.addon.taskVariants());
  const mostRounds = flagNumber(parsed, 'rounds', { min: 1, max: 100_000, whole: true }) ?? usualMostRounds;
  const mostSeconds = flagNumber(parsed, 'time', { min: 0, max: 86_400 }) ?? usualSeconds;
  const common = await commonOptions(context, host, reading);
  return benchTask(host.addon, problem, {
    ...common,
    variants: listed(parsed, 'variants') ?? own.filter(({ available }) => available).map(({ id }) => id),
    modes: modesOf(parsed),
    limits: { fewestRounds: Math.min(fewestRounds, mostRounds), mostRounds, mostSeconds },
  }).finally(() => new ProgressBar(terminal).clear());
}

/** One document for scripts, or tables for people. */
export function showTaskSession({ terminal, parsed }: VerbContext, session: TaskSession): void {
  const { reports, sweep } = session;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(sweep === null ? reports[0] : session);
    return;
  }
  const style: Parameters<typeof taskReport>[1] = (name, text) => terminal.style(name, text);
  for (const [i, report] of reports.entries()) {
    if (i > 0) terminal.print();
    if (sweep !== null) terminal.print(style('bold', `${sweep.path} = ${sweep.values[i]}`));
    for (const line of taskReport(report, style)) terminal.print(line);
  }
  if (sweep !== null) for (const line of taskSweepReport(sweep, style)) terminal.print(line);
}

export function sessionOf(
  words: readonly string[],
  reports: readonly TaskReport[],
  sweep: TaskSession['sweep'] = null,
): TaskSession {
  return {
    format: TASK_SESSION_FORMAT,
    format_version: 1,
    created: new Date().toISOString(),
    command: words.join(' '),
    reports: [...reports],
    sweep,
  };
}

export function exitCodeOf(reports: readonly TaskReport[]): ExitCode {
  if (reports.some(({ stopped }) => stopped === 'cancelled')) return exitCodes.interrupted;
  return reports.every(({ stopped }) => stopped === 'refused') ? exitCodes.badInput : exitCodes.done;
}

export async function benchTasks(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal, signal } = context;
  if (flagValue(parsed, 'external') !== undefined) throw new UsageError('--external is for transport scenarios');
  const sweepText = flagValue(parsed, 'sweep');
  const sweep = sweepText === undefined ? null : parseSweep(sweepText);
  const reports: TaskReport[] = [];
  for (const overrides of sweep?.overrides ?? [[]]) {
    if (signal.aborted && reports.length > 0) break;
    reports.push(await measure(context, host, overrides));
  }
  const values = sweep?.values.slice(0, reports.length) ?? [];
  const session = sessionOf(
    ['bench', ...context.words],
    reports,
    sweep === null ? null : { path: sweep.path, values, fits: taskFits(values, reports) },
  );
  const out = flagValue(parsed, 'out');
  if (out !== undefined) {
    await writeTaskSession(out, session);
    terminal.say(`Kept as ${out}`);
  }
  showTaskSession(context, session);
  return exitCodeOf(reports);
}
