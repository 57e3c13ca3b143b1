/** Calls and streams about benchmarks, and about the code of the variants. */
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MachineIdentity, Mode } from '../../../contract/bench/bench-session.ts';
import type { Subject } from '../../../contract/bench/benches.ts';
import type { ComparedMap } from '../../../contract/bench/comparison.ts';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { KernelResources } from '../../../contract/resources.ts';
import type { ScenarioDraft } from '../../../contract/scenario/draft.ts';
import { formatPath, parsePath, withValueAt } from '../../../contract/scenario/index.ts';
import { withoutSuffix } from '../../../contract/tuning/configured.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { thisMachine } from '../../io/files/this-machine.ts';
import { kernelFolders } from '../../model/bench/ceilings.ts';
import { commitOf } from '../../model/bench/commit.ts';
import { runnableDesigns } from '../../model/bench/factorial/designs.ts';
import { kernelResources } from '../../model/bench/resources.ts';
import { kernelsOf, variantSources } from '../../model/bench/sources.ts';
import { limitsOf, mostRounds } from '../../model/bench/stopping.ts';
import { externalPrograms } from '../../model/external/programs.ts';
import { chooseBaselines, readRegistry } from '../../model/external/registry.ts';
import { comparedCurves, noAnswer } from '../../model/fields/curves.ts';
import { difference, fieldMap, gridText } from '../../model/fields/field.ts';
import { type BenchProblem, refuseLongBench } from '../../workloads/benchable.ts';
import { allVariants, hostWorkloads } from '../../workloads/index.ts';
import { type AnyReading, refusalOf, type Scenarios } from '../../workloads/scenarios/index.ts';
import type { Benches } from '../benches/benches.ts';
import { decisionsInTurns } from '../benches/decision.ts';
import { expectedTimes, type Timed } from '../benches/expected.ts';
import { historyInTurns, trendOf } from '../benches/history.ts';
import { claimTableAside } from '../claim-table/index.ts';
import { comparedRows } from '../compare/rows.ts';
import { type Loaded, loadSubject, type SubjectParts } from '../compare/subjects.ts';
import type { HandlerParams, Handlers, Sources } from '../service/service.ts';
import { placeOf as placeOfScenario, type UserKernels } from '../user-kernels/user-kernels.ts';
import { placeOf } from './scenarios.ts';

/** Calls that compare results. */
type ComparisonHandlers = Pick<Handlers, Extract<keyof Handlers, `compare.${string}`>>;

export function comparisonHandlers(parts: SubjectParts): ComparisonHandlers {
  const all = (subjects: readonly Subject[]): Promise<Loaded[]> =>
    Promise.all(subjects.map((subject) => loadSubject(subject, parts)));
  return {
    'compare.rows': async ({ subjects, reference }) => {
      const gone: { subject: Subject; reason: string }[] = [];
      const found = await Promise.all(
        subjects.map((subject) =>
          loadSubject(subject, parts).catch((error: unknown) => {
            if (!(error instanceof BraggError)) throw error;
            gone.push({ subject, reason: error.message });
            return null;
          }),
        ),
      );
      const loaded = found.filter((one) => one !== null);
      // Without its reference a comparison goes on with the first that is there.
      const against = found[reference] ?? loaded[0];
      if (against === undefined) return { rows: [], words: null, groups: [], gone };
      return { ...(await comparedRows(loaded, against)), words: against.words, gone };
    },
    'compare.curves': async ({ subjects, reference }) => {
      const fields = (await all(subjects)).map(({ field }) => field);
      return { curves: await comparedCurves(fields, reference) };
    },
    'compare.maps': async ({ subjects, reference, viewport }) => {
      const fields = (await all(subjects)).map(({ field }) => field);
      const against = fields[reference] ?? null;
      const maps = await Promise.all(
        fields.map(async (field, i): Promise<ComparedMap> => {
          if (field === null) return { map: null, reason: noAnswer, difference: null };
          const map = await fieldMap(field, viewport);
          if (i === reference || against === null) return { map, reason: null, difference: null };
          const less = await difference(field, against);
          if (less !== null) return { map, reason: null, difference: await fieldMap(less, viewport) };
          const reason = `the grids differ: ${gridText(field)} here, ${gridText(against)} of the reference`;
          return { map, reason, difference: null };
        }),
      );
      return { maps };
    },
  };
}

interface BenchParts {
  readonly addon: NativeAddon;
  readonly userKernels: UserKernels;
  readonly benches: Benches;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly assetsFolder: string;
}

type Names = Extract<keyof Handlers, `bench.${string}` | `claims.${string}` | `variant.${string}`>;
type Request = HandlerParams<'bench.start'>;
type Which = HandlerParams<'variant.sources'>;

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A ratio less 1 as flags take it. */
const percentOf = (ratio: number): string => `${Number((100 * ratio).toPrecision(6))}%`;

