/**
 * Folder of a study. Its files are the only source of truth: the plan, which never changes, and one file per point.
 *
 * - `plan.json`: study, base scenarios, digest of the lines
 * - `points.jsonl`: a line per point; its content hash is its id
 * - `results`: in folders by the first two digits, a JSON file per point by its id; `.failed` if it could not be solved
 * - `running`: a JSON file for each process that works on it, rewritten every second
 * - `stop`: requests all of them to stop
 */
import { createHash } from 'node:crypto';
import { type Stats, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import {
  type Beat,
  beatSchema,
  PLAN_FORMAT,
  type PlanHead,
  type PlanLine,
  type PointResult,
  planHeadSchema,
  planLineSchema,
  pointResultSchema,
  type Study,
  studySchema,
} from '../../../contract/study/index.ts';
import { fileError } from '../../io/files/errors.ts';
import { readPlain, readPlainNow } from '../../io/files/plain-file.ts';
import { checkFolder, writeAtomically, writeBeside } from '../../io/files/write-file.ts';
import { canonical } from './points.ts';

/** Finished points of a study, from the names of result files, and the modification times of their folders. */
type PointState = 'done' | 'failed';

const ENDED = /^([0-9a-f]{16})(\.failed)?\.json$/;

/** Clocks of file servers tick and differ by less. */
const SETTLED_MS = 10_000;

/**
 * Equal stamps mean that a folder lists the same names. Null if it changed so recently that another file may arrive
 * within the same tick of the file system's clock. `ctime` is included because a copy may preserve the original
 * `mtime`.
 */
function stampOf({ ino, mtimeMs, ctimeMs }: Stats): string | null {
  return Date.now() - Math.max(mtimeMs, ctimeMs) < SETTLED_MS ? null : `${ino} ${mtimeMs} ${ctimeMs}`;
}

const foldersIn = async (results: string): Promise<readonly string[]> => readdir(results).catch(() => []);

/** Unchanged while no result is added or removed; reads only the folders. Null if not yet known. */
async function resultsStamp(results: string): Promise<string | null> {
  const stamps: string[] = [];
  for (const name of await foldersIn(results)) {
    const stamp = stampOf(statSync(path.join(results, name)));
    if (stamp === null) return null;
    stamps.push(`${name} ${stamp}`);
  }
  return stamps.toSorted().join('\n');
}

async function endedIn(folder: string): Promise<ReadonlyMap<string, PointState>> {
  const ended = new Map<string, PointState>();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, id, failed] = ENDED.exec(name) ?? [];
    if (id === undefined) continue;
    // Solved later than it failed: both may stand for a moment.
    if (failed === undefined) ended.set(id, 'done');
    else if (!ended.has(id)) ended.set(id, 'failed');
  }
  return ended;
}

async function endedBelow(results: string): Promise<ReadonlyMap<string, PointState>> {
  const ended = new Map<string, PointState>();
  for (const name of await foldersIn(results))
    for (const [id, state] of await endedIn(path.join(results, name))) ended.set(id, state);
  return ended;
}

interface Tally {
  readonly done: number;
  readonly failed: readonly string[];
}

/** By folder: those that have not changed are not listed again. A study has up to 256 of them. */
const tallied = new Map<string, { readonly stamp: string; readonly tally: Tally }>();
const MOST_TALLIED = 100 * 256;

async function tallyIn(folder: string): Promise<Tally> {
  // Before its names: what comes in between is found the next time.
  const looked = await stat(folder).catch(() => null);
  const stamp = looked === null ? null : stampOf(looked);
  const before = tallied.get(folder);
  tallied.delete(folder);
  if (before !== undefined && before.stamp === stamp) {
    tallied.set(folder, before);
    return before.tally;
  }
  const ended = [...(await endedIn(folder))];
  const failed = ended.flatMap(([id, state]) => (state === 'failed' ? [id] : []));
  const tally = { done: ended.length - failed.length, failed };
  if (stamp !== null) tallied.set(folder, { stamp, tally });
  if (tallied.size > MOST_TALLIED) tallied.delete(tallied.keys().next().value ?? '');
  return tally;
}

