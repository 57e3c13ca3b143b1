/** Handles calls and streams about benchmarks, and about the compiled code of variants. */

import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MachineIdentity, Mode } from '../../../contract/bench/bench-session.ts';
import { optionFlags } from '../../../contract/bench/options.ts';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { KernelResources } from '../../../contract/launches.ts';
import { formatPath, parsePath, withValueAt } from '../../../contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../contract/scenario/workload.ts';
import { variantOfLabel } from '../../../contract/tuning/configured.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { identifyThisMachine } from '../../io/files/this-machine.ts';
import { readCommit } from '../../model/bench/commit.ts';
import { runnableDesigns } from '../../model/bench/factorial/effects.ts';
import { kernelFolders } from '../../model/bench/machine.ts';
import { readKernelResources } from '../../model/bench/session-file.ts';
import { kernelsNamedIn, readVariantSources } from '../../model/bench/sources.ts';
import { externalPrograms, parseBaselines, readRegistry } from '../../model/external/conversation.ts';
import { benchTaskOfReadings, taskOptions, throwIfBenchTooLong, type ValidReading } from '../../workloads/benchable.ts';
import { allVariants, hostWorkloads } from '../../workloads/index.ts';
import { invalidScenarioError, type Scenarios } from '../../workloads/scenarios/scenarios.ts';
import type { Benches } from '../benches/benches.ts';
import { decisionsInSlices } from '../benches/decision.ts';
import { expectedTimes, type TimedSession } from '../benches/expected.ts';
import { AttemptHistories, attemptText, historyInSlices, trendOf } from '../benches/history.ts';
import { claimTableOnThread } from '../claim-table/index.ts';
import type { HandlerParams, Handlers, Sources } from '../service/service.ts';
import { benchKindOf, type UserKernels } from '../user-kernels/user-kernels.ts';
import { originOf } from './scenarios.ts';

interface BenchParts {
  readonly addon: NativeAddon;
  readonly userKernels: UserKernels;
  readonly benches: Benches;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly assetsFolder: string;
}

type BenchMethod = Extract<keyof Handlers, `bench.${string}` | `claims.${string}` | `variant.${string}`>;
type Request = HandlerParams<'bench.start'>;
type VariantSourcesRequest = HandlerParams<'variant.sources'>;

const quoteForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Builds the command line that repeats the session. */
function commandOf(request: Request, modes: readonly Mode[], file: string): string {
  const { variants, external, sweep } = request;
  return [
    'bench',
    quoteForShell(file),
    `--variants ${variants.join(',')}`,
    ...(external.length === 0 ? [] : [`--external ${quoteForShell(external.join(','))}`]),
    ...(modes.length === 0 ? [] : [`--modes warm,${modes.join(',')}`]),
    ...(sweep === null ? [] : [`--sweep ${sweep.path}=${sweep.values.join(',')}`]),
    ...optionFlags(request),
  ].join(' ');
}

function sweptDrafts({ scenario, sweep }: Request): readonly ScenarioDraft[] {
  if (sweep === null) return [scenario];
  const path = parsePath(sweep.path);
  if (path === null) {
    throw new BraggError('invalid', `${JSON.stringify(sweep.path)} is not a path; allowed: paths such as grid.dx_mm`);
  }
  return sweep.values.map((value) => withValueAt(scenario, path, value) as ScenarioDraft);
}