/** The session again, on the command line. */
function commandOf(request: Request, modes: readonly Mode[], file: string): string {
  const { variants, external, rounds, time_s, precision, margin, seed, sweep, processes, instances } = request;
  const { lock_MHz, cool_C, energy } = request;
  return [
    'bench',
    quoted(file),
    `--variants ${variants.join(',')}`,
    ...(external.length === 0 ? [] : [`--external ${quoted(external.join(','))}`]),
    ...(modes.length === 0 ? [] : [`--modes warm,${modes.join(',')}`]),
    ...(processes === null ? [] : [`--processes ${processes}`]),
    ...(instances === null ? [] : [`--instances ${instances}`]),
    ...(lock_MHz === null ? [] : [`--lock-clocks ${lock_MHz}`]),
    ...(cool_C === null ? [] : [`--cool ${cool_C}`]),
    ...(energy ? ['--energy'] : []),
    ...(sweep === null ? [] : [`--sweep ${sweep.path}=${sweep.values.join(',')}`]),
    ...(rounds === null ? [] : [`--rounds ${rounds}`]),
    `--time ${time_s}`,
    ...(precision === null ? [] : [`--precision ${percentOf(precision)}`]),
    `--margin ${percentOf(margin)} --seed ${seed}`,
  ].join(' ');
}

function sweptDrafts({ scenario, sweep }: Request): readonly ScenarioDraft[] {
  if (sweep === null) return [scenario];
  const path = parsePath(sweep.path);
  if (path === null) {
    throw new BraggError('invalid', `${JSON.stringify(sweep.path)} is not a path; allowed: grid.dx_mm and the like`);
  }
  return sweep.values.map((value) => withValueAt(scenario, path, value) as ScenarioDraft);
}

async function start(parts: BenchParts, request: Request) {
  const { addon, userKernels, benches, scenarios, files, assetsFolder } = parts;
  const { file, name, variants, external, seed, sweep } = request;
  const place = await placeOf(files, file);
  const readings: AnyReading[] = [];
  const documents = sweptDrafts(request);
  for (const draft of documents) {
    readings.push(await scenarios.check(draft, place));
    await nextTurn();
  }
  const [first] = readings;
  if (first === undefined) throw new BraggError('invalid', 'A sweep needs at least one value.');
  if (first.kind === null) throw refusalOf(first.issues);
  const { benchable } = hostWorkloads[first.kind];
  const problems: BenchProblem[] = [];
  for (const reading of readings) {
    problems.push(benchable.problem(reading));
    await nextTurn();
  }
  const [problem] = problems;
  if (problem === undefined) throw new BraggError('invalid', 'A sweep needs at least one value.');
  const here = placeOfScenario(first.scenario ?? { kind: first.kind });
  for (const label of variants) await userKernels.discover([place.folder], withoutSuffix(label), here);
  for (const { id } of userKernels.chosen(variants)) userKernels.requireFit(id, here);
  // Names that are not known are refused at once, and not after the queue.
  benchable.check(addon, problem, variants);
  await refuseLongBench(addon, benchable, readings, async (each) => each, variants);
  if (external.length > 0) {
    chooseBaselines(await readRegistry(assetsFolder), { workload: first.kind, bench: here.bench }, external);
  }
  await userKernels.prepare(variants, here);
  const modes = request.modes.filter((mode) => mode !== 'warm');
  const title = first.scenario?.name || name || 'untitled';
  const path = sweep === null ? null : parsePath(sweep.path);
  return benches.start({
    name: `${title}: ${variants.length === 1 ? variants[0] : `${variants.length} variants`}`,
    task: {
      workload: first.kind,
      scenario: title,
      problems,
      documents,
      scenarios: readings.map(({ scenario }) => scenario),
      sweep: sweep === null || path === null ? null : { path: formatPath(path), values: sweep.values },
      ...{ external, variants, modes, seed, assetsFolder, processes: request.processes },
      limits: limitsOf(request.rounds ?? mostRounds, request.time_s, {
        ...{ precision: request.precision, margin: request.margin },
        ...(request.instances !== null && { mostInstances: request.instances }),
      }),
      command: commandOf(request, modes, file === null ? `${title}.json` : files.nameOf(file).name),
      userKernels: userKernels.chosen(variants),
      userKernelLimit_s: userKernels.limit_s,
      steadied: { lock_MHz: request.lock_MHz, cool_C: request.cool_C },
      energy: request.energy,
      trace: false,
    },
  });
}

/** Sessions of one size that say what scenario they measured, with the problem that it comes to. */
async function timedSessions(
  { benches, scenarios, files }: BenchParts,
  kind: WorkloadName,
  bench: string,
): Promise<Timed[]> {
  const sessions = (await benches.outlines()).filter(
    ({ workload, sweep, reports }) => workload === kind && sweep === null && reports[0]?.bench === bench,
  );
  return sessions.map((session) => ({
    session,
    problem: async () => {
      const document = session.reports[0]?.document;
      if (document === undefined) return null;
      const reading = await scenarios.check(document, await placeOf(files, null));
      const fails = reading.kind !== kind || reading.issues.some(({ severity }) => severity === 'error');
      return fails ? null : { problem: hostWorkloads[kind].benchable.problem(reading), reading };
    },
  }));
}

