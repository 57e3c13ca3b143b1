/** Plans a study before anything runs: its points, its issues, and the resources that it needs. */
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import type { Fault } from '../../../contract/scenario/index.ts';
import { type Study, validateStudy } from '../../../contract/study/index.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { readText } from '../../io/text/read.ts';
import { issueAt, parseTextAside } from '../../model/scenarios/parse.ts';
import { type Points, pointsOf, type StudyBase, type StudyPoint } from '../../model/studies/points.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { engineRefusal, refusalOf, type ScenarioOrigin, type Scenarios } from '../../workloads/scenarios/index.ts';
import type { Need } from '../../workloads/workload.ts';
import { withConfigurations } from '../tuning/axis.ts';
import type { UserKernels } from '../user-kernels/user-kernels.ts';
import { besides, documentOf } from './documents.ts';

/** Points that are laid out for their time and memory. Laying out takes milliseconds each, and a plan is looked at at once. */
export const MOST_CHECKED = 32;

export interface CheckedPoint {
  readonly point: StudyPoint;
  readonly need: Need | null;
  /** Why it cannot be run; null: it can. */
  readonly refusal: string | null;
}

/** A base scenario, and where the files are that it names. */
export interface PlannedBase extends StudyBase {
  readonly name: string;
  readonly folder: string | null;
}

export interface PlannedStudy extends Points {
  readonly study: Study;
  readonly file: string;
  readonly bases: readonly PlannedBase[];
  /** Evenly through the points, the first and the last among them. */
  readonly checked: readonly CheckedPoint[];
  /** Most that a checked point takes; null where none can be run. */
  readonly state_bytes: number | null;
  /** No machine solves all points faster one after the other, by the mean of those checked; null where unknown. */
  readonly least_s: number | null;
}

interface PlanOptions {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly userKernels: UserKernels;
  /** A base scenario's file from the study's folder, or that of a shipped one. */
  readonly find: (folder: string, file: string) => string;
  readonly signal: AbortSignal;
}

interface OpenBase extends StudyBase {
  readonly name: string;
  readonly place: ScenarioOrigin;
}

function wholeFile(file: string, message: string): Issue {
  return { severity: 'error', file, path: '', line: null, column: null, message, value: null, allowed: null };
}

const hasErrors = (issues: readonly Issue[]): boolean => issues.some(({ severity }) => severity === 'error');

async function openBase(base: Study['base'][number], studyFile: string, options: PlanOptions): Promise<OpenBase> {
  const folder = path.dirname(studyFile);
  if ('scenario' in base) {
    const { name } = base.scenario;
    const place = { name: studyFile, folder };
    const beside = await besides(base.scenario, folder);
    return {
      document: base.scenario,
      beside,
      place,
      name: typeof name === 'string' && name !== '' ? name : 'scenario',
    };
  }
  const file = options.find(folder, base.file);
  const { draft, issues } = await options.scenarios.read(file);
  // An axis may set a value that the base scenario lacks, so only points are rejected for that.
  if (draft === null) throw refusalOf(issues);
  const place = { name: file, folder: path.dirname(file) };
  return { document: draft, beside: await besides(draft, place.folder), place, name: path.parse(file).name };
}

/** A valid study, the file that its base scenarios are relative to, and the locations of issues in its axes. */
interface ReadStudy {
  readonly study: Study;
  readonly file: string;
  readonly locate: (fault: Fault) => Issue;
}

/** Validates a study that has no file. Throws BraggError `invalid` with every issue. */
export function studyOf(document: unknown, file: string): ReadStudy {
  const locate = (found: Fault): Issue => issueAt(found, null);
  const { study, faults } = validateStudy(document);
  if (study === null) throw refusalOf(faults.map(locate));
  return { study, file, locate };
}

/** Reads a study from JSON or YAML. Throws BraggError `invalid` with every issue at its line. */
async function readStudy(file: string): Promise<ReadStudy> {
  const read = await readText(file);
  if (!read.ok) throw refusalOf([wholeFile(file, read.reason)]);
  const { value, issues, locate } = await parseTextAside(read.text, file);
  if (value === undefined || hasErrors(issues)) throw refusalOf(issues);
  const { study, faults } = validateStudy(value);
  if (study === null) throw refusalOf(faults.map(locate));
  return { study, file, locate };
}

async function check(point: StudyPoint, base: OpenBase, { addon, scenarios }: PlanOptions): Promise<CheckedPoint> {
  const reading = await scenarios.check(documentOf(base.document, point.settings), base.place);
  try {
    if (reading.kind === null || hasErrors(reading.issues)) throw refusalOf(reading.issues);
    try {
      return { point, need: await hostWorkloads[reading.kind].needs(addon, reading), refusal: null };
    } catch (error) {
      throw engineRefusal(reading, error);
    }
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    return { point, need: null, refusal: error.message };
  }
}

function evenly<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.round((i * (all.length - 1)) / (most - 1))] as T);
}

/** Throws BraggError `invalid` with every issue of the study. An aborted signal ends the check of points. */
export async function planStudy(file: string, options: PlanOptions): Promise<PlannedStudy> {
  return planOf(await readStudy(file), options);
}

/** Throws BraggError `invalid` with every issue of its axes. */
export async function planOf({ study, file, locate }: ReadStudy, options: PlanOptions): Promise<PlannedStudy> {
  const bases: OpenBase[] = [];
  for (const base of study.base) bases.push(await openBase(base, file, options));
  const found = pointsOf(await withConfigurations(study, bases, options.userKernels), bases);
  if (found.faults.length > 0) throw refusalOf(found.faults.map(locate));
  const checked: CheckedPoint[] = [];
  for (const point of evenly(found.points, MOST_CHECKED)) {
    if (options.signal.aborted) break;
    const base = bases[point.base];
    if (base !== undefined) checked.push(await check(point, base, options));
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