async function startBench(parts: BenchParts, request: Request) {
  const { addon, userKernels, benches, scenarios, files, assetsFolder } = parts;
  const { file, name, variants, external, sweep } = request;
  const place = await originOf(files, file);
  const readings: ValidReading[] = [];
  const documents = sweptDrafts(request);
  for (const draft of documents) {
    const reading = await scenarios.check(draft, place);
    if (reading.kind === null) throw invalidScenarioError(reading.issues);
    readings.push(reading);
    await nextTurn();
  }
  const [first] = readings;
  if (first === undefined) throw new BraggError('invalid', 'A sweep needs at least one value.');
  const { benchable } = hostWorkloads[first.kind];
  const title = first.scenario?.name || name || 'untitled';
  const path = sweep === null ? null : parsePath(sweep.path);
  const modes = request.modes.filter((mode) => mode !== 'warm');
  const task = await benchTaskOfReadings(benchable, readings, {
    scenario: title,
    sweep: sweep === null || path === null ? null : { path: formatPath(path), values: sweep.values },
    ...{ documents, external, variants, modes, assetsFolder, ...taskOptions(request) },
    command: commandOf(request, modes, file === null ? `${title}.json` : files.nameOf(file).name),
  });
  const [problem] = task.problems;
  if (problem === undefined) throw new BraggError('invalid', 'A sweep needs at least one value.');
  const here = benchKindOf(first.scenario ?? { kind: first.kind });
  for (const label of variants) await userKernels.openFromFolders([place.folder], variantOfLabel(label), here);
  for (const { id } of userKernels.userKernelsAmong(variants)) userKernels.requireMatchingWorkload(id, here);
  // Unknown names are rejected before the session is queued.
  benchable.check(addon, problem, variants);
  await throwIfBenchTooLong(addon, benchable, readings, async (each) => each, variants);
  if (external.length > 0) {
    parseBaselines(await readRegistry(assetsFolder), { workload: first.kind, bench: here.bench }, external);
  }
  await userKernels.prepare(variants, here);
  return benches.start({
    name: `${title}: ${variants.length === 1 ? variants[0] : `${variants.length} variants`}`,
    task: { ...task, userKernels: userKernels.userKernelsAmong(variants), userKernelLimit_s: userKernels.limit_s },
  });
}

/** Returns the sessions without a sweep, each with the problem that its recorded scenario describes. */
async function timedSessions(
  { benches, scenarios, files }: BenchParts,
  kind: WorkloadName,
  bench: string,
): Promise<TimedSession[]> {
  const sessions = await benches.outlines(
    ({ workload, sweep, reports }) => workload === kind && sweep === null && reports[0]?.bench === bench,
  );
  return sessions.map((session) => ({
    session,
    problem: async () => {
      const document = session.reports[0]?.document;
      if (document === undefined) return null;
      const reading = await scenarios.check(document, await originOf(files, null));
      const fails = reading.kind !== kind || reading.issues.some(({ severity }) => severity === 'error');
      return fails ? null : { problem: hostWorkloads[kind].benchable.problem(reading), reading };
    },
  }));
}

function machineIdentity(addon: NativeAddon): MachineIdentity {
  const { cpu, logicalCores: logical_cores, memoryBytes: memory_bytes } = addon.machine();
  return { id: identifyThisMachine().id, cpu, logical_cores, memory_bytes, gpu: null };
}

async function readExpectedTimes(parts: BenchParts, { scenario, file }: HandlerParams<'bench.expected'>) {
  const { addon, scenarios, files } = parts;
  const reading = await scenarios.check(scenario, await originOf(files, file));
  if (reading.kind === null || reading.issues.some(({ severity }) => severity === 'error'))
    return { times: [], factorials: [] };
  const { kind } = reading;
  const { benchable } = hostWorkloads[kind];
  const { bench } = benchKindOf(reading.scenario ?? { kind });
  const variants = allVariants(addon).filter((one) => one.workload === kind && one.bench === bench && one.available);
  const ids = variants.map(({ id }) => id).filter((id) => !isUserKernelId(id));
  const sessions = await timedSessions(parts, kind, bench);
  const { able } = await runnableDesigns(parts.assetsFolder, { workload: kind, bench }, variants);
  return {
    times: await expectedTimes(
      addon,
      benchable,
      { problem: benchable.problem(reading), reading },
      ids,
      sessions,
      machineIdentity(addon),
    ),
    factorials: able.map(({ id, title, labels }) => ({ id, title, labels: [...labels] })),
  };
}

/**
 * Reads all sessions of a workload, live and stored. Sequential, because reading all at once would block the event
 * loop.
 */
async function readSessions({ benches }: BenchParts, workload: WorkloadName) {
  const known = (await benches.list()).filter((one) => one.workload === workload && one.subjects.length > 0);
  const sessions: { readonly file: string; readonly session: Session }[] = [];
  for (const { id, name } of known) sessions.push({ file: name, session: (await benches.session(id)).session });
  return sessions;
}

