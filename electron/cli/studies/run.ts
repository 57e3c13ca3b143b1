/** `braggbench study run` and `resume`: solves the missing points. */
import { BraggError } from '../../contract/errors.ts';
import { MAX_UNCONFIRMED_S, MIN_PROBED_S } from '../../contract/study/calls.ts';
import { type Cluster, newCluster } from '../../contract/study/clusters.ts';
import type { Study } from '../../contract/study/index.ts';
import { measuredTime } from '../../domain/measured.ts';
import { plainDigits } from '../../domain/numbers.ts';
import {
  defaultFolder,
  forecastOf,
  isStudyFolder,
  lockStudy,
  type PlannedStudy,
  plannedFolder,
  StudyFolder,
  type StudyOutcome,
  type StudyProgress,
  savePlan,
  solveLocally,
  solveOnCluster,
  unsolvedPoints,
  writeTarget,
} from '../../host/api/studies.ts';
import type { Host } from '../../host/index.ts';
import { flagValue, hasFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { formatBar, ProgressBar } from '../progress-bar.ts';
import { withRemoteHost } from '../remote/remote-host.ts';
import { canPrompt, confirmTrust } from '../user-kernels.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';
import { selectTarget, solveOnSlurm } from './cluster.ts';
import { machineShare, planStudyFile, studyDurationText } from './plan.ts';

/** Expected duration on this machine, s; null if it is short, certainly long, or unknown. */
async function estimateLocal_s({ parsed, signal }: VerbContext, host: Host, found: PlannedStudy) {
  const { least_s, study } = found;
  const isDoubtful = least_s !== null && least_s > MIN_PROBED_S && least_s <= MAX_UNCONFIRMED_S;
  if (!isDoubtful || hasFlag(parsed, 'yes') || study.search !== undefined) return null;
  return (await forecastOf(host, found, machineShare(parsed, host), signal))?.expected_s ?? null;
}

interface StartedStudy {
  readonly folder: Pick<StudyFolder, 'folder'> & { readonly head: Pick<StudyFolder['head'], 'least_s' | 'points'> };
  readonly budget: Study['budget'];
  /** Duration on this machine, s, extrapolated from a few solved points; null if not estimated. */
  readonly here_s: number | null;
}

/**
 * Asks for confirmation if the `left` points need too long. Throws BraggError `invalid` if the user does not confirm.
 */
export async function throwIfTooLong(
  { terminal }: Pick<VerbContext, 'terminal'>,
  { folder: { folder, head }, budget, here_s }: StartedStudy,
  left: number,
): Promise<void> {
  if (budget.minutes !== undefined || budget.points !== undefined) return;
  const share = left / Math.max(1, head.points);
  const [least, here] = [(head.least_s ?? 0) * share, (here_s ?? 0) * share];
  if (Math.max(least, here) <= MAX_UNCONFIRMED_S) return;
  const takes =
    here > MAX_UNCONFIRMED_S
      ? `${folder}: the ${left} points need about ${studyDurationText(here)} on this machine.`
      : `${folder}: the ${left} points need at least ${studyDurationText(least)} in sequence.`;
  if (canPrompt(terminal) && (await confirmTrust(`${takes} Start anyway? [y/N] `))) return;
  throw new BraggError('invalid', `${takes} Start anyway with --yes, or give the study a budget.`);
}

/** Folder of a study with the limits of one command. Limits may differ between commands; the plan does not. */
export interface OpenedStudy {
  readonly folder: StudyFolder;
  readonly budget: Study['budget'];
  /** Duration on this machine, s, extrapolated from a few solved points; null if not estimated. */
  readonly here_s: number | null;
}

export const withPlannedLimits = (folder: StudyFolder): OpenedStudy => ({
  folder,
  budget: folder.study.budget,
  here_s: null,
});

/** Opens the folder of a planned study, or plans a study from its file. */
export async function openOrPlanStudy(context: VerbContext, host: Host, operand: string): Promise<OpenedStudy> {
  const { parsed, signal } = context;
  if (await isStudyFolder(operand)) return withPlannedLimits(await StudyFolder.open(operand));
  const found = await planStudyFile(operand, host, signal);
  const folder = await savePlan(found, flagValue(parsed, 'out') ?? defaultFolder(operand));
  const here_s = flagValue(parsed, 'on') === undefined ? await estimateLocal_s(context, host, found) : null;
  return { folder, budget: found.study.budget, here_s };
}

/** Opens the folder of a planned study. Throws BraggError `not-found`. */
export async function openPlannedStudy({ parsed }: VerbContext, operand: string): Promise<StudyFolder> {
  const folder = flagValue(parsed, 'out') ?? (await plannedFolder(operand));
  if (folder !== null) return StudyFolder.open(folder);
  throw new BraggError(
    'not-found',
    `${operand} has not been run: ${defaultFolder(operand)} does not exist. Run it with braggbench study run.`,
  );
}

export function progressText({ done, failed, total, per_s, left_s }: StudyProgress): string {
  const ended = done + failed;
  const parts = [
    `${formatBar(total === 0 ? 1 : ended / total)} ${ended} of ${total} points`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(per_s === null ? [] : [`${plainDigits(per_s, 3)} a second`]),
    ...(left_s === null ? [] : [`${studyDurationText(left_s)} left at this rate`]),
  ];
  return parts.join('  ');
}

const endReasonTexts = {
  whole: '',
  stopped: 'stopped on request',
  cancelled: 'interrupted',
  budget: 'the budget is used up',
} as const;

export function printOutcome(
  { parsed, terminal }: VerbContext,
  folder: StudyFolder,
  outcome: StudyOutcome,
  before: number,
): void {
  const { done, failed, end, wall_s } = outcome;
  const left = folder.head.points - before - done - failed;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ folder: folder.folder, points: folder.head.points, before, done, failed, left, end, wall_s });
    return;
  }
  const rate = done + failed > 0 ? `, ${plainDigits((done + failed) / wall_s, 3)} a second` : '';
  const ended = `${done} points solved in ${measuredTime(wall_s)}${rate}`;
  const parts = [
    ended,
    ...(before > 0 ? [`${before} had already been solved`] : []),
    ...(failed > 0 ? [terminal.style('red', `${failed} failed`)] : []),
    ...(left > 0 ? [`${left} are left`] : []),
    ...(endReasonTexts[end] === '' ? [] : [endReasonTexts[end]]),
  ];
  terminal.print(parts.join('; '));
  if (failed > 0) terminal.print(`See the reasons with braggbench study status ${folder.folder}`);
  if (left === 0) terminal.print(`Table: braggbench study collect ${folder.folder}`);
}

