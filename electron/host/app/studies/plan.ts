/**
 * Plans a study before anything runs: its points, their issues, the resources, and a forecast of its duration. The
 * forecast solves a few points and scales the lower bounds of the others.
 */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Capabilities } from '../../../contract/capabilities.ts';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import type { FieldIssue } from '../../../contract/scenario/index.ts';
import type { StudyForecast } from '../../../contract/study/calls.ts';
import {
  PLAN_FORMAT,
  type PlanLine,
  STUDY_FOLDER_VERSION,
  type Study,
  validateStudy,
} from '../../../contract/study/index.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { type Lock, makeLockFile, tryLock } from '../../io/files/locks.ts';
import { readText } from '../../io/text/read.ts';
import { parseTextOnThread, toIssue } from '../../model/scenarios/parse.ts';
import { isStudyFolder, StudyFolder } from '../../model/studies/folder.ts';
import { computePoints, type Points, type StudyBase, type StudyPoint } from '../../model/studies/points.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import {
  engineErrorWithIssue,
  invalidScenarioError,
  type ScenarioOrigin,
  type Scenarios,
} from '../../workloads/scenarios/scenarios.ts';
import type { ResourceNeeds } from '../../workloads/workload.ts';
import type { Batches } from '../batches/batches.ts';
import type { Runs } from '../runs/runs.ts';
import { withConfigurations } from '../tuning/axis.ts';
import type { UserKernels } from '../user-kernels/user-kernels.ts';
import { groupsOf, type PointGroup, type Share, workerLayoutOf } from './local/groups.ts';
import { documentOf, namedFileDigests, variesGrid, withThreadLimit } from './results.ts';

/**
 * Maximum number of points that are checked for time and memory. Each needs milliseconds, and a plan must appear at
 * once.
 */
export const MAX_CHECKED = 32;

interface CheckedPoint {
  readonly point: StudyPoint;
  readonly need: ResourceNeeds | null;
  /** Reason why the point cannot run. Null if it can. */
  readonly refusal: string | null;
}

/** A base scenario, and the folder of the files that it names. */
interface PlannedBase extends StudyBase {
  readonly name: string;
  readonly folder: string | null;
}

export interface PlannedStudy extends Points {
  readonly study: Study;
  readonly file: string;
  readonly bases: readonly PlannedBase[];
  /** Points that were checked: evenly spaced, including the first and the last. */
  readonly checked: readonly CheckedPoint[];
  /** Memory of the largest state among the checked points. Null if none can run. */
  readonly state_bytes: number | null;
  /**
   * Lower bound in seconds for solving all points one after another on any machine, from the mean of the checked
   * points. Null if unknown.
   */
  readonly least_s: number | null;
}

interface PlanOptions {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly userKernels: UserKernels;
  /** Resolves the path of a base scenario: a file relative to the study's folder, or a shipped scenario. */
  readonly find: (folder: string, file: string) => string;
  readonly signal: AbortSignal;
}

interface OpenedBase extends StudyBase {
  readonly name: string;
  readonly place: ScenarioOrigin;
}

function issueOfFile(file: string, message: string): Issue {
  return { severity: 'error', file, path: '', line: null, column: null, message, value: null, allowed: null };
}

const hasErrors = (issues: readonly Issue[]): boolean => issues.some(({ severity }) => severity === 'error');

async function openBase(base: Study['base'][number], studyFile: string, options: PlanOptions): Promise<OpenedBase> {
  const folder = path.dirname(studyFile);
  if ('scenario' in base) {
    const { name } = base.scenario;
    const place = { name: studyFile, folder };
    const beside = await namedFileDigests(base.scenario, folder);
    return {
      document: base.scenario,
      beside,
      place,
      name: typeof name === 'string' && name !== '' ? name : 'scenario',
    };
  }
  const file = options.find(folder, base.file);
  const { draft, issues } = await options.scenarios.read(file);
  // Only reject the study if there is no draft: missing values of the base scenario may be set by an axis.
  if (draft === null) throw invalidScenarioError(issues);
  const place = { name: file, folder: path.dirname(file) };
  return { document: draft, beside: await namedFileDigests(draft, place.folder), place, name: path.parse(file).name };
}

/** A valid study, the file that its base scenarios are relative to, and a function that locates issues of its axes. */
interface ParsedStudy {
  readonly study: Study;
  readonly file: string;
  readonly locate: (fault: FieldIssue) => Issue;
}