export function benchHandlers(parts: BenchParts): Pick<Handlers, BenchMethod> {
  const { addon, benches, userKernels } = parts;
  /** Cached, because the recorded sessions do not change while the program runs. */
  let table: ReturnType<typeof claimTableOnThread> | null = null;
  const climbs = new AttemptHistories();
  const findVariant = ({ variant: id, workload, bench }: VariantSourcesRequest) => {
    const variant = allVariants(addon).find(
      (one) => one.id === id && (workload ?? one.workload) === one.workload && (bench ?? one.bench) === one.bench,
    );
    if (variant === undefined) throw new BraggError('not-found', `The variant ${JSON.stringify(id)} does not exist.`);
    return variant;
  };
  return {
    'bench.external': async (solved) => ({ programs: await externalPrograms(parts.assetsFolder, solved) }),
    'bench.expected': (request) => readExpectedTimes(parts, request),
    'bench.start': (request) => startBench(parts, request),
    'bench.cancel': ({ bench }) => benches.cancel(bench),
    'bench.list': async () => ({ benches: await benches.list() }),
    'bench.session': async ({ bench }) => ({ session: (await benches.session(bench)).session }),
    'bench.open': ({ source }) => benches.open(source),
    'bench.save': ({ bench, file, ifExists }) => benches.save(bench, file, ifExists),
    'bench.forget': ({ bench }) => {
      benches.forget(bench);
      return {};
    },
    'bench.history': async ({ workload }) => {
      const all = await historyInSlices(await readSessions(parts, workload), null);
      return { series: all.map((one) => ({ ...one, trend: trendOf(one.points.map(({ time_s }) => time_s)) })) };
    },
    'bench.climbs': async () => ({ climbs: await climbs.list(parts.files.library.folder) }),
    'bench.attempt': async ({ file }) => ({ text: await attemptText(parts.files.library.folder, file) }),
    'bench.decisions': async ({ workload }) => {
      const { baselines } = await readRegistry(parts.assetsFolder);
      return { decisions: [...(await decisionsInSlices(await readSessions(parts, workload), baselines))] };
    },
    'claims.table': async () => {
      table ??= claimTableOnThread(parts.assetsFolder).catch((error: unknown) => {
        table = null;
        throw error;
      });
      return { rows: [...(await table)] };
    },
    'variant.sources': async (which) => {
      const { variant } = which;
      const { sources } = kernelFolders();
      const mine = userKernels.find(variant);
      if (mine === null) return { files: await readVariantSources(sources, findVariant(which)) };
      const { id, text, description, base, referenceProgram: answer } = mine;
      // A candidate replaces no shipped file, so show it together with the program that computes its expected answer.
      if (answer !== null)
        return {
          files: [
            { path: id, text },
            { path: answer.name, text: answer.text },
          ],
        };
      const rest = await readVariantSources(sources, base);
      return { files: [{ path: id, text }, ...rest.filter((file) => file.path !== description.replaces)] };
    },
    'variant.resources': async ({ session, ...which }) => {
      const { variant } = which;
      const found = findVariant(which);
      const noResources = (reason: string) => ({ resources: null, reason, origin: null });
      if (found.device === 'cpu') return noResources('This variant runs on the CPU and launches no GPU kernels.');
      if (userKernels.find(variant) !== null) {
        return noResources('A user kernel is compiled when it first runs; until then its registers are not known.');
      }
      const { images, sources } = kernelFolders();
      const openSession = session === null ? null : await benches.session(session.bench);
      const report = openSession?.session.reports[session?.report ?? 0];
      const resourcesFrom = async (all: KernelResources, origin: string) => ({
        resources: kernelsNamedIn(await readVariantSources(sources, found), all),
        reason: null,
        origin,
      });
      if (report?.resources !== undefined) return resourcesFrom(report.resources, `recorded with ${openSession?.name}`);
      const built = await readKernelResources(images, found.workload);
      if (built === null)
        return noResources('The kernels were not compiled on this machine: install nvcc, then run npm run build.');
      if (report === undefined) return resourcesFrom(built, 'of this build');
      // Use the kernel data of this build only if the session is from the same commit, because kernels may have changed
      // since.
      const here = await readCommit(path.dirname(parts.assetsFolder));
      const { commit } = report.program;
      if (commit !== null && commit === here) {
        return resourcesFrom(
          built,
          `of this build, from the same commit as ${openSession?.name}, which has no kernel data`,
        );
      }
      const sessionCommitText = commit === null ? 'does not give its commit' : `is from commit ${commit.slice(0, 7)}`;
      return noResources(
        `${openSession?.name} has no kernel data and ${sessionCommitText}; this build is from ${here?.slice(0, 7) ?? 'an unknown commit'}.`,
      );
    },
  };
}

export function benchSources(benches: Benches): Pick<Sources, 'benches' | 'bench.progress'> {
  return {
    benches: (_params, sink) => benches.watch(sink),
    'bench.progress': ({ bench }, sink) => benches.watchProgress(bench, sink),
  };
}
