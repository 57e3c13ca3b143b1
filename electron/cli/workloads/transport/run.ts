/** `braggbench run` of a transport scenario. */
import type { NamedFile } from '../../../contract/files.ts';
import { summaryDocument } from '../../../contract/summary.ts';
import type { Host } from '../../../host/index.ts';
import { runOf } from '../../../host/workloads/run-data.ts';
import {
  type AnyReading,
  problemOf,
  refusalOf,
  type TransportReading,
} from '../../../host/workloads/scenarios/index.ts';
import { summaryOf } from '../../../host/workloads/transport/readouts.ts';
import { hasFlag } from '../../arguments.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { sayIssues } from '../../issues.ts';
import { significant } from '../../numbers.ts';
import { runReport } from '../../reports/run-report.ts';
import type { ProgressWords } from '../../run-progress.ts';
import { overridesOf, scenarioPath, variantOverrides } from '../../scenario-file.ts';
import type { Terminal } from '../../terminal.ts';
import { checkedUserKernel, openVariant, trustNamed, verdictLines } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';
import { saved, solve } from '../solve.ts';

/** The verb has read the scenario before, to find this workload. */
function narrowed(reading: AnyReading): TransportReading {
  if (reading.kind === 'transport') return reading;
  throw refusalOf(reading.issues);
}

/** Reads the scenario with --set and --variant, and says what they changed and what to beware of. */
async function readScenario(context: VerbContext, host: Host): Promise<TransportReading> {
  const { parsed, terminal } = context;
  const path = scenarioPath(parsed.operands[0] ?? '');
  const overrides = overridesOf(parsed);
  const variant = await openVariant(context, host, { workload: 'transport', bench: '' });
  let reading = narrowed(await host.scenarios.read(path, { overrides }));
  if (variant !== undefined) {
    const more = variantOverrides(variant, reading, overrides, host.addon.variants());
    for (const note of more.notes) terminal.say(note);
    reading = narrowed(await host.scenarios.read(path, { overrides: [...overrides, ...more.overrides] }));
  }
  problemOf(reading);
  if (reading.scenario !== null) await trustNamed(context, host, reading.scenario);
  sayIssues(terminal, reading.issues);
  return reading;
}

export const stepWords: ProgressWords<'transport'> = ({ step, depth_mm, weight_left, steps_per_s }) => [
  `step ${step}`,
  `depth ${depth_mm.toFixed(1)} mm`,
  `${significant(weight_left * 100, 3)} % in flight`,
  `${significant(steps_per_s, 3)} steps/s`,
];

export async function runTransport(context: VerbContext, host: Host, place: NamedFile | null): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const reading = await readScenario(context, host);
  const id = await solve(context, host, reading, stepWords);
  const data = runOf('transport', await host.runs.data(id));
  const summary = summaryOf(data);
  const kept = place === null ? null : await saved(context, host, id, place);
  const file = kept !== null && 'file' in kept ? kept.file : null;
  const verdict = await checkedUserKernel(context, host, reading, data);
  const range_mm = reading.scenario?.initial.kind === 'beam' ? reading.range_mm : null;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({
      ...summaryDocument(summary),
      csda_range_mm: range_mm,
      // What is said beside the run before it starts.
      warnings: reading.issues.filter(({ severity }) => severity === 'warning'),
      ...(verdict === null ? {} : { checks: verdict }),
    });
    if (file !== null) terminal.say(`Saved as ${file}`);
  } else {
    const { background = 'water', regions = [] } = reading.scenario?.geometry ?? {};
    const inWater = background === 'water' && regions.length === 0;
    const { z_mm: entrance_mm, angle_deg } = reading.scenario?.beam ?? { z_mm: 0, angle_deg: 0 };
    const facts = { summary, range_mm, inWater, entrance_mm, angle_deg, table: reading.table ?? '', file };
    const styled = (style: Parameters<Terminal['style']>[0], text: string): string => terminal.style(style, text);
    for (const line of runReport(facts, styled)) terminal.print(line);
    if (verdict !== null) for (const line of ['', ...verdictLines(verdict, styled)]) terminal.print(line);
  }
  if (kept !== null && 'error' in kept) {
    terminal.say(`${terminal.styleSaid('red', 'error')} ${kept.error.message}`);
    return exitCodes.failed;
  }
  if (summary.error !== null) {
    terminal.say(`${terminal.styleSaid('red', 'error')} ${summary.error}`);
    return exitCodes.failed;
  }
  if (verdict?.right === false) return exitCodes.failed;
  return summary.status === 'done' ? exitCodes.done : exitCodes.interrupted;
}
