/** `braggbench run`: solves a scenario and says what came out. */
import { resolve } from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import type { NamedFile } from '../../contract/files.ts';
import { summaryDocument } from '../../contract/summary.ts';
import type { Host } from '../../host/index.ts';
import { summaryOf } from '../../host/runs/readouts.ts';
import { engineRefusal, type Reading } from '../../host/scenarios/index.ts';
import { flagValue, hasFlag, UsageError } from '../arguments.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { issueLine } from '../issues.ts';
import { withHost } from '../open-host.ts';
import { ProgressBar } from '../progress-bar.ts';
import { progressLine } from '../run-progress.ts';
import { runReport } from '../run-report.ts';
import { overridesOf, scenarioPath, variantOverrides } from '../scenario-file.ts';
import type { Verb, VerbContext } from '../verb.ts';

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
    if (ended.error !== null) throw BraggError.fromWire(ended.error);
    return id;
  } finally {
    stop();
    signal.removeEventListener('abort', cancel);
    progress.clear();
  }
}

/** Where --out leads; null without it. Found out before the run whether it can be written: the result must have a place. */
async function placeToSave({ parsed }: VerbContext, host: Host): Promise<NamedFile | null> {
  const out = flagValue(parsed, 'out');
  if (out === undefined) return null;
  if (out.trim() === '') throw new UsageError('--out needs the name of a file, such as run.h5');
  const place = host.grant(resolve(out));
  await host.files.checkWritable(place.file);
  return place;
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

async function perform(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const place = await placeToSave(context, host);
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
  return summary.status === 'done' ? exitCodes.done : exitCodes.interrupted;
}

export const run: Verb = {
  name: 'run',
  usage: 'run SCENARIO [--variant ID] [--set path=value …] [--out RUN.h5] [--trace] [--json]',
  summary: 'solve a scenario: range, widths, ledger; save the run',
  details: [
    'Solves a scenario and prints where the beam stops, how wide it is, and where every proton and every MeV went. Ctrl+C ends the run within one step; what was computed is printed, saved and marked as partial.',
  ],
  flags: [
    { name: 'variant', value: 'ID', help: 'Which implementation solves it; see braggbench variants.' },
    {
      name: 'set',
      value: 'path=value',
      repeats: true,
      help: 'Change a value of the scenario, as in beam.energy_MeV=120. Repeats.',
    },
    { name: 'out', value: 'RUN.h5', help: 'Save the run as HDF5: dose, curves, ledger, phase-space slices.' },
    {
      name: 'trace',
      help: "Record the GPU's work and the driver's calls in the run, for export; slows it.",
    },
    { name: 'json', help: 'Print one JSON document instead of text.' },
  ],
  examples: [
    'braggbench run water-70MeV',
    'braggbench run mine.yaml --set beam.energy_MeV=120 --out mine.h5',
    'braggbench run water-150MeV --variant depth --json | jq .metrics.r80_mm',
  ],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: (context) => withHost((host) => perform(context, host)),
};