/** Validates a study that is not read from a file. Throws BraggError `invalid` with all issues. */
export function studyOf(document: unknown, file: string): ParsedStudy {
  const locate = (found: FieldIssue): Issue => toIssue(found, null);
  const { study, faults } = validateStudy(document);
  if (study === null) throw invalidScenarioError(faults.map(locate));
  return { study, file, locate };
}

/** Reads a study from JSON or YAML. Throws BraggError `invalid` with all issues and their lines. */
async function readStudy(file: string): Promise<ParsedStudy> {
  const read = await readText(file);
  if (!read.ok) throw invalidScenarioError([issueOfFile(file, read.reason)]);
  const { value, issues, locate } = await parseTextOnThread(read.text, file);
  if (value === undefined || hasErrors(issues)) throw invalidScenarioError(issues);
  const { study, faults } = validateStudy(value);
  if (study === null) throw invalidScenarioError(faults.map(locate));
  return { study, file, locate };
}

async function checkPoint(
  point: StudyPoint,
  base: OpenedBase,
  { addon, scenarios }: PlanOptions,
): Promise<CheckedPoint> {
  const reading = await scenarios.check(documentOf(base.document, point.settings), base.place);
  try {
    if (reading.kind === null || hasErrors(reading.issues)) throw invalidScenarioError(reading.issues);
    try {
      const { needs, forReadouts } = hostWorkloads[reading.kind];
      const solved = variesGrid(point.settings) ? reading : ((await forReadouts?.(addon, reading)) ?? reading);
      return { point, need: await needs(addon, solved), refusal: null };
    } catch (error) {
      throw engineErrorWithIssue(reading, error);
    }
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    return { point, need: null, refusal: error.message };
  }
}

function pickEvenly<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.round((i * (all.length - 1)) / (most - 1))] as T);
}

/**
 * Plans the study in a file. Aborting the signal ends the check of its points early. Throws BraggError `invalid` with
 * all issues.
 */
export async function planStudy(file: string, options: PlanOptions): Promise<PlannedStudy> {
  return planOf(await readStudy(file), options);
}

/** Plans a study. Throws BraggError `invalid` with all issues of its axes. */
export async function planOf({ study, file, locate }: ParsedStudy, options: PlanOptions): Promise<PlannedStudy> {
  const bases: OpenedBase[] = [];
  for (const base of study.base) bases.push(await openBase(base, file, options));
  const found = computePoints(await withConfigurations(study, bases, options.userKernels), bases);
  if (found.faults.length > 0) throw invalidScenarioError(found.faults.map(locate));
  const checked: CheckedPoint[] = [];
  for (const point of pickEvenly(found.points, MAX_CHECKED)) {
    if (options.signal.aborted) break;
    const base = bases[point.base];
    if (base !== undefined) checked.push(await checkPoint(point, base, options));
  }
  const needs = checked.flatMap(({ need }) => (need === null ? [] : [need]));
  const times = needs.flatMap(({ least_s }) => (least_s === null ? [] : [least_s]));
  const mean_s = times.reduce((sum, each) => sum + each, 0) / times.length;
  return {
    ...found,
    study,
    file,
    bases: bases.map(({ name, document, beside, place }) => ({ name, document, beside, folder: place.folder })),
    checked,
    state_bytes:
      needs.length === 0
        ? null
        : Math.max(...needs.map(({ state_bytes, memory_bytes }) => memory_bytes ?? state_bytes)),
    least_s: times.length === 0 ? null : mean_s * found.points.length * study.repeats,
  };
}

/** Default folder of a study, next to its file. */
export function defaultFolder(file: string): string {
  const { dir, name } = path.parse(path.resolve(file));
  return path.join(dir, `${name}.study`);
}

/**
 * Returns the study folder for a command-line operand, which is the folder itself or a study file. Null if the study is
 * not planned yet.
 */
export async function plannedFolder(operand: string): Promise<string | null> {
  for (const folder of [operand, defaultFolder(operand)]) if (await isStudyFolder(folder)) return folder;
  return null;
}

/** Throws the reason of the first checked point if none of the checked points can be solved. */
function throwIfUnsolvable({ checked, points }: PlannedStudy): void {
  const [first] = checked;
  if (first === undefined || checked.some(({ refusal }) => refusal === null)) return;
  const looked =
    points.length === checked.length ? `${points.length}` : `${checked.length} of ${points.length} checked`;
  throw new BraggError('invalid', `None of the points (${looked}) can be run. ${first.point.id}: ${first.refusal}`);
}

