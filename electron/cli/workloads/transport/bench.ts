/** `braggbench bench` of a transport scenario. */
import { type BenchReport, type BenchSession, SESSION_FORMAT } from '../../../contract/bench.ts';
import type { TransportVariant as Variant } from '../../../host/addon.ts';
import {
  type BenchOptions,
  type BenchProgress,
  benchmark,
  devicesWithCeilings,
  gpuFacts,
  readClaims,
  recordedFacts,
  sweepFits,
  writeSession,
} from '../../../host/bench/index.ts';
import { chooseBaselines, readRegistry } from '../../../host/external/registry.ts';
import { externalRuns, rivals } from '../../../host/external/rivals.ts';
import type { Host } from '../../../host/index.ts';
import type { Override } from '../../../host/scenarios/index.ts';
import { flagNumber, flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { assetsFolder } from '../../assets-folder.ts';
import { benchReport } from '../../bench-report.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { issueLine } from '../../issues.ts';
import { modesOf } from '../../modes.ts';
import { duration } from '../../numbers.ts';
import { openOwn } from '../../own-variants.ts';
import { bar, ProgressBar } from '../../progress-bar.ts';
import { overridesOf, scenarioPath } from '../../scenario-file.ts';
import { parseSweep, type Sweep } from '../../sweep.ts';
import { sweepReport } from '../../sweep-report.ts';
import type { VerbContext } from '../../verb.ts';

/** Enough for an interval; more tighten it. */
export const fewestRounds = 7;
export const usualMostRounds = 100;
export const usualSeconds = 60;

function listed(parsed: ParsedArguments, flag: string): readonly string[] | null {
  const list = flagValue(parsed, flag);
  if (list === undefined) return null;
  const ids = list.split(',').map((id) => id.trim());
  if (ids.some((id) => id === '')) throw new UsageError(`--${flag}: ${JSON.stringify(list)} names nothing in a place`);
  return ids;
}

/** Those of --variants in their order, else every one that this machine can run and that the scenario's stepping fits. */
async function variantIds(context: VerbContext, host: Host, stepping: 'path' | 'depth'): Promise<readonly string[]> {
  const named = listed(context.parsed, 'variants');
  if (named !== null) return openOwn(context, host, named);
  const all: readonly Variant[] = host.addon.variants();
  return all.filter((v) => v.available && v.id !== 'reference' && v.steppings.includes(stepping)).map(({ id }) => id);
}

function progressLine({ phase, variant, round, mostRounds, elapsed_s }: BenchProgress): string {
  if (phase !== 'rounds') return `${phase}: ${variant}  ${duration(elapsed_s)}`;
  return `${bar(round / mostRounds)}  round ${round + 1} of at most ${mostRounds}: ${variant}  ${duration(elapsed_s)}`;
}

type Common = Pick<BenchOptions, 'modes' | 'seed' | 'limits' | 'gpu' | 'claims' | 'signal' | 'recorded'>;

async function measureOne(
  context: VerbContext,
  host: Host,
  common: Common,
  overrides: readonly Override[],
): Promise<BenchReport> {
  const { parsed, terminal, signal } = context;
  const path = scenarioPath(parsed.operands[0] ?? '');
  const reading = await host.scenarios.read(path, { overrides });
  const problem = host.scenarios.resolve(reading);
  for (const issue of reading.issues) terminal.say(issueLine(issue, (style, text) => terminal.styleSaid(style, text)));
  const programs = listed(parsed, 'external');
  const registry = programs === null ? null : await readRegistry(assetsFolder());
  const variants = await variantIds(context, host, problem.solver.stepping);
  const progress = new ProgressBar(terminal);
  return benchmark(host.addon, problem, {
    ...common,
    scenario: reading.scenario?.name || path,
    recorded: { ...common.recorded, ...(reading.document === null ? {} : { document: { ...reading.document } }) },
    variants,
    ...(registry === null || programs === null
      ? {}
      : {
          rivals: rivals({
            addon: host.addon,
            folder: registry.folder,
            baselines: chooseBaselines(registry, programs),
            scenario: reading.scenario,
            ...externalRuns,
            signal,
          }),
        }),
    onProgress: (now) => progress.draw(progressLine(now)),
  }).finally(() => progress.clear());
}

async function measureAll(context: VerbContext, host: Host, sweep: Sweep | null): Promise<BenchSession> {
  const { parsed, terminal, signal } = context;
  const mostRounds = flagNumber(parsed, 'rounds', { min: 1, max: 100_000, whole: true }) ?? usualMostRounds;
  const mostSeconds = flagNumber(parsed, 'time', { min: 0, max: 86_400 }) ?? usualSeconds;
  const devices = await devicesWithCeilings(host.addon, (reason) => terminal.say(reason));
  const common: Common = {
    modes: modesOf(parsed),
    seed: flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1,
    limits: { fewestRounds: Math.min(fewestRounds, mostRounds), mostRounds, mostSeconds },
    gpu: gpuFacts(devices),
    recorded: await recordedFacts(assetsFolder(), devices),
    claims: await readClaims(assetsFolder()),
    signal,
  };
  const given = overridesOf(parsed);
  const reports: BenchReport[] = [];
  for (const overrides of sweep?.overrides ?? [[]]) {
    if (signal.aborted && reports.length > 0) break;
    reports.push(await measureOne(context, host, common, [...given, ...overrides]));
  }
  const values = sweep?.values.slice(0, reports.length) ?? [];
  return {
    format: SESSION_FORMAT,
    format_version: 1,
    created: new Date().toISOString(),
    command: ['bench', ...context.words].join(' '),
    reports,
    sweep: sweep === null ? null : { path: sweep.path, values, fits: sweepFits(values, reports) },
  };
}

export function showSession({ terminal, parsed }: VerbContext, session: BenchSession): void {
  const [only] = session.reports;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson(session.sweep === null ? only : session);
    return;
  }
  const style = (name: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string): string => terminal.style(name, text);
  for (const [i, report] of session.reports.entries()) {
    if (i > 0) terminal.print();
    if (session.sweep !== null) terminal.print(style('bold', `${session.sweep.path} = ${session.sweep.values[i]}`));
    for (const line of benchReport(report, style)) terminal.print(line);
  }
  if (session.sweep !== null) for (const line of sweepReport(session.sweep, style)) terminal.print(line);
}

function exitCodeOf({ reports }: BenchSession): ExitCode {
  if (reports.some(({ stopped }) => stopped === 'cancelled')) return exitCodes.interrupted;
  return reports.every(({ stopped }) => stopped === 'refused') ? exitCodes.badInput : exitCodes.done;
}

export async function benchTransport(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const sweepText = flagValue(parsed, 'sweep');
  const sweep = sweepText === undefined ? null : parseSweep(sweepText);
  const session = await measureAll(context, host, sweep);
  const out = flagValue(parsed, 'out');
  if (out !== undefined) {
    await writeSession(out, session);
    terminal.say(`Kept as ${out}`);
  }
  showSession(context, session);
  return exitCodeOf(session);
}
