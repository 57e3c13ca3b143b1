/** `braggbench run` of a diffraction scenario. */
import { BraggError } from '../../../contract/errors.ts';
import type { NamedFile } from '../../../contract/files.ts';
import type { Host } from '../../../host/index.ts';
import { RunPacker } from '../../../host/run-files/packer.ts';
import { type DiffractionReading, engineRefusal, problemOf } from '../../../host/scenarios/index.ts';
import type { ImageRunData } from '../../../host/workloads/diffraction/image-data.ts';
import { renderImage } from '../../../host/workloads/diffraction/render.ts';
import { imageSummary } from '../../../host/workloads/diffraction/summary.ts';
import { hasFlag, UsageError } from '../../arguments.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { duration, metric } from '../../numbers.ts';
import { bar, ProgressBar } from '../../progress-bar.ts';
import type { VerbContext } from '../../verb.ts';
import { imageReport } from './report.ts';
import { readImageScenario } from './scenario.ts';

async function render(context: VerbContext, host: Host, reading: DiffractionReading): Promise<ImageRunData> {
  const { parsed, terminal, signal } = context;
  const progress = new ProgressBar(terminal);
  const operand = parsed.operands[0] ?? '';
  try {
    return await renderImage(host, {
      name: reading.scenario.name || operand,
      scenario: { ...reading.document },
      completeScenario: { ...reading.scenario },
      problem: problemOf(reading),
      signal,
      onProgress: ({ done, terms_per_s, eta_s }) =>
        progress.draw(`${bar(done)}  ${duration(eta_s)} left  ${metric(terms_per_s)} terms/s`),
    });
  } catch (error) {
    throw engineRefusal(reading, error);
  } finally {
    progress.clear();
  }
}

/** Throws a BraggError when the file cannot be written. */
async function save(host: Host, image: ImageRunData, { file }: NamedFile): Promise<string> {
  const packer = new RunPacker();
  try {
    return (await host.files.write(file, await packer.write(image), 'replace')).place;
  } finally {
    await packer.close();
  }
}

export async function runDiffraction(context: VerbContext, host: Host, place: NamedFile | null): Promise<ExitCode> {
  const { parsed, terminal } = context;
  if (hasFlag(parsed, 'trace')) throw new UsageError('--trace records GPU work: diffraction has no GPU variants yet');
  const reading = await readImageScenario(context, host);
  const image = await render(context, host, reading);
  const summary = imageSummary(image);
  let refused: BraggError | null = null;
  const file =
    place === null
      ? null
      : await save(host, image, place).catch((error: unknown) => {
          if (!(error instanceof BraggError)) throw error;
          refused = error;
          return null;
        });
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(summary);
    if (file !== null) terminal.say(`Saved as ${file}`);
  } else {
    for (const line of imageReport(summary, file, (style, text) => terminal.style(style, text))) terminal.print(line);
  }
  // What was computed is printed all the same.
  if (refused !== null) throw refused;
  return summary.status === 'done' ? exitCodes.done : exitCodes.interrupted;
}