/** Writes the plan, or opens an existing folder with the same plan. */
export async function savePlan(planned: PlannedStudy, folder: string): Promise<StudyFolder> {
  const { study, bases, points, state_bytes, least_s, file } = planned;
  if (points.length === 0) throw new BraggError('invalid', `${file}: its conditions exclude every point.`);
  throwIfUnsolvable(planned);
  const { base: _, ...told } = study;
  return StudyFolder.create(
    folder,
    {
      format: PLAN_FORMAT,
      version: STUDY_FOLDER_VERSION,
      created: new Date().toISOString(),
      name: study.name === '' ? path.parse(file).name : study.name,
      study: told,
      bases: bases.map(({ name, document, beside, folder: at }) => ({
        ...{ name, document, beside },
        folder: at === null ? null : path.resolve(at),
      })),
      points: points.length,
      ...{ state_bytes, least_s },
    },
    points,
  );
}

/** Returns points without a result and, if `retry` is true, points that failed. */
export async function unsolvedPoints(folder: StudyFolder, retry: boolean): Promise<readonly PlanLine[]> {
  const ended = await folder.finishedPoints();
  return (await folder.readLines()).filter(({ id }) => {
    const state = ended.get(id);
    return state === undefined || (retry && state === 'failed');
  });
}

/** Locks a study while this machine works on it, so that no point is solved twice. Throws BraggError `exists`. */
export async function lockStudy({ folder }: StudyFolder): Promise<Lock> {
  const file = path.join(folder, 'lock');
  if (!existsSync(file)) await makeLockFile(file);
  const lock = tryLock(file);
  if (lock !== null) return lock;
  throw new BraggError(
    'exists',
    `${folder} is being run by another process; braggbench study status ${folder} shows which.`,
  );
}

export interface SolvingHost {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly userKernels: UserKernels;
  readonly runs: Runs;
  readonly batches: Batches;
  readonly commit: string | null;
  readonly capabilities: () => Capabilities;
}

/** Time limit in seconds for a probed point. A slower point gives only a lower bound for the study. */
const LONGEST_PROBE_S = 3;
/** Maximum number of combinations of variant and precision to probe, because a plan must appear at once. */
const MAX_PROBED = 6;

type TimedPoint = CheckedPoint & { readonly least_s: number; readonly needs: string };

interface ProbedRate {
  /** Measured time of a point on this machine, divided by its lower bound. */
  readonly factor: number;
  readonly whole: boolean;
}

function timedPoints(checked: readonly CheckedPoint[]): readonly TimedPoint[] {
  return checked.flatMap((one) => {
    const { need } = one;
    if (need?.least_s == null || need.least_s <= 0) return [];
    return [{ ...one, least_s: need.least_s, needs: `${need.variant} ${need.precision}` }];
  });
}

/** Solves a scenario and returns the seconds until its result. Null if the run fails or exceeds the limit. */
async function measureSolveTime_s(
  host: SolvingHost,
  document: unknown,
  base: PlannedBase,
  onGrid: boolean,
  signal: AbortSignal,
): Promise<number | null> {
  const reading = await host.scenarios.check(document, base);
  const begun_ms = performance.now();
  const { id } = await host.runs.start({ reading, name: base.name, pictures: false, onGrid, unlisted: true });
  const cancel = (): void => void host.runs.cancel(id);
  const patience = setTimeout(cancel, LONGEST_PROBE_S * 1000);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const { state } = await host.runs.waitForEnd(id);
    return state === 'done' ? (performance.now() - begun_ms) / 1000 : null;
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', cancel);
    await host.runs.forget(id);
  }
}

/** Probes the smallest point, and then the median one if time allows, because set-up is a smaller part of its time. */
async function probeRate(
  points: readonly TimedPoint[],
  solve: (point: TimedPoint) => Promise<number | null>,
): Promise<ProbedRate & { readonly probed: number }> {
  const sorted = points.toSorted((a, b) => a.least_s - b.least_s);
  const [smallest] = sorted;
  const middle = sorted[sorted.length >> 1];
  if (smallest === undefined || middle === undefined) throw new Error('no point to probe');
  const first_s = await solve(smallest);
  if (first_s === null) return { factor: Math.max(1, LONGEST_PROBE_S / smallest.least_s), whole: false, probed: 1 };
  const factor = first_s / smallest.least_s;
  if (middle === smallest || factor * middle.least_s > LONGEST_PROBE_S) return { factor, whole: true, probed: 1 };
  const second_s = await solve(middle);
  return { factor: second_s === null ? factor : second_s / middle.least_s, whole: true, probed: 2 };
}

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