function here(addon: NativeAddon): MachineIdentity {
  const { cpu, logicalCores: logical_cores, memoryBytes: memory_bytes } = addon.machine();
  return { id: thisMachine().id, cpu, logical_cores, memory_bytes, gpu: null };
}

async function expected(parts: BenchParts, { scenario, file }: HandlerParams<'bench.expected'>) {
  const { addon, scenarios, files } = parts;
  const reading = await scenarios.check(scenario, await placeOf(files, file));
  if (reading.kind === null || reading.issues.some(({ severity }) => severity === 'error'))
    return { times: [], factorials: [] };
  const { kind } = reading;
  const { benchable } = hostWorkloads[kind];
  const { bench } = placeOfScenario(reading.scenario ?? { kind });
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
      here(addon),
    ),
    factorials: able.map(({ id, title, labels }) => ({ id, title, labels: [...labels] })),
  };
}

/** Every session of a workload, this program's and stored ones, one after the other: all at once would leave nobody a turn. */
async function sessionsOf({ benches }: BenchParts, workload: WorkloadName) {
  const known = (await benches.list()).filter((one) => one.workload === workload && one.subjects.length > 0);
  const sessions: { readonly file: string; readonly session: Session }[] = [];
  for (const { id, name } of known) sessions.push({ file: name, session: (await benches.session(id)).session });
  return sessions;
}

export function benchHandlers(parts: BenchParts): Pick<Handlers, Names> {
  const { addon, benches, userKernels } = parts;
  /** The recorded sessions do not change while the program runs. */
  let table: ReturnType<typeof claimTableAside> | null = null;
  const find = ({ variant: id, workload, bench }: Which) => {
    const variant = allVariants(addon).find(
      (one) => one.id === id && (workload ?? one.workload) === one.workload && (bench ?? one.bench) === one.bench,
    );
    if (variant === undefined) throw new BraggError('not-found', `There is no variant ${JSON.stringify(id)}.`);
    return variant;
  };
  return {
    'bench.external': async (solved) => ({ programs: await externalPrograms(parts.assetsFolder, solved) }),
    'bench.expected': (request) => expected(parts, request),
    'bench.start': (request) => start(parts, request),
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
      const all = await historyInTurns(await sessionsOf(parts, workload), null);
      return { series: all.map((one) => ({ ...one, trend: trendOf(one.points.map(({ time_s }) => time_s)) })) };
    },
    'bench.decisions': async ({ workload }) => {
      const { baselines } = await readRegistry(parts.assetsFolder);
      return { decisions: [...(await decisionsInTurns(await sessionsOf(parts, workload), baselines))] };
    },
    'claims.table': async () => {
      table ??= claimTableAside(parts.assetsFolder).catch((error: unknown) => {
        table = null;
        throw error;
      });
      return { rows: [...(await table)] };
    },
    'variant.sources': async (which) => {
      const { variant } = which;
      const { sources } = kernelFolders();
      const mine = userKernels.find(variant);
      if (mine === null) return { files: await variantSources(sources, find(which)) };
      const { id, text, description, base } = mine;
      const rest = await variantSources(sources, base);
      return { files: [{ path: id, text }, ...rest.filter((file) => file.path !== description.replaces)] };
    },
    'variant.resources': async ({ session, ...which }) => {
      const { variant } = which;
      const found = find(which);
      const none = (reason: string) => ({ resources: null, reason, origin: null });
      if (found.device === 'cpu') return none('It runs on the CPU, which launches no kernels.');
      if (userKernels.find(variant) !== null) {
        return none('A user kernel is compiled when it is run; its registers are not read.');
      }
      const { images, sources } = kernelFolders();
      const kept = session === null ? null : await benches.session(session.bench);
      const report = kept?.session.reports[session?.report ?? 0];
      const shown = async (all: KernelResources, origin: string) => ({
        resources: kernelsOf(await variantSources(sources, found), all),
        reason: null,
        origin,
      });
      if (report?.resources !== undefined) return shown(report.resources, `recorded with ${kept?.name}`);
      const built = await kernelResources(images, found.workload);
      if (built === null) return none('The kernels were not compiled here: that takes nvcc, and npm run build.');
      if (report === undefined) return shown(built, 'of this build');
      // Kernels of another commit are other kernels.
      const here = await commitOf(path.dirname(parts.assetsFolder));
      const { commit } = report.program;
      if (commit !== null && commit === here) {
        return shown(built, `of this build, of the same commit as ${kept?.name}, which kept none`);
      }
      const there = commit === null ? 'does not say its commit' : `is of commit ${commit.slice(0, 7)}`;
      return none(`${kept?.name} kept none and ${there}; this build is of ${here?.slice(0, 7) ?? 'an unknown one'}.`);
    },
  };
}

export function benchSources(benches: Benches): Pick<Sources, 'benches' | 'bench.progress'> {
  return {
    benches: (_params, sink) => benches.watch(sink),
    'bench.progress': ({ bench }, sink) => benches.watchProgress(bench, sink),
  };
}
