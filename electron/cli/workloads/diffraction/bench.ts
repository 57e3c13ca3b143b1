/** `braggbench bench` of a diffraction scenario. */
import path from 'node:path';
import { IMAGE_SESSION_FORMAT, type ImageBenchReport, type ImageSession } from '../../../contract/image-bench.ts';
import { suggest } from '../../../contract/scenario/index.ts';
import { commitOf, devicesWithCeilings, type GpuFacts, gpuFacts } from '../../../host/bench/index.ts';
import type { Host } from '../../../host/index.ts';
import { type Override, problemOf, writeAtomically } from '../../../host/scenarios/index.ts';
import { benchImages } from '../../../host/workloads/diffraction/bench.ts';
import { imageFits } from '../../../host/workloads/diffraction/sweep.ts';
import { flagNumber, flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { assetsFolder } from '../../assets-folder.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { modesOf } from '../../modes.ts';
import { duration } from '../../numbers.ts';
import { bar, ProgressBar } from '../../progress-bar.ts';
import { parseSweep } from '../../sweep.ts';
import type { VerbContext } from '../../verb.ts';
import { imageBenchReport, imageSweepReport } from './bench-report.ts';
import { readImageScenario } from './scenario.ts';

const fewestRounds = 7;
const usualMostRounds = 100;
const usualSeconds = 60;

/** Of the verb's flags those that mean nothing here. */
const notHere = ['external'] as const;

/** Those of --variants in their order, else every one that this machine can run. */
function variantIds(parsed: ParsedArguments, host: Host): readonly string[] {
  const all = host.addon.diffractionVariants();
  const list = flagValue(parsed, 'variants');
  if (list === undefined) return all.filter(({ available }) => available).map(({ id }) => id);
  const known = all.map(({ id }) => id);
  return list.split(',').map((given) => {
    const id = given.trim();
    if (known.includes(id)) return id;
    const near = suggest(id, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`--variants: ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`);
  });
}

async function measure(
  context: VerbContext,
  host: Host,
  gpu: GpuFacts | null,
  more: readonly Override[],
): Promise<ImageBenchReport> {
  const { parsed, terminal, signal } = context;
  const reading = await readImageScenario(context, host, more);
  const mostRounds = flagNumber(parsed, 'rounds', { min: 1, max: 100_000, whole: true }) ?? usualMostRounds;
  const mostSeconds = flagNumber(parsed, 'time', { min: 0, max: 86_400 }) ?? usualSeconds;
  const progress = new ProgressBar(terminal);
  return benchImages(host.addon, problemOf(reading), {
    scenario: reading.scenario.name || (parsed.operands[0] ?? ''),
    variants: variantIds(parsed, host),
    modes: modesOf(parsed),
    seed: flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1,
    limits: { fewestRounds: Math.min(fewestRounds, mostRounds), mostRounds, mostSeconds },
    gpu,
    signal,
    onProgress: (what, round, elapsed_s) =>
      progress.draw(
        `${bar(round / mostRounds)}  round ${round + 1} of at most ${mostRounds}: ${what}  ${duration(elapsed_s)}`,
      ),
  }).finally(() => progress.clear());
}

async function measureAll(context: VerbContext, host: Host): Promise<ImageSession> {
  const { parsed, terminal, signal } = context;
  const sweepText = flagValue(parsed, 'sweep');
  const sweep = sweepText === undefined ? null : parseSweep(sweepText);
  const gpu = gpuFacts(await devicesWithCeilings(host.addon, (reason) => terminal.say(reason)));
  const reports: ImageBenchReport[] = [];
  for (const overrides of sweep?.overrides ?? [[]]) {
    if (signal.aborted && reports.length > 0) break;
    reports.push(await measure(context, host, gpu, overrides));
  }
  const values = sweep?.values.slice(0, reports.length) ?? [];
  return {
    format: IMAGE_SESSION_FORMAT,
    format_version: 1,
    created: new Date().toISOString(),
    command: ['bench', ...context.words].join(' '),
    commit: await commitOf(path.dirname(assetsFolder())),
    reports,
    sweep: sweep === null ? null : { path: sweep.path, values, fits: imageFits(values, reports) },
  };
}

export function showImageSession({ parsed, terminal }: VerbContext, session: ImageSession): void {
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(session.sweep === null ? session.reports[0] : session);
    return;
  }
  for (const [i, report] of session.reports.entries()) {
    if (i > 0) terminal.print();
    const value = session.sweep?.values[i];
    if (value !== undefined) terminal.print(terminal.style('bold', `${session.sweep?.path} = ${value}`));
    for (const line of imageBenchReport(report, (style, text) => terminal.style(style, text))) terminal.print(line);
  }
  if (session.sweep === null) return;
  for (const line of imageSweepReport(session.sweep, (style, text) => terminal.style(style, text)))
    terminal.print(line);
}

export async function benchDiffraction(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal } = context;
  for (const flag of notHere) {
    if (flagValue(parsed, flag) !== undefined) throw new UsageError(`--${flag} is for transport scenarios`);
  }
  const session = await measureAll(context, host);
  const out = flagValue(parsed, 'out');
  if (out !== undefined) {
    await writeAtomically(out, `${JSON.stringify(session)}\n`, 'replace');
    terminal.say(`Kept as ${out}`);
  }
  showImageSession(context, session);
  const { reports } = session;
  if (reports.some(({ stopped }) => stopped === 'cancelled')) return exitCodes.interrupted;
  return reports.every(({ stopped }) => stopped === 'refused') ? exitCodes.badInput : exitCodes.done;
}
