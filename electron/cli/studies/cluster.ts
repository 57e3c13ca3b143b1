/** `braggbench study run --on NAME`, and the task that a job array calls on a node. */
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import type { Cluster } from '../../contract/study/clusters.ts';
import { checkedHost } from '../../host/app/remote/ssh.ts';
import type { LocalOptions } from '../../host/app/studies/local/engine.ts';
import type { StudyOutcome } from '../../host/app/studies/local/go.ts';
import { meanSeconds } from '../../host/app/studies/point-time.ts';
import { SlurmEngine } from '../../host/app/studies/slurm/engine.ts';
import { Slurm } from '../../host/app/studies/slurm/slurm.ts';
import { solveTask } from '../../host/app/studies/slurm/task.ts';
import type { Host } from '../../host/index.ts';
import { StudyFolder } from '../../host/model/studies/folder.ts';
import { type FlagSpec, flagNumber, flagValue, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { VerbContext } from '../verb.ts';
import { SLURM_HERE } from './clusters.ts';

const USUAL = { minutes: 5, warning_s: 60, silent_s: 120 } as const;

export const clusterFlags: readonly FlagSpec[] = [
  {
    name: 'on',
    value: 'NAME',
    help: 'Give the points to the cluster of that name, or to a host of your ssh; slurm is sbatch of this machine.',
  },
  { name: 'sbatch', value: 'WORDS', help: 'Further words for sbatch: "--partition=gpu --gres=gpu:1 --time=1:00:00".' },
  { name: 'at-once', value: 'N', help: 'With --on slurm: most tasks of an array at the same time.' },
  { name: 'task-minutes', value: 'N', help: `With --on slurm: how long a task is to last; ${USUAL.minutes}.` },
  {
    name: 'warning',
    value: 'SECONDS',
    help: `So long before its limit a task stops and is requeued; ${USUAL.warning_s}.`,
  },
  { name: 'silent', value: 'SECONDS', help: `A task that says nothing for so long is given up; ${USUAL.silent_s}.` },
];

/** Target of the points; null for this machine. */
type On =
  | { readonly kind: 'slurm' }
  | { readonly kind: 'cluster'; readonly cluster: Cluster }
  /** A machine without an entry, as ssh knows it. */
  | { readonly kind: 'host'; readonly host: string }
  | null;

/** Flags for this machine's sbatch alone: a cluster's entry contains its own values. */
const ofSlurmHere = ['at-once', 'task-minutes', 'warning', 'silent'] as const;

/** Throws BraggError `invalid` for what is neither a cluster nor a host of ssh. */
export async function placeOf({ parsed, terminal }: VerbContext, host: Pick<Host, 'clusters'>): Promise<On> {
  const on = flagValue(parsed, 'on');
  if (on === undefined) return null;
  if (on === SLURM_HERE) return { kind: 'slurm' };
  const cluster = await host.clusters.named(on).catch((error: unknown) => {
    if (!(error instanceof BraggError && error.code === 'not-found')) throw error;
    checkedHost(on);
    terminal.say(`${error.message} It is taken as a host of your ssh.`);
    return null;
  });
  if (cluster === null) return { kind: 'host', host: on };
  const idle = ofSlurmHere.find((flag) => flagValue(parsed, flag) !== undefined);
  if (idle !== undefined) throw new UsageError(`--${idle} goes with --on ${SLURM_HERE} alone, not with --on ${on}`);
  const cores = flagNumber(parsed, 'cores', { min: 1, max: 1024, whole: true }) ?? cluster.cores;
  return { kind: 'cluster', cluster: { ...cluster, sbatch: flagValue(parsed, 'sbatch') ?? cluster.sbatch, cores } };
}

type OnSlurm = Pick<LocalOptions, 'host' | 'folder' | 'lines' | 'budget' | 'onProgress'>;

/** Solves what is left on the cluster; the jobs go on where this process ends first. */
export async function solveOnSlurm({ parsed, terminal, signal }: VerbContext, study: OnSlurm): Promise<StudyOutcome> {
  const { folder } = study;
  const number = (flag: string, min: number, whole: boolean): number | undefined =>
    flagNumber(parsed, flag, { min, max: 1e6, whole });
  const cores = number('cores', 1, true) ?? 1;
  const [, cli = ''] = process.argv;
  const engine = new SlurmEngine({
    ...study,
    signal,
    slurm: new Slurm(),
    program: [process.execPath, ...process.execArgv, path.resolve(cli), 'study', 'task', path.resolve(folder.folder)],
    progressLeft: exitCodes.left,
    size: {
      point_s: await meanSeconds(folder),
      lanes: cores,
      task_s: 60 * (number('task-minutes', 1e-6, false) ?? USUAL.minutes),
    },
    atOnce: number('at-once', 1, true) ?? null,
    cores,
    warning_s: number('warning', 1, true) ?? USUAL.warning_s,
    silent_s: number('silent', 1, false) ?? USUAL.silent_s,
    more: (flagValue(parsed, 'sbatch') ?? '').split(/\s+/).filter((word) => word !== ''),
    say: (line) => terminal.say(line),
  });
  return engine.run();
}

/** `study task FOLDER TAG`: what a job array calls. */
export async function runTask({ signal }: VerbContext, host: Host, study: string, tag: string): Promise<ExitCode> {
  const folder = await StudyFolder.open(study);
  const options = { host, folder, tag, signal, environment: process.env, assetsFolder: assetsFolder() };
  const { done, failed, whole } = await solveTask(options);
  if (whole) return exitCodes.done;
  return done + failed > 0 ? exitCodes.left : exitCodes.interrupted;
}
