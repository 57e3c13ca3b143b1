/** `braggbench study clusters`: the clusters that the workbench knows, too. */
import { clusterOf, draftOf } from '../../contract/study/cluster-draft.ts';
import { newCluster } from '../../contract/study/clusters.ts';
import { clusterSays } from '../../host/app/studies/cluster/login.ts';
import type { Host } from '../../host/index.ts';
import { type FlagSpec, flagValue, hasFlag, UsageError } from '../arguments.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { withWayOut } from '../output-file.ts';
import { table } from '../table.ts';
import type { VerbContext } from '../verb.ts';

/** Means this machine's own `sbatch`, and no entry. */
export const SLURM_HERE = 'slurm';

export const describingFlags: readonly FlagSpec[] = [
  {
    name: 'host',
    value: 'HOST',
    help: 'clusters add: login host as your ssh takes it. Without one, sbatch of this machine is used.',
  },
  { name: 'at', value: 'FOLDER', help: `clusters add: a folder there that every node sees; ${newCluster.folder}.` },
  { name: 'program', value: 'WORDS', help: 'clusters add: how Braggbench is called there; braggbench.' },
  { name: 'modules', value: 'NAMES', help: 'clusters add: modules to load first, with commas or spaces between them.' },
];

type Deed = (context: VerbContext, host: Host, name: string) => Promise<ExitCode>;

const list: Deed = async ({ parsed, terminal }, host) => {
  const all = await host.clusters.all();
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ clusters: all });
    return exitCodes.done;
  }
  if (all.length === 0) {
    terminal.print('No cluster is described yet: braggbench study clusters add NAME --host LOGIN');
    return exitCodes.done;
  }
  const titles = ['name', 'login host', 'folder', 'braggbench', 'modules', 'words for sbatch', 'cores'];
  const rows = all.map(({ name, host: login, folder, program, modules, sbatch, cores }) =>
    [name, login || 'this machine', folder, program, modules.join(' '), sbatch, String(cores)].map(
      (cell) => cell || '–',
    ),
  );
  const columns = titles.map((title) => ({ title }));
  for (const line of table(columns, rows, { styleTitle: (text) => terminal.style('bold', text) })) terminal.print(line);
  return exitCodes.done;
};

const add: Deed = async ({ parsed, terminal }, host, name) => {
  if (name === SLURM_HERE)
    throw new UsageError(`study clusters add: ${SLURM_HERE} means sbatch of this machine; choose another name`);
  const usual = draftOf(newCluster);
  const read = clusterOf({
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
    throw withWayOut(error);
  });
  terminal.print(`${name} was kept. Try it: braggbench study clusters try ${JSON.stringify(name)}`);
  return exitCodes.done;
};

const remove: Deed = async ({ terminal }, host, name) => {
  await host.clusters.remove(name);
  terminal.print(`${name} was removed; nothing on the cluster was touched.`);
  return exitCodes.done;
};

const attempt: Deed = async ({ terminal }, host, name) => {
  terminal.print(await clusterSays(await host.clusters.named(name)));
  return exitCodes.done;
};

const deeds: Readonly<Record<string, Deed>> = { list, add, remove, try: attempt };

export function clustersDeed(
  what: string,
  name: string | undefined,
): (context: VerbContext, host: Host) => Promise<ExitCode> {
  const deed = Object.hasOwn(deeds, what) ? deeds[what] : undefined;
  if (deed === undefined)
    throw new UsageError(
      `study clusters: ${JSON.stringify(what)} is not known; allowed: ${Object.keys(deeds).join(', ')}`,
    );
  if (deed !== list && name === undefined)
    throw new UsageError(`study clusters ${what} needs the name of a cluster: study clusters ${what} NAME`);
  if (deed === list && name !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(name)}: study clusters list takes none`);
  return (context, host) => deed(context, host, name ?? '');
}