/** Number of finished points, and ids of those that failed. All files of a point are in one folder. */
async function tallyBelow(results: string): Promise<Tally> {
  let done = 0;
  const failed: string[] = [];
  for (const name of await foldersIn(results)) {
    const some = await tallyIn(path.join(results, name));
    done += some.done;
    for (const id of some.failed) failed.push(id);
  }
  return { done, failed };
}

const HEAD = 'plan.json';
const LINES = 'points.jsonl';
const STOP = 'stop';
const RESULTS = 'results';
const RUNNING = 'running';

/** Folders of studies are shared: a pipe that somebody put there stops nobody. */
const readText = async (file: string): Promise<string> => (await readPlain(file)).toString('utf8');

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export function linesText(lines: readonly PlanLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Keys of a study that affect neither its points nor their stored results. */
const FREE: readonly string[] = ['$schema', 'name', 'notes', 'budget'];

function changedKeys(before: PlanHead['study'], now: PlanHead['study']): readonly string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return keys.filter((key) => !FREE.includes(key) && canonical(before[key]) !== canonical(now[key]));
}

/** Whether a folder holds a plan. */
export async function isStudyFolder(folder: string): Promise<boolean> {
  return (await stat(path.join(folder, HEAD)).catch(() => null))?.isFile() === true;
}

function parsed<T>(text: string, parse: (value: unknown) => T, name: string): T {
  try {
    return parse(JSON.parse(text) as unknown);
  } catch (error) {
    throw new BraggError('foreign-file', `${name} is damaged, or not of a study.`, [], { cause: error });
  }
}

export class StudyFolder {
  readonly folder: string;
  readonly head: PlanHead;
  readonly #made = new Set<string>();

  private constructor(folder: string, head: PlanHead) {
    this.folder = folder;
    this.head = head;
  }

  /** Writes the plan into a folder, which is made. One with the same plan is opened; another plan is refused. */
  static async create(
    folder: string,
    head: Omit<PlanHead, 'sha256'>,
    lines: readonly PlanLine[],
  ): Promise<StudyFolder> {
    const text = linesText(lines);
    const sha256 = digest(text);
    if (await isStudyFolder(folder)) {
      const there = await StudyFolder.open(folder);
      const differing = there.head.sha256 === sha256 ? changedKeys(there.head.study, head.study) : ['points'];
      if (differing.length === 0) return there;
      throw new BraggError(
        'exists',
        `${folder} holds the plan of another study (${differing.join(', ')}), of ${there.head.points} points from ${there.head.created}: plans do not change. Choose another folder with --out.`,
      );
    }
    const whole: PlanHead = { ...head, sha256 };
    // Node's mkdir of a folder and those above it never ends in /proc, and calls a read-only file system a missing file.
    await checkFolder(folder);
    await mkdir(folder, { recursive: true }).catch((error: unknown) => {
      throw fileError(error, folder);
    });
    await writeAtomically(path.join(folder, LINES), text, 'replace');
    // Last: a folder with a head holds a whole plan.
    await writeAtomically(path.join(folder, HEAD), `${JSON.stringify(whole, null, 2)}\n`, 'refuse');
    return new StudyFolder(folder, whole);
  }

  /** Throws BraggError `not-found`, or `foreign-file` for what is no study or of a newer version. */
  static async open(folder: string): Promise<StudyFolder> {
    const name = path.join(folder, HEAD);
    let text: string;
    try {
      text = await readText(name);
    } catch (error) {
      if (!isMissing(error)) throw fileError(error, name);
      throw new BraggError('not-found', `${folder} holds no study: there is no ${HEAD} in it.`);
    }
    const head = parsed(
      text,
      (value) => {
        const { format } = value as { readonly format?: unknown };
        if (format !== PLAN_FORMAT) throw new Error(`its format is ${String(format)}`);
        return planHeadSchema.parse(value);
      },
      name,
    );
    return new StudyFolder(folder, head);
  }

  /** The study as it was planned, but for its base scenarios. */
  get study(): Study {
    return studySchema.parse({ ...this.head.study, base: [{ scenario: {} }] });
  }

