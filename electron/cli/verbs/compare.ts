/**
 * `braggbench compare`: runs and sessions of one workload side by side.
 */
import path from 'node:path';
import type { Result } from '../../contract/wire/methods.ts';
import { provenanceText } from '../../domain/provenance.ts';
import { nameOf } from '../../domain/session-table.ts';
import { hasFlag, jsonFlag, UsageError } from '../arguments.ts';
import { readAnyRunFile } from '../read-scenario.ts';
import { sessionTableLines, type TableStyle, wideFlag } from '../reports/session-table.ts';
import { isSessionFile, readSubjects, requireFile, withHost } from '../subjects.ts';
import { exitCodes, type Verb, type VerbContext } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';
import type { ReadRun } from '../workloads/workload.ts';

function comparedTable({ rows, gone, ...shown }: Result<'compare.rows'>, look: TableStyle): readonly string[] {
  const origins = new Set(rows.map((row) => `${row.origin}: ${row.scenario}; ${provenanceText(row.provenance)}`));
  // All variants of a session differ from the reference in the same way, so print each difference once.
  const differences = new Set(
    rows.flatMap(({ origin, differences: all }) =>
      all.map(({ what, reference, here }) => `${origin}: ${what} is ${here}, but ${reference} in the first`),
    ),
  );
  return [
    ...sessionTableLines({ rows, ...shown }, look, true),
    ...rows.flatMap((row) => (row.note === null ? [] : [`${nameOf(row, rows)}: ${row.note}`])),
    ...origins,
    ...differences,
    ...gone.map(({ reason }) => reason),
  ];
}

/** Contents of the files if all are runs of one workload that has its own comparison; otherwise null. */
async function readRunFiles(files: readonly string[]): Promise<readonly ReadRun[] | null> {
  if (files.some(isSessionFile)) return null;
  const runs: ReadRun[] = [];
  for (const file of files) runs.push({ file, run: await readAnyRunFile(file) });
  const kinds = new Set(runs.map(({ run }) => run.workload));
  const [kind] = kinds;
  return kinds.size === 1 && kind !== undefined && workloadFor(kind).compare !== null ? runs : null;
}

async function compareFiles({ parsed, terminal }: VerbContext): Promise<void> {
  const files = parsed.operands;
  const answer = await withHost(async (host) => {
    const { subjects } = await readSubjects(host, files);
    if (subjects.length < 2) throw new UsageError('compare needs at least two run files, or a session');
    return host.call('compare.rows', { subjects: [...subjects], reference: 0 });
  });
  if (hasFlag(parsed, 'json')) terminal.printJson(answer);
  else {
    const look: TableStyle = { style: (style, text) => terminal.style(style, text), wide: hasFlag(parsed, 'wide') };
    for (const line of comparedTable(answer, look)) terminal.print(line);
  }
}

export const compare: Verb = {
  name: 'compare',
  usage: 'compare RUN.h5|SESSION.json… [--wide] [--json]',
  summary: 'compare stored runs and sessions: time, accuracy, environment',
  details: [
    "Compares every run, and every variant of a session, with the first one whose answer is not wrong: the time, with its interval if measured in rounds; the accuracy by the workload's own measures; and differences in machine, program and scenario. All must be of one workload. Single runs have no uncertainty: bench measures it.",
    'For transport runs also the largest difference of the dose, the pass rate of the gamma index, and the ledgers. The gamma index is global, above 10 % of the maximum, for dose per mass.',
  ],
  flags: [
    {
      name: 'gamma',
      value: 'mass|area',
      help: 'For transport runs: quantity for the gamma index, dose (energy per mass) or energy per area; mass by default.',
    },
    wideFlag,
    jsonFlag,
  ],
  examples: [
    'braggbench compare reference.h5 mine.h5',
    'braggbench compare assets/runs/linear-relu/layer-1024.json mine.session.json',
  ],
  operands: { min: 1, max: 1000, name: 'run files or sessions' },
  run: async (context) => {
    const files = context.parsed.operands;
    const [first = ''] = files;
    if (files.length === 1 && !isSessionFile(first)) {
      await requireFile(first);
      throw new UsageError(`compare needs at least two run files, or a session; ${path.basename(first)} is one run`);
    }
    const runs = await readRunFiles(files);
    const [any] = runs ?? [];
    const own = any === undefined ? null : workloadFor(any.run.workload).compare;
    if (runs !== null && own !== null) own(context, runs);
    else await compareFiles(context);
    return exitCodes.done;
  },
};
