/** `braggbench bench`: variants against each other on one scenario, or over a sweep of one of its values. */
import { type BenchReport, type BenchSession, type Mode, modes, SESSION_FORMAT } from '../../contract/bench.ts';
import type { Variant } from '../../contract/capabilities.ts';
import {
  type BenchOptions,
  type BenchProgress,
  benchmark,
  devicesWithCeilings,
  gpuFacts,
  readClaims,
  readSession,
  recordedFacts,
  sweepFits,
  writeSession,
} from '../../host/bench/index.ts';
import { chooseBaselines, readRegistry } from '../../host/external/registry.ts';
import { rivals } from '../../host/external/rivals.ts';
import type { Host } from '../../host/index.ts';
import type { Override } from '../../host/scenarios/index.ts';
import { flagNumber, flagValue, hasFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { benchReport } from '../bench-report.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { issueLine } from '../issues.ts';
import { duration } from '../numbers.ts';
import { withHost } from '../open-host.ts';
import { bar, ProgressBar } from '../progress-bar.ts';
import { overridesOf, scenarioPath } from '../scenario-file.ts';
import { parseSweep, type Sweep } from '../sweep.ts';
import { sweepReport } from '../sweep-report.ts';
import type { Verb, VerbContext } from '../verb.ts';

/** Enough for an interval; more tighten it. */
const fewestRounds = 7;
const usualMostRounds = 100;
const usualSeconds = 60;
/** Another program's runs: its first compiles. */
const externalRuns = { warmups: 1, repeats: 5, timeout_s: 300 };

function listed(parsed: ParsedArguments, flag: string): readonly string[] | null {
  const list = flagValue(parsed, flag);
  if (list === undefined) return null;
  const ids = list.split(',').map((id) => id.trim());
  if (ids.some((id) => id === '')) throw new UsageError(`--${flag}: ${JSON.stringify(list)} names nothing in a place`);
  return ids;
}

/** Those of --variants in their order, else every one that this machine can run and that the scenario's stepping fits. */
function variantIds(parsed: ParsedArguments, all: readonly Variant[], stepping: 'path' | 'depth'): readonly string[] {
  return (
    listed(parsed, 'variants') ??
    all.filter((v) => v.available && v.id !== 'reference' && v.steppings.includes(stepping)).map(({ id }) => id)
  );
}

function modesOf(parsed: ParsedArguments): readonly Mode[] {
  return (listed(parsed, 'modes') ?? ['warm']).map((given) => {
    const mode = modes.find((one) => one === given);
    if (mode === undefined) throw new UsageError(`--modes: ${given} is not known; allowed: ${modes.join(', ')}`);
    return mode;
  });
}

function progressLine({ phase, variant, round, mostRounds, elapsed_s }: BenchProgress): string {
  if (phase !== 'rounds') return `${phase}: ${variant}  ${duration(elapsed_s)}`;
  return `${bar(round / mostRounds)}  round ${round + 1} of at most ${mostRounds}: ${variant}  ${duration(elapsed_s)}`;
}

type Common = Pick<BenchOptions, 'modes' | 'seed' | 'limits' | 'gpu' | 'claims' | 'signal' | 'recorded'>;

async function measureOne(
  { parsed, terminal, signal }: VerbContext,
  host: Host,
  common: Common,
  overrides: readonly Override[],
): Promise<BenchReport> {
  const path = scenarioPath(parsed.operands[0] ?? '');
  const reading = await host.scenarios.read(path, { overrides });
  const problem = host.scenarios.resolve(reading);
  for (const issue of reading.issues) terminal.say(issueLine(issue, (style, text) => terminal.styleSaid(style, text)));
  const programs = listed(parsed, 'external');
  const registry = programs === null ? null : await readRegistry(assetsFolder());
  const progress = new ProgressBar(terminal);
  return benchmark(host.addon, problem, {
    ...common,
    scenario: reading.scenario?.name || path,
    recorded: { ...common.recorded, ...(reading.document === null ? {} : { document: { ...reading.document } }) },
    variants: variantIds(parsed, host.capabilities().variants, problem.solver.stepping),
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
  for (const override of sweep?.overrides ?? [null]) {
    if (signal.aborted && reports.length > 0) break;
    reports.push(await measureOne(context, host, common, override === null ? given : [...given, override]));
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

function show({ terminal, parsed }: VerbContext, session: BenchSession): void {
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

async function perform(context: VerbContext): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const kept = flagValue(parsed, 'open');
  if (kept !== undefined) {
    if (parsed.operands.length > 0) throw new UsageError('--open shows a kept session: it takes no scenario');
    show(context, await readSession(kept));
    return exitCodes.done;
  }
  if (parsed.operands.length === 0) throw new UsageError('bench needs a scenario, or --open SESSION.json');
  const sweepText = flagValue(parsed, 'sweep');
  const sweep = sweepText === undefined ? null : parseSweep(sweepText);
  const session = await withHost((host) => measureAll(context, host, sweep));
  const out = flagValue(parsed, 'out');
  if (out !== undefined) {
    await writeSession(out, session);
    terminal.say(`Kept as ${out}`);
  }
  show(context, session);
  return exitCodeOf(session);
}

export const bench: Verb = {
  name: 'bench',
  usage: 'bench SCENARIO [--variants a,b,…] [--set path=value …] [--sweep path=v,w,…] [--external a,b,…] [--json]',
  summary: 'compare variants: speed with its uncertainty, and whether the answer is right',
  details: [
    'Runs the variants in interleaved rounds of shuffled order and prints medians and ratios to the first one, with 95 % bootstrap intervals. The first variant runs twice in every round: how far it strays from itself is the noise floor, below which nothing is called faster or slower. Every row carries the error of its dose against an FP64 reference; a variant beyond parity is wrong, whatever its speed.',
    "Times are of the steps: by the device's clock on a GPU, by the host's on the CPU. Samples under a throttled or dropped clock are kept and flagged, and ratios shown with and without them.",
    'Ends when every ratio is known to 1 %, when more rounds no longer change the noise, or at the limits.',
  ],
  flags: [
    {
      name: 'variants',
      value: 'a,b,…',
      help: 'Which ones, in this order; all that can run by default. cuda-fused@fp64 asks for a precision.',
    },
    { name: 'set', value: 'path=value', repeats: true, help: 'Change a value of the scenario. Repeats.' },
    { name: 'sweep', value: 'path=v,w,…', help: 'Measure at each of these values, and fit fixed cost and slope.' },
    {
      name: 'modes',
      value: 'warm,cold,graph',
      help: 'Also with emptied caches, and with launches replayed as one graph.',
    },
    { name: 'external', value: 'a,b,…', help: 'Other programs to time beside: ids of assets/external/registry.json.' },
    { name: 'rounds', value: 'N', help: `Most rounds, ${usualMostRounds} by default.` },
    {
      name: 'time',
      value: 'SECONDS',
      help: `Time after which no new round begins, ${usualSeconds} by default.`,
    },
    { name: 'seed', value: 'N', help: 'Of shuffles and bootstrap, 1 by default.' },
    { name: 'out', value: 'SESSION.json', help: 'Keep the session with every sample.' },
    { name: 'open', value: 'SESSION.json', help: 'Show a kept session instead of measuring; needs no GPU.' },
    { name: 'json', help: 'Print one JSON document, with every sample, instead of text.' },
  ],
  examples: [
    'braggbench bench water-70MeV --variants window,depth',
    'braggbench bench water-70MeV --variants window --sweep grid.dx_mm=1,0.5,0.25',
    'braggbench bench uniform-grid-70MeV --external cupy-raw,numpy-array --out session.json',
    'braggbench bench --open session.json',
  ],
  operands: { min: 0, max: 1, name: 'a scenario' },
  run: perform,
};
