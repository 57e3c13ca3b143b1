/**
 * `braggbench study run --on NAME` and the task that its job array runs on a node. Also `braggbench study clusters`,
 * which edits the clusters in the settings of the workbench.
 */
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { type Cluster, draftFromCluster, newCluster, parseCluster } from '../../contract/study/clusters.ts';
import {
  checkedHost,
  describeCluster,
  type LocalOptions,
  meanSeconds,
  Slurm,
  SlurmEngine,
  StudyFolder,
  type StudyOutcome,
  solveTask,
} from '../../host/api/studies.ts';
import type { Host } from '../../host/index.ts';
import { type FlagSpec, flagNumber, flagValue, hasFlag, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { withOverwriteAdvice } from '../output-file.ts';
import { formatTable } from '../table.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';

/** Name that selects sbatch on this machine instead of a cluster entry. */
const LOCAL_SLURM = 'slurm';

export const clusterEntryFlags: readonly FlagSpec[] = [
  {
    name: 'host',
    value: 'HOST',
    help: 'clusters add: login host, as for ssh. Without it, sbatch on this machine is used.',
  },
  {
    name: 'at',
    value: 'FOLDER',
    help: `clusters add: folder on the cluster that every node can read; ${newCluster.folder} by default.`,
  },
  {
    name: 'program',
    value: 'WORDS',
    help: 'clusters add: command that starts Braggbench there; braggbench by default.',
  },
  { name: 'modules', value: 'NAMES', help: 'clusters add: modules to load first, separated by commas or spaces.' },
];

type ClusterAction = (context: VerbContext, host: Host, name: string) => Promise<ExitCode>;

const listClusters: ClusterAction = async ({ parsed, terminal }, host) => {
  const all = await host.clusters.all();
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ clusters: all });
    return exitCodes.done;
  }
  if (all.length === 0) {
    terminal.print('No cluster is configured yet. Add one: braggbench study clusters add NAME --host LOGIN');
    return exitCodes.done;
  }
  const titles = ['name', 'login host', 'folder', 'braggbench', 'modules', 'options for sbatch', 'cores'];
  const rows = all.map(({ name, host: login, folder, program, modules, sbatch, cores }) =>
    [name, login || 'this machine', folder, program, modules.join(' '), sbatch, String(cores)].map(
      (cell) => cell || '–',
    ),
  );
  const columns = titles.map((title) => ({ title }));
  for (const line of formatTable(columns, rows, { styleTitle: (text) => terminal.style('bold', text) }))
    terminal.print(line);
  return exitCodes.done;
};

const addCluster: ClusterAction = async ({ parsed, terminal }, host, name) => {
  if (name === LOCAL_SLURM)
    throw new UsageError(`study clusters add: ${LOCAL_SLURM} means sbatch on this machine; choose another name`);
  const usual = draftFromCluster(newCluster);
  const read = parseCluster({
    name,
    host: flagValue(parsed, 'host') ?? usual.host,
    folder: flagValue(parsed, 'at') ?? usual.folder,
    program: flagValue(parsed, 'program') ?? usual.program,
    modules: flagValue(parsed, 'modules') ?? usual.modules,
    sbatch: flagValue(parsed, 'sbatch') ?? usual.sbatch,
    cores: flagValue(parsed, 'cores') ?? usual.cores,
  });
  if ('fault' in read) throw new UsageError(`study clusters add: ${read.fault}`);
  await host.clusters.add(read.cluster, hasFlag(parsed, 'force')).catch((error: unknown) => {
    throw withOverwriteAdvice(error);
  });
  terminal.print(`${name} was saved. Try it: braggbench study clusters try ${JSON.stringify(name)}`);
  return exitCodes.done;
};

const removeCluster: ClusterAction = async ({ terminal }, host, name) => {
  await host.clusters.remove(name);
  terminal.print(`${name} was removed from the list; nothing on the cluster was changed.`);
  return exitCodes.done;
};

const testConnection: ClusterAction = async ({ terminal }, host, name) => {
  terminal.print(await describeCluster(await host.clusters.requireCluster(name)));
  return exitCodes.done;
};

const clusterActions: Readonly<Record<string, ClusterAction>> = {
  list: listClusters,
  add: addCluster,
  remove: removeCluster,
  try: testConnection,
};

