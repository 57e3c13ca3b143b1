/** `braggbench study status` and `stop`. */
import { stopOnCluster } from '../../host/app/studies/cluster/engine.ts';
import { type StudyStatus, statusOf } from '../../host/app/studies/status.ts';
import type { StudyFolder } from '../../host/model/studies/folder.ts';
import { hasFlag } from '../arguments.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { significant } from '../numbers.ts';
import { withHost } from '../open-host.ts';
import type { VerbContext } from '../verb.ts';
import { longTime } from './plan.ts';

function lines(status: StudyStatus, style: VerbContext['terminal']['style']): readonly string[] {
  const { name, points, done, failed, working, lost, failures, stopping, attempts, on } = status;
  const left = points - done - failed;
  const per_s = working.reduce((sum, beat) => sum + (beat.per_s ?? 0), 0);
  const rate = per_s > 0 ? `: ${significant(per_s, 3)} a second, ${longTime(left / per_s)} left at this rate` : '';
  return [
    style('bold', name),
    `${done} of ${points} points are solved${failed > 0 ? `, ${failed} failed` : ''}, ${left} are left${rate}`,
    ...(stopping ? ['It was asked to stop.'] : []),
    ...(on === null
      ? []
      : [
          `given to the cluster ${on.cluster}${working.length > 0 || left === 0 ? '' : `; resume --on ${JSON.stringify(on.cluster)} brings what it has solved since`}`,
        ]),
    ...working.map(
      ({ machine, pid, job, ...beat }) =>
        `working: ${machine}, process ${pid}${job === null ? '' : `, job ${job}`}: ${beat.done} done`,
    ),
    ...lost.map(
      ({ machine, pid, at }) => `lost: ${machine}, process ${pid} said nothing since ${at}; resume does its points`,
    ),
    ...attempts.map(
      ({ node, job, task, end, ...attempt }) => `task ${job}_${task} on ${node}: ${attempt.done} done, then ${end}`,
    ),
    ...failures.map(({ id, message }) => `${style('red', 'failed')} ${id}: ${message}`),
    ...(failures.length < failed
      ? [`… and ${failed - failures.length} more: braggbench study collect lists them`]
      : []),
  ];
}

export async function showStatus({ parsed, terminal }: VerbContext, folder: StudyFolder): Promise<ExitCode> {
  const status = await statusOf(folder);
  if (hasFlag(parsed, 'json')) terminal.printJson(status);
  else for (const line of lines(status, (style, text) => terminal.style(style, text))) terminal.print(line);
  return exitCodes.done;
}

/** Returns at once: who works on it sees it within a second. Where nobody does, jobs on a cluster are cancelled. */
export async function stopStudy({ terminal }: VerbContext, folder: StudyFolder): Promise<ExitCode> {
  await folder.askToStop();
  const { working, on } = await statusOf(folder);
  if (working.length === 0 && on?.there !== undefined) {
    const cluster = await withHost((host) => host.clusters.named(on.cluster));
    await stopOnCluster(cluster, on.there);
    terminal.print(
      `Asked ${on.cluster} to stop; braggbench study resume ${folder.folder} --on ${JSON.stringify(on.cluster)} goes on.`,
    );
    return exitCodes.done;
  }
  const asked = working.length === 0 ? 'Nobody works on it' : `Asked ${working.length} to stop`;
  terminal.print(`${asked}; braggbench study resume ${folder.folder} goes on.`);
  return exitCodes.done;
}