/** Cluster entry for a machine without Slurm. */
const remoteHostEntry = (host: string, base: string, program: string): Cluster => ({
  ...newCluster,
  ...{ name: host, host, folder: base, program: `${program}/braggbench` },
});

export async function runStudy(context: VerbContext, host: Host, study: OpenedStudy): Promise<ExitCode> {
  const { folder, budget } = study;
  const { parsed, terminal, signal } = context;
  const on = await selectTarget(context, host);
  const lock = await lockStudy(folder);
  try {
    const retry = hasFlag(parsed, 'retry');
    const lines = await unsolvedPoints(folder, retry);
    if (!hasFlag(parsed, 'yes')) await throwIfTooLong(context, study, lines.length);
    await folder.clearStopRequest();
    const progress = new ProgressBar(terminal);
    const onProgress = (now: StudyProgress): void => progress.draw(progressText(now));
    const go = { host, folder, lines, budget, onProgress };
    const solve = (): Promise<StudyOutcome> => {
      if (on === null) {
        const here = { share: machineShare(parsed, host), assetsFolder: assetsFolder(), job: null };
        return solveLocally({ ...go, ...here, signal });
      }
      if (on.kind === 'slurm') return solveOnSlurm(context, go);
      if (on.kind === 'cluster') return solveOnCluster({ ...go, signal, retry, cluster: on.cluster });
      return withRemoteHost(context, on.host, ({ probed, folder: program }) =>
        solveOnCluster({ ...go, signal, retry, cluster: remoteHostEntry(on.host, probed.base, program), direct: true }),
      );
    };
    await writeTarget(folder.folder, on?.kind === 'cluster' ? { cluster: on.cluster.name } : null);
    const outcome = await solve().finally(() => progress.clear());
    printOutcome(context, folder, outcome, folder.head.points - lines.length);
    if (outcome.end === 'cancelled') {
      if (on !== null && on.kind !== 'host')
        terminal.printNote(
          'Its jobs continue to run. To follow them, use braggbench study resume; to cancel them, use braggbench study stop.',
        );
      return exitCodes.interrupted;
    }
    return outcome.failed === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    lock.release();
  }
}