/** Number of points that run at the same time without sharing a device. */
function concurrentPoints(group: PointGroup, share: Share, state_bytes: number | null): number {
  const { processes, slots, memory_bytes } = workerLayoutOf(group, share, state_bytes);
  if (group.device === 'cuda') return processes.length;
  const fitting =
    state_bytes === null || state_bytes <= 0 ? slots : Math.max(1, Math.floor(memory_bytes / state_bytes));
  return processes.length * Math.min(slots, fitting);
}

/** Forecasts the duration of a study on this machine. Null if no point can run. */
export async function forecastOf(
  host: SolvingHost,
  planned: PlannedStudy,
  share: Share,
  signal: AbortSignal,
): Promise<StudyForecast | null> {
  const { checked, bases, points, state_bytes, study } = planned;
  if (checked.every(({ refusal }) => refusal !== null)) return null;
  const groups = groupsOf({ bases, study }, points, host.addon, share);
  const groupOf = new Map(groups.flatMap((group) => group.lines.map(({ id }) => [id, group] as const)));
  const timed = timedPoints(checked);
  const rates = new Map<string, ProbedRate>();
  let probed = 0;
  for (const needs of [...new Set(timed.map((one) => one.needs))].slice(0, MAX_PROBED)) {
    if (signal.aborted) break;
    const rate = await probeRate(
      timed.filter((one) => one.needs === needs),
      ({ point }) => {
        const base = bases[point.base];
        const group = groupOf.get(point.id);
        if (base === undefined || group === undefined) return Promise.resolve(null);
        const { threads } = workerLayoutOf(group, share, state_bytes);
        const document = withThreadLimit(documentOf(base.document, point.settings), threads);
        return measureSolveTime_s(host, document, base, variesGrid(point.settings), signal);
      },
    );
    rates.set(needs, rate);
    probed += rate.probed;
  }
  const expected = groups.map((group) => {
    const times = timed.flatMap((one) => {
      const rate = rates.get(one.needs);
      return rate === undefined || groupOf.get(one.point.id) !== group ? [] : [one.least_s * rate.factor];
    });
    return times.length === 0
      ? null
      : (mean(times) * group.lines.length * study.repeats) / concurrentPoints(group, share, state_bytes);
  });
  const { cpu } = host.capabilities();
  const at_once = groups.reduce((most, group) => Math.max(most, concurrentPoints(group, share, state_bytes)), 1);
  return {
    at_once,
    memory_bytes: state_bytes === null ? null : at_once * state_bytes,
    machine: hostname(),
    cpu: cpu.name,
    cores: share.cores,
    gpus: share.gpus.length,
    probed,
    expected_s: expected.some((each) => each === null)
      ? null
      : expected.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    isLeast: [...rates.values()].some(({ whole }) => !whole),
  };
}

/** Number of results that are averaged. */
const AVERAGED_RESULTS = 32;
/** Typical time of a point divided by its lower bound on any machine. On one core of a server it is 10 to 70. */
const TYPICAL_OVER_MIN = 20;

/**
 * Mean time of a point in seconds, from existing results or otherwise from the plan's lower bounds. Null if neither is
 * known.
 */
export async function meanSeconds(folder: StudyFolder): Promise<number | null> {
  const { least_s, points } = folder.head;
  const ended = [...(await folder.finishedPoints())].filter(([, state]) => state === 'done').slice(0, AVERAGED_RESULTS);
  const results = await Promise.all(ended.map(([id, state]) => folder.readResult(id, state)));
  const times = results.flatMap((result) => {
    const wall_s = result?.measures.find(({ group, name }) => group === 'times' && name === 'wall_s')?.value;
    return typeof wall_s === 'number' ? [wall_s * (result?.repeats ?? 1)] : [];
  });
  if (times.length > 0) return times.reduce((sum, each) => sum + each, 0) / times.length;
  return least_s === null ? null : (TYPICAL_OVER_MIN * least_s) / Math.max(1, points);
}