export function clustersAction(
  what: string,
  name: string | undefined,
): (context: VerbContext, host: Host) => Promise<ExitCode> {
  const action = Object.hasOwn(clusterActions, what) ? clusterActions[what] : undefined;
  if (action === undefined)
    throw new UsageError(
      `study clusters: ${JSON.stringify(what)} is not known; allowed: ${Object.keys(clusterActions).join(', ')}`,
    );
  if (action !== listClusters && name === undefined)
    throw new UsageError(`study clusters ${what} needs the name of a cluster: study clusters ${what} NAME`);
  if (action === listClusters && name !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(name)}: study clusters list takes no arguments`);
  return (context, host) => action(context, host, name ?? '');
}

const DEFAULTS = { minutes: 5, warning_s: 60, silent_s: 120 } as const;

export const clusterFlags: readonly FlagSpec[] = [
  {
    name: 'on',
    value: 'NAME',
    help: 'Solve the points on the cluster with this name, or on this ssh host; slurm means sbatch on this machine.',
  },
  {
    name: 'sbatch',
    value: 'WORDS',
    help: 'Additional options for sbatch: "--partition=gpu --gres=gpu:1 --time=1:00:00".',
  },
  {
    name: 'at-once',
    value: 'N',
    help: 'With --on slurm: maximum number of tasks of an array that run at the same time.',
  },
  {
    name: 'task-minutes',
    value: 'N',
    help: `With --on slurm: intended duration of a task in minutes; ${DEFAULTS.minutes} by default.`,
  },
  {
    name: 'warning',
    value: 'SECONDS',
    help: `How long before the job's time limit a task stops and is requeued; ${DEFAULTS.warning_s} by default.`,
  },
  {
    name: 'silent',
    value: 'SECONDS',
    help: `Time without progress after which a task is cancelled; ${DEFAULTS.silent_s} by default.`,
  },
];

/** Target on which points are solved: a cluster or a host; null for this machine. */
type PointTarget =
  | { readonly kind: 'slurm' }
  | { readonly kind: 'cluster'; readonly cluster: Cluster }
  /** Machine without a cluster entry, given by its ssh name. */
  | { readonly kind: 'host'; readonly host: string }
  | null;

/** Flags for sbatch on this machine; a cluster entry has its own values for them. */
const localSlurmFlags = ['at-once', 'task-minutes', 'warning', 'silent'] as const;

/** Target that --on selects. Throws BraggError `invalid` if the name is neither a cluster nor an ssh host. */
export async function selectTarget(
  { parsed, terminal }: VerbContext,
  host: Pick<Host, 'clusters'>,
): Promise<PointTarget> {
  const on = flagValue(parsed, 'on');
  if (on === undefined) return null;
  if (on === LOCAL_SLURM) return { kind: 'slurm' };
  const cluster = await host.clusters.requireCluster(on).catch((error: unknown) => {
    if (!(error instanceof BraggError && error.code === 'not-found')) throw error;
    checkedHost(on);
    terminal.printNote(`${error.message} It is treated as a host name for your ssh client.`);
    return null;
  });
  if (cluster === null) return { kind: 'host', host: on };
  const idle = localSlurmFlags.find((flag) => flagValue(parsed, flag) !== undefined);
  if (idle !== undefined)
    throw new UsageError(`--${idle} can only be used with --on ${LOCAL_SLURM}, not with --on ${on}`);
  const cores = flagNumber(parsed, 'cores', { min: 1, max: 1024, whole: true }) ?? cluster.cores;
  return { kind: 'cluster', cluster: { ...cluster, sbatch: flagValue(parsed, 'sbatch') ?? cluster.sbatch, cores } };
}

type ClusterRunOptions = Pick<LocalOptions, 'host' | 'folder' | 'lines' | 'budget' | 'onProgress'>;

/** Solves the remaining points by Slurm jobs, which continue if this process ends. */
export async function solveOnSlurm(
  { parsed, terminal, signal }: VerbContext,
  study: ClusterRunOptions,
): Promise<StudyOutcome> {
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
    progressLeft: exitCodes.incomplete,
    size: {
      point_s: await meanSeconds(folder),
      lanes: cores,
      task_s: 60 * (number('task-minutes', 1e-6, false) ?? DEFAULTS.minutes),
    },
    atOnce: number('at-once', 1, true) ?? null,
    cores,
    warning_s: number('warning', 1, true) ?? DEFAULTS.warning_s,
    silent_s: number('silent', 1, false) ?? DEFAULTS.silent_s,
    more: (flagValue(parsed, 'sbatch') ?? '').split(/\s+/).filter((word) => word !== ''),
    say: (line) => terminal.printNote(line),
  });
  return engine.run();
}

/** Runs `study task FOLDER TAG`, the task of a job array. */
export async function runTask({ signal }: VerbContext, host: Host, study: string, tag: string): Promise<ExitCode> {
  const folder = await StudyFolder.open(study);
  const options = { host, folder, tag, signal, environment: process.env, assetsFolder: assetsFolder() };
  const { done, failed, whole } = await solveTask(options);
  if (whole) return exitCodes.done;
  return done + failed > 0 ? exitCodes.incomplete : exitCodes.interrupted;
}
