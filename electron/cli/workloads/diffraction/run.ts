/** `braggbench run` of a diffraction scenario. */
import type { NamedFile } from '../../../contract/files.ts';
import type { Host } from '../../../host/index.ts';
import { imageSummary } from '../../../host/workloads/diffraction/summary.ts';
import { runOf } from '../../../host/workloads/run-data.ts';
import { hasFlag } from '../../arguments.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { metric } from '../../numbers.ts';
import type { ProgressWords } from '../../run-progress.ts';
import type { Terminal } from '../../terminal.ts';
import { checkedUserKernel, verdictLines } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';
import { saved, solve } from '../solve.ts';
import { imageReport } from './report.ts';
import { readImageScenario } from './scenario.ts';

const termWords: ProgressWords<'diffraction'> = ({ terms_per_s }) => [`${metric(terms_per_s)} terms/s`];

export async function runDiffraction(context: VerbContext, host: Host, place: NamedFile | null): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const reading = await readImageScenario(context, host);
  const id = await solve(context, host, reading, termWords);
  const data = runOf('diffraction', await host.runs.data(id));
  const summary = imageSummary(data);
  const kept = place === null ? null : await saved(context, host, id, place);
  const file = kept !== null && 'file' in kept ? kept.file : null;
  const verdict = await checkedUserKernel(context, host, reading, data);
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ ...summary, ...(verdict === null ? {} : { checks: verdict }) });
    if (file !== null) terminal.say(`Saved as ${file}`);
  } else {
    const styled = (style: Parameters<Terminal['style']>[0], text: string): string => terminal.style(style, text);
    for (const line of imageReport(summary, file, styled)) terminal.print(line);
    if (verdict !== null) for (const line of ['', ...verdictLines(verdict, styled)]) terminal.print(line);
  }
  // What was computed is printed all the same.
  if (kept !== null && 'error' in kept) throw kept.error;
  if (verdict?.right === false) return exitCodes.failed;
  return summary.status === 'done' ? exitCodes.done : exitCodes.interrupted;
}
