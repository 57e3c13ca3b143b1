/** `braggbench bench` of a transport scenario. */

import { type BenchReport, type BenchSession, SESSION_FORMAT } from '../../../contract/bench/bench.ts';
import type { Host } from '../../../host/index.ts';
import type { TransportVariant as Variant } from '../../../host/io/addon/addon.ts';
import {
  type BenchOptions,
  type BenchProgress,
  benchmark,
  devicesWithCeilings,
  recordedFacts,
  sessionGpus,
  sweepFits,
} from '../../../host/model/bench/index.ts';
import { chooseBaselines, readRegistry } from '../../../host/model/external/registry.ts';
import { externalRuns, rivals } from '../../../host/model/external/rivals.ts';
import { type Override, problemOf } from '../../../host/workloads/scenarios/index.ts';
import { readClaims } from '../../../host/workloads/transport/claims.ts';
import { asTransport } from '../../../host/workloads/transport/scenario/reading.ts';
import { assetsFolder } from '../../assets-folder.ts';
import { keepAndShow, type Lines, listed, measured, roundLine, roundsAsked, seedOf, show } from '../../benching.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { sayIssues } from '../../issues.ts';
import { modesOf } from '../../modes.ts';
import { duration } from '../../numbers.ts';
import { ProgressBar } from '../../progress-bar.ts';
import { benchReport } from '../../reports/bench-report.ts';
import { sweepReport } from '../../reports/sweep-report.ts';
import { overridesOf, scenarioPath } from '../../scenario-file.ts';
import { openNamed, ours } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';

/** Those of --variants in their order, else every one that this machine can run and that the scenario's stepping fits. */
async function variantIds(context: VerbContext, host: Host, stepping: 'path' | 'depth'): Promise<readonly string[]> {
  const named = await openNamed(context, host, { workload: 'transport', bench: '' });
  if (named !== null) return named;
  const all: readonly Variant[] = host.addon.variants();
  return ours(all.filter(({ id, steppings }) => id !== 'reference' && steppings.includes(stepping)));
}

function progressLine({ phase, variant, round, mostRounds, elapsed_s }: BenchProgress): string {
  return phase === 'rounds'
    ? roundLine(variant, round, mostRounds, elapsed_s)
    : `${phase}: ${variant}  ${duration(elapsed_s)}`;
}

type Common = Pick<BenchOptions, 'modes' | 'seed' | 'limits' | 'gpus' | 'claims' | 'signal' | 'recorded'>;

async function measureOne(
  context: VerbContext,
  host: Host,
  common: Common,
  overrides: readonly Override[],
): Promise<BenchReport> {
  const { parsed, terminal, signal } = context;
  const path = scenarioPath(parsed.operands[0] ?? '');
  const reading = asTransport(await host.scenarios.read(path, { overrides }), path);
  const problem = problemOf(reading);
  sayIssues(terminal, reading.issues);
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

const lines: Lines<BenchSession> = { report: benchReport, sweep: sweepReport };

export const showSession = (context: VerbContext, session: BenchSession): void => show(context, session, lines);

export async function benchTransport(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal, signal } = context;
  const devices = await devicesWithCeilings(host.addon, (reason) => terminal.say(reason));
  const common: Common = {
    modes: modesOf(parsed),
    seed: seedOf(parsed),
    limits: roundsAsked(parsed),
    gpus: sessionGpus(devices),
    recorded: await recordedFacts(assetsFolder(), devices),
    claims: await readClaims(assetsFolder()),
    signal,
  };
  const given = overridesOf(parsed);
  const session = await measured(context, (more) => measureOne(context, host, common, [...given, ...more]), sweepFits);
  return keepAndShow<BenchSession>(context, { format: SESSION_FORMAT, ...session }, lines);
}
