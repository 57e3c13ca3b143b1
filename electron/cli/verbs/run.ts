/** `braggbench run`: solves a scenario and says what came out. */
import { resolve } from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { summaryDocument } from '../../contract/summary.ts';
import type { Host } from '../../host/index.ts';
import { summaryOf } from '../../host/runs/readouts.ts';
import type { Reading } from '../../host/scenarios/index.ts';
import { flagValue, hasFlag } from '../arguments.ts';
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

/** Starts the run, draws its progress, and waits for its end. An aborted signal cancels it. */
async function solve(context: VerbContext, host: Host, reading: Reading): Promise<string> {
  const { terminal, signal } = context;
  const problem = host.scenarios.resolve(reading);
  const { id } = host.runs.start({
    name: reading.scenario?.name || (context.parsed.operands[0] ?? ''),
    scenario: { ...reading.document },
    completeScenario: { ...reading.scenario },
    table: reading.table ?? '',
    problem,
    trace: hasFlag(context.parsed, 'trace'),
  });
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

async function save(host: Host, id: string, out: string): Promise<string> {
  const { file } = host.grant(resolve(out));
  const saved = await host.call('run.save', { run: id, file, ifExists: 'replace' });
  return saved.place;
}

async function perform(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const reading = await readScenario(context, host);
  const id = await solve(context, host, reading);
  const summary = summaryOf(await host.runs.data(id));
  const out = flagValue(parsed, 'out');
  const file = out === undefined ? null : await save(host, id, out);
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(summaryDocument(summary));
    if (file !== null) terminal.say(`Saved as ${file}`);
  } else {
    const waterRange_mm = reading.scenario?.initial.kind === 'beam' ? reading.waterRange_mm : null;
    const { z_mm: entrance_mm, angle_deg } = reading.scenario?.beam ?? { z_mm: 0, angle_deg: 0 };
    const facts = { summary, waterRange_mm, entrance_mm, angle_deg, table: reading.table ?? '', file };
    for (const line of runReport(facts, (style, text) => terminal.style(style, text))) terminal.print(line);
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
