/** `braggbench compare`: runs and sessions of one workload side by side. */
import path from 'node:path';
import { flagValue, hasFlag, jsonFlag, UsageError } from '../arguments.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { withHost } from '../open-host.ts';
import { hasFailed, regressionTable, slowdownLimit } from '../regression.ts';
import { regressions } from '../regression-check.ts';
import { comparedTable } from '../reports/compared-table.ts';
import { anyRunFile } from '../run-file.ts';
import { isSessionFile, readSubjects } from '../subjects.ts';
import type { Verb, VerbContext } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';
import type { ReadRun } from '../workloads/workload.ts';

/** The runs, where all files are runs of one workload that compares its own. */
async function ownRuns(files: readonly string[]): Promise<readonly ReadRun[] | null> {
  if (files.some(isSessionFile)) return null;
  const runs: ReadRun[] = [];
  for (const file of files) runs.push({ file, run: await anyRunFile(file) });
  const kinds = new Set(runs.map(({ run }) => run.workload));
  const [kind] = kinds;
  return kinds.size === 1 && kind !== undefined && workloadFor(kind).compare !== null ? runs : null;
}

async function compareAny({ parsed, terminal }: VerbContext): Promise<void> {
  const files = parsed.operands;
  const answer = await withHost(async (host) => {
    const { subjects } = await readSubjects(host, files);
    if (subjects.length < 2) throw new UsageError('compare needs at least two run files, or a session');
    return host.call('compare.rows', { subjects: [...subjects], reference: 0 });
  });
  if (hasFlag(parsed, 'json')) terminal.printJson(answer);
  else for (const line of comparedTable(answer, (style, text) => terminal.style(style, text))) terminal.print(line);
}

/** Ends with code 1 where a variant became slower, wrong, or is gone. */
async function failIfSlower({ parsed, terminal }: VerbContext, text: string): Promise<ExitCode> {
  const limit = slowdownLimit(text);
  const asked = { files: parsed.operands, earlier: parsed.flags.get('earlier') ?? [], limit };
  const { variants, facts } = await withHost((host) => regressions(host, asked));
  const failed = hasFailed(variants);
  if (hasFlag(parsed, 'json')) terminal.printJson({ limit, failed, variants, facts });
  else {
    const style = (...styled: Parameters<typeof terminal.style>): string => terminal.style(...styled);
    for (const line of [...regressionTable(variants, limit, style), ...facts]) terminal.print(line);
  }
  return failed ? exitCodes.failed : exitCodes.done;
}

export const compare: Verb = {
  name: 'compare',
  usage: 'compare RUN.h5|SESSION.json… [--fail-if-slower PERCENT] [--json]',
  summary: 'put stored runs and sessions side by side: time, accuracy, environment',
  details: [
    "Compares every run, and every variant of a session, with the first: the time with its interval where it was measured in rounds; how right the answer is by the workload's own measures; and what differs in machine, program and scenario. All are of one workload. One run each has no uncertainty: bench measures that.",
    'With --fail-if-slower a variant is slower only where the whole 95 % interval of its ratio lies above the limit and both noise floors. Where the interval reaches over the limit it is undecided, which fails only if nothing could be decided. Drifts of the machine between two sessions do not cancel. With --earlier, of further sessions before, the interval is of what sessions differ by, as history tells it; without, choose a limit above that.',
    "Of transport runs alone also the dose's largest difference; the share of points that pass the gamma index (global, above 10 % of the maximum, of dose by mass), and the ledgers.",
  ],
  flags: [
    {
      name: 'gamma',
      value: 'mass|area',
      help: 'Of transport runs: what the gamma index is of, dose (energy by mass) or energy by area; mass by default.',
    },
    {
      name: 'fail-if-slower',
      value: 'PERCENT',
      help: 'Of sessions: compare each variant with itself in the first one. End with code 1 where one takes more than this longer, is wrong, or is gone.',
    },
    {
      name: 'earlier',
      value: 'SESSION.json',
      repeats: true,
      help: 'With --fail-if-slower: a further session before the first, for how much sessions differ. Repeats; three before the last are needed.',
    },
    jsonFlag,
  ],
  examples: [
    'braggbench compare reference.h5 mine.h5',
    'braggbench compare assets/runs/linear-relu/layer-1024.json mine.session.json',
    'braggbench compare before.json after.json --fail-if-slower 5%',
    'braggbench compare wed.json thu.json --earlier mon.json --earlier tue.json --fail-if-slower 5%',
  ],
  operands: { min: 1, max: 1000, name: 'run files or sessions' },
  run: async (context) => {
    const limit = flagValue(context.parsed, 'fail-if-slower');
    if (limit !== undefined) return failIfSlower(context, limit);
    const files = context.parsed.operands;
    const [first = ''] = files;
    if (files.length === 1 && !isSessionFile(first)) {
      throw new UsageError(`compare needs at least two run files, or a session; ${path.basename(first)} is one run`);
    }
    const runs = await ownRuns(files);
    const [any] = runs ?? [];
    const own = any === undefined ? null : workloadFor(any.run.workload).compare;
    if (runs !== null && own !== null) own(context, runs);
    else await compareAny(context);
    return exitCodes.done;
  },
};
