/** `braggbench study`: plans, solves and collects studies, in which fields of base scenarios vary along axes. */
import { MAX_CHECKED, type StudyFolder } from '../../host/api/studies.ts';
import type { Host } from '../../host/index.ts';
import { jsonFlag, UsageError } from '../arguments.ts';
import { forceFlag } from '../output-file.ts';
import { clusterEntryFlags, clusterFlags, clustersAction, runTask } from '../studies/cluster.ts';
import { collectStudy, exportStudy, importTuning } from '../studies/collect.ts';
import { MAX_PRINTED_POINTS, planOnly, showStatus, stopStudy } from '../studies/plan.ts';
import { type OpenedStudy, openOrPlanStudy, openPlannedStudy, runStudy, withPlannedLimits } from '../studies/run.ts';
import { runTuning, serveTuner } from '../studies/tune.ts';
import { withHost } from '../subjects.ts';
import { userKernelFlags } from '../user-kernels.ts';
import type { ExitCode, Verb, VerbContext } from '../verb.ts';

type StudyAction = (context: VerbContext, study: string, file: string | undefined) => Promise<ExitCode>;

/** Actions on the folder of a study, which need no solver. */
const folderAction =
  (deed: (context: VerbContext, folder: StudyFolder) => Promise<ExitCode>): StudyAction =>
  async (context, study) =>
    deed(context, await openPlannedStudy(context, study));

/** Solves a study. A study with a search is measured point by point. */
function solveStudy(context: VerbContext, host: Host, opened: OpenedStudy): Promise<ExitCode> {
  const { search } = opened.folder.study;
  return search === undefined ? runStudy(context, host, opened) : runTuning(context, host, opened, search);
}

const studyActions: Readonly<Record<string, StudyAction>> = {
  plan: (context, study) => withHost((host) => planOnly(context, host, study)),
  run: (context, study) =>
    withHost(async (host) => solveStudy(context, host, await openOrPlanStudy(context, host, study))),
  ask: (context, study) =>
    withHost(async (host) => serveTuner(context, host, await openOrPlanStudy(context, host, study))),
  resume: (context, study) =>
    withHost(async (host) => solveStudy(context, host, withPlannedLimits(await openPlannedStudy(context, study)))),
  status: folderAction(showStatus),
  stop: folderAction(stopStudy),
  collect: folderAction(collectStudy),
  task: (context, study, tag) => {
    if (tag === undefined) throw new UsageError('study task needs a tag: study task FOLDER TAG. Job arrays call it.');
    return withHost((host) => runTask(context, host, study, tag));
  },
  import: (context, file) => importTuning(context, file),
  clusters: (context, what, name) => {
    const deed = clustersAction(what === '' ? 'list' : what, name);
    return withHost((host) => deed(context, host));
  },
  export: async (context, study, file) => {
    if (file === undefined) throw new UsageError('study export needs a file: study export STUDY FILE.csv');
    return exportStudy(context, await openPlannedStudy(context, study), file);
  },
};

/** Actions that have a second operand. */
const actionsWithOperand = ['export', 'task', 'clusters'];

export const studyVerb: Verb = {
  name: 'study',
  usage:
    'study plan|run|ask|resume|status|stop|collect STUDY [--out FOLDER] [--json]; study export STUDY FILE; study import FILE; study clusters [list|add|remove|try] [NAME]',
  summary: 'run parameter studies: plan the points, solve them, collect one table',
  details: [
    'Reads a study (kind: study, JSON or YAML) and combines its base scenarios with all values of its axes. Each combination is a point.',
    `plan prints the points and saves nothing. Up to ${MAX_CHECKED} points, spread evenly through the plan, are analysed for their memory and a lower bound on their time. Exit code 2 if one of those cannot be run.`,
    'To estimate times, plan solves one or two small points of each variant on this machine, and extrapolates to the others. Each may take at most 3 s.',
    'run solves all points without a result, into a folder next to the study or into --out. If a point fails, the others continue. Ctrl+C loses only the points in progress; run or resume continues.',
    'With --on slurm the points are sent to a cluster, in job arrays of tasks that last minutes. All nodes must be able to read the study and this program. Ctrl+C leaves the jobs running; resume finds them again, stop cancels them. task is called by the job arrays.',
    'With --on NAME the points are sent to the cluster of that name, with your ssh client if it has a login host; results are copied here as they arrive. With --on HOST a single machine solves them; the program is copied there once. clusters lists the clusters that you have described, add and remove change the list, try reports what is installed on one.',
    'A study with a search tunes kernels: it varies constants, checks each configuration against the reference, and measures the best again. ask lets another program choose: it reads configurations and writes times, one JSON document per line.',
    'status shows the progress. stop requests a stop of all processes that work on the study. collect prints a table, export writes the complete table: CSV, Parquet, HDF5 (.h5) or JSON; for one tuned kernel also the cache file of Kernel Tuner (.cache.json) or T4 (.t4.json). import reads the last two formats.',
  ],
  flags: [
    { name: 'out', value: 'FOLDER', help: 'Folder for plan and results; STUDY.study next to the study by default.' },
    {
      name: 'cores',
      value: 'N',
      help: 'Number of cores to use on this machine, all by default; with --on slurm those of a task, one by default.',
    },
    ...userKernelFlags,
    { name: 'retry', help: 'Solve failed points once more.' },
    { name: 'yes', help: 'Start a study that takes longer than a day without asking for confirmation.' },
    { name: 'points', help: `Print every point of the plan, not only the first ${MAX_PRINTED_POINTS}.` },
    ...clusterFlags,
    ...clusterEntryFlags,
    forceFlag,
    jsonFlag,
  ],
  examples: [
    'braggbench study plan energies.yaml',
    'braggbench study run energies.yaml',
    'braggbench study export energies.yaml energies.csv',
    'braggbench study clusters add hpc --host me@login.example --sbatch --partition=cpu',
    'braggbench study run energies.yaml --on hpc',
  ],
  operands: { min: 1, max: 3, name: 'an action and a study: run STUDY' },
  run: (context) => {
    const [what = '', study = '', file] = context.parsed.operands;
    const deed = Object.hasOwn(studyActions, what) ? studyActions[what] : undefined;
    if (deed === undefined)
      throw new UsageError(
        `study: ${JSON.stringify(what)} is not known; allowed: ${Object.keys(studyActions).join(', ')}`,
      );
    if (study === '' && what !== 'clusters') throw new UsageError(`study ${what} needs a study: study ${what} STUDY`);
    if (file !== undefined && !actionsWithOperand.includes(what))
      throw new UsageError(`unexpected argument ${JSON.stringify(file)}; usage: study ${what} STUDY`);
    return deed(context, study, file);
  },
};
