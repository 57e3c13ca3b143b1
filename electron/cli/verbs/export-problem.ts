/** `braggbench export-problem`: converts a problem folder to the format of another benchmark suite. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gpuOfEntry } from '../../contract/bench/bench-session.ts';
import { correctnessOf, type SessionEntry, type SessionReport } from '../../contract/bench/session.ts';
import { BraggError } from '../../contract/errors.ts';
import { resolveProblem } from '../../contract/scenario/user-problem/resolve.ts';
import { deriveSession, readCurrentRules, readSessionNamed } from '../../host/api/benches.ts';
import { exportFlashInfer, exportKernelBench, type ReportedResult, readProblem } from '../../host/api/kernels.ts';
import { flagOneOf, flagValue, hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { withHost } from '../subjects.ts';
import { exitCodes, type Verb } from '../verb.ts';

function hardwareText(
  report: SessionReport | undefined,
  { device, gpu }: Pick<SessionEntry, 'device' | 'gpu'>,
): string {
  if (report === undefined) return '';
  return device === 'cpu' ? report.machine.cpu : (gpuOfEntry(report.machine, gpu)?.name ?? '');
}

/** Results of the candidates in a session; empty without a session. */
async function readReportedResults(file: string | undefined): Promise<readonly ReportedResult[]> {
  if (file === undefined) return [];
  const session = deriveSession(await readSessionNamed(file), await readCurrentRules(assetsFolder()));
  const [report] = session.reports;
  return (report?.entries ?? []).map((entry) => ({
    solution: entry.variant,
    time_s: entry.status === 'measured' ? entry.time_s : null,
    correct: entry.status === 'measured' && correctnessOf(entry.accuracy) === 'correct',
    hardware: hardwareText(report, entry),
    created: session.created,
  }));
}

export const exportProblemVerb: Verb = {
  name: 'export-problem',
  usage: 'export-problem FOLDER OUT --as flashinfer|kernelbench [--session FILE] [--json]',
  summary: "write a problem folder in another benchmark's format",
  details: [
    'flashinfer writes the four parts of FlashInfer-Trace into the folder OUT: definition, workload, solutions in Python, and traces of a session. kernelbench writes one module OUT with Model and get_inputs. If the format cannot express a part of the problem, the part is listed or the export is refused.',
  ],
  flags: [
    { name: 'as', value: 'FORMAT', help: 'flashinfer or kernelbench.' },
    { name: 'session', value: 'FILE', help: 'A saved session of the problem; its results become traces.' },
    jsonFlag,
  ],
  examples: ['braggbench export-problem my-softmax trace --as flashinfer'],
  operands: { min: 2, max: 2, name: 'a problem folder, and a new folder or file' },
  run: ({ parsed, terminal }) =>
    withHost(async ({ scenarios }) => {
      const [folder = '', out = ''] = parsed.operands;
      const format = flagOneOf(parsed, 'as', ['flashinfer', 'kernelbench']);
      const target = path.resolve(out);
      if (existsSync(target)) throw new BraggError('exists', `${out} already exists; choose a new name`);
      const problem = await readProblem({ scenarios }, path.resolve(folder));
      const { name, definition, sizes, reference, notes } = problem;
      const made = await (async () => {
        if (format === 'kernelbench') {
          const shapes = resolveProblem(definition, sizes).arrays.map((one) => [one.name, one.shape] as const);
          const { text, lost } = exportKernelBench(definition, sizes, new Map(shapes), reference.text);
          return { files: { [path.basename(target)]: text }, root: path.dirname(target), lost };
        }
        const python = problem.candidates.filter((file) => file.endsWith('.py'));
        const sources = await Promise.all(
          python.map(async (file) => [file, await readFile(path.join(problem.folder, file), 'utf8')] as const),
        );
        const key = createHash('sha256')
          .update(JSON.stringify([name, sizes]))
          .digest('hex');
        const uuid = key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
        const candidates = Object.fromEntries(sources);
        const reported = await readReportedResults(flagValue(parsed, 'session'));
        const found = exportFlashInfer({
          name,
          definition,
          sizes,
          notes,
          reference: reference.text,
          candidates,
          reported,
          uuid,
        });
        return { ...found, root: target };
      })();
      const files = Object.entries(made.files).map(([file, text]) => ({ file: path.join(made.root, file), text }));
      for (const { file, text } of files) {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, text, { flag: 'wx' });
      }
      if (hasFlag(parsed, 'json')) terminal.printJson({ files: files.map(({ file }) => file), lost: made.lost });
      else {
        for (const { file } of files) terminal.print(`  ${path.relative(process.cwd(), file)}`);
        for (const line of made.lost) terminal.print(`Differs from the original: ${line}`);
      }
      return exitCodes.done;
    }),
};
