/** `braggbench run` of a transport scenario. */
import { BraggError } from '../../../contract/errors.ts';
import type { NamedFile } from '../../../contract/files.ts';
import { summaryDocument } from '../../../contract/summary.ts';
import type { Host } from '../../../host/index.ts';
import { summaryOf } from '../../../host/runs/readouts.ts';
import { engineRefusal, type Reading } from '../../../host/scenarios/index.ts';
import { flagValue, hasFlag } from '../../arguments.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { issueLine } from '../../issues.ts';
import { ProgressBar } from '../../progress-bar.ts';
import { progressLine } from '../../run-progress.ts';
import { runReport } from '../../run-report.ts';
import { overridesOf, scenarioPath, variantOverrides } from '../../scenario-file.ts';
import type { VerbContext } from '../../verb.ts';

/** Reads the scenario with --set and --variant, and says what they changed and what to beware of. */
async function readScenario({ parsed, terminal }: VerbContext, host: Host): Promise<Reading> {
  const path = scenarioPath(parsed.operands[0] ?? '');
  const overrides = overridesOf(parsed);
  const variant = flagValue(parsed, 'variant');
  let reading = await host.scenarios.read(path, { overrides });
  if (variant !== undefined) {
    const more = variantOverrides(variant, reading, overrides, host.capabilities().variants);
    for (const note of more.notes) terminal.say(note);
    reading = await host.scenarios.read(path, { overrides: [...overrides, ...more.overrides] });
  }
  host.scenarios.resolve(reading);
  for (const issue of reading.issues) terminal.say(issueLine(issue, (style, text) => terminal.styleSaid(style, text)));
  return reading;
}

function start({ parsed }: VerbContext, host: Host, reading: Reading): string {
  const problem = host.scenarios.resolve(reading);
  try {
    return host.runs.start({
      name: reading.scenario?.name || (parsed.operands[0] ?? ''),
      scenario: { ...reading.document },
      completeScenario: { ...reading.scenario },
      table: reading.table ?? '',
      problem,
      trace: hasFlag(parsed, 'trace'),
    }).id;
  } catch (error) {
    throw engineRefusal(reading, error);
  }
}

/** Starts the run, draws its progress, and waits for its end. An aborted signal cancels it. */
async function solve(context: VerbContext, host: Host, reading: Reading): Promise<string> {
  const { terminal, signal } = context;
  const id = start(context, host, reading);
  const cancel = (): void => {
    host.runs.cancel(id);
  };
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const progress = new ProgressBar(terminal);
  const stop = host.runs.watchProgress(id, {
    offer: (make) => {
      const line = progressLine(make());
      if (line !== null) progress.draw(line);
    },
    end: () => undefined,
  });
  try {
    const ended = await host.runs.ended(id);
    // Of a run whose device failed on the way, what was finished is printed and saved first.
    if (ended.error !== null && ended.wall_s === null) throw BraggError.fromWire(ended.error);
    return id;
  } finally {
    stop();
    signal.removeEventListener('abort', cancel);
    progress.clear();
  }
}

/** The path of the saved run, or why it was not saved: what was computed is printed all the same. */
async function save(host: Host, id: string, { file }: NamedFile): Promise<{ file: string } | { error: BraggError }> {
  try {
    return { file: (await host.call('run.save', { run: id, file, ifExists: 'replace' })).place };
  } catch (error) {
    if (error instanceof BraggError) return { error };
    throw error;
  }
}

export async function runTransport(context: VerbContext, host: Host, place: NamedFile | null): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const reading = await readScenario(context, host);
  const id = await solve(context, host, reading);
  const summary = summaryOf(await host.runs.data(id));
  const saved = place === null ? null : await save(host, id, place);
  const file = saved !== null && 'file' in saved ? saved.file : null;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(summaryDocument(summary));
    if (file !== null) terminal.say(`Saved as ${file}`);
  } else {
    const waterRange_mm = reading.scenario?.initial.kind === 'beam' ? reading.waterRange_mm : null;
    const { z_mm: entrance_mm, angle_deg } = reading.scenario?.beam ?? { z_mm: 0, angle_deg: 0 };
    const facts = { summary, waterRange_mm, entrance_mm, angle_deg, table: reading.table ?? '', file };
    for (const line of runReport(facts, (style, text) => terminal.style(style, text))) terminal.print(line);
  }
  if (saved !== null && 'error' in saved) {
    terminal.say(`${terminal.styleSaid('red', 'error')} ${saved.error.message}`);
    return exitCodes.failed;
  }
  if (summary.error !== null) {
    terminal.say(`${terminal.styleSaid('red', 'error')} ${summary.error}`);
    return exitCodes.failed;
  }
  return summary.status === 'done' ? exitCodes.done : exitCodes.interrupted;
}