  /** Throws BraggError `foreign-file` where the lines are not those of the head. */
  async lines(): Promise<readonly PlanLine[]> {
    const name = path.join(this.folder, LINES);
    const text = await readText(name).catch((error: unknown) => {
      throw fileError(error, name);
    });
    if (digest(text) !== this.head.sha256)
      throw new BraggError(
        'foreign-file',
        `${name} was changed after it was planned: its digest is not that of ${HEAD}.`,
      );
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parsed(line, (value) => planLineSchema.parse(value) as PlanLine, name));
  }

  get #results(): string {
    return path.join(this.folder, RESULTS);
  }

  /** Unchanged while no result is added or removed. Null if not yet known. */
  async changed(): Promise<string | null> {
    return resultsStamp(this.#results);
  }

  /** Finished points, from file names alone. */
  async ended(): Promise<ReadonlyMap<string, PointState>> {
    return endedBelow(this.#results);
  }

  /** Null if it has not finished. */
  async stateOf(id: string): Promise<PointState | null> {
    for (const state of ['done', 'failed'] as const)
      if ((await stat(this.fileOf(id, state)).catch(() => null)) !== null) return state;
    return null;
  }

  /**
   * Number of finished points, and ids of those that failed. Does not block the event loop, even for 100,000 points.
   */
  async tally(): Promise<{ readonly done: number; readonly failed: readonly string[] }> {
    return tallyBelow(this.#results);
  }

  fileOf(id: string, state: PointState): string {
    return path.join(this.#results, id.slice(0, 2), `${id}${state === 'done' ? '' : '.failed'}.json`);
  }

  /** Whole or not at all. Throws a BraggError, `no-space` among them. */
  async write(result: PointResult): Promise<void> {
    const file = this.fileOf(result.id, result.status);
    const folder = path.dirname(file);
    if (!this.#made.has(folder)) {
      await mkdir(folder, { recursive: true }).catch((error: unknown) => {
        throw fileError(error, folder);
      });
      this.#made.add(folder);
    }
    await writeBeside(file, `${JSON.stringify(result)}\n`);
    if (result.status === 'done') await unlink(this.fileOf(result.id, 'failed')).catch(() => undefined);
  }

  /** A point that failed is to be tried again: it counts as not done. */
  async forgetFailure(id: string): Promise<void> {
    await rm(this.fileOf(id, 'failed'), { force: true });
  }

  /** Null if the file is damaged: it is renamed to `.damaged`, so that the point counts as not done. */
  async result(id: string, state: PointState): Promise<PointResult | null> {
    const file = this.fileOf(id, state);
    let text: string;
    try {
      text = readPlainNow(file).toString('utf8');
    } catch (error) {
      throw fileError(error, file);
    }
    try {
      return pointResultSchema.parse(JSON.parse(text)) as PointResult;
    } catch {
      await rename(file, `${file}.damaged`).catch(() => undefined);
      return null;
    }
  }

  async askToStop(): Promise<void> {
    await writeBeside(path.join(this.folder, STOP), '');
  }

  async isAskedToStop(): Promise<boolean> {
    return (await stat(path.join(this.folder, STOP)).catch(() => null)) !== null;
  }

  async goOn(): Promise<void> {
    await rm(path.join(this.folder, STOP), { force: true });
  }

  /** Says who works on it. That it cannot be said stops no work. */
  async beat(name: string, beat: Beat): Promise<void> {
    const folder = path.join(this.folder, RUNNING);
    try {
      await mkdir(folder, { recursive: true });
      await writeBeside(path.join(folder, `${name}.json`), JSON.stringify(beat));
    } catch {
      // The next one may.
    }
  }

  async endBeat(name: string): Promise<void> {
    await rm(path.join(this.folder, RUNNING, `${name}.json`), { force: true });
  }

  /** By name; those of processes that were killed too. */
  async beats(): Promise<ReadonlyMap<string, Beat>> {
    const folder = path.join(this.folder, RUNNING);
    const beats = new Map<string, Beat>();
    for (const file of await readdir(folder).catch(() => [])) {
      if (!file.endsWith('.json')) continue;
      const text = await readText(path.join(folder, file)).catch(() => '');
      try {
        beats.set(file.slice(0, -'.json'.length), beatSchema.parse(JSON.parse(text)));
      } catch {
        // The disk is full, or its process has ended meanwhile.
      }
    }
    return beats;
  }

  /** A folder of its own for an engine, made. */
  async room(...names: readonly string[]): Promise<string> {
    const folder = path.join(this.folder, ...names);
    await mkdir(folder, { recursive: true });
    return folder;
  }
}
