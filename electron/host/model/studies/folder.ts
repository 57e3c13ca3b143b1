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
  type Heartbeat,
  heartbeatSchema,
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
import { readRegularFile, readRegularFileSync, toFileError } from '../../io/files/plain-file.ts';
import { checkFolderWritable, writeAtomically, writeWithoutSync } from '../../io/files/write-file.ts';
import { canonicalJson } from './points.ts';

/** State of a finished point, derived from the name of its result file. Unfinished points have no file. */
type PointState = 'done' | 'failed';

const RESULT_FILE = /^([0-9a-f]{16})(\.failed)?\.json$/;

/**
 * Time in ms after which a change of a folder is certainly visible in its time stamps: covers the resolution and
 * differences of file servers' clocks.
 */
const SETTLED_MS = 10_000;

/**
 * Text that stays the same as long as a folder lists the same names. Null if the folder changed so recently that
 * another file may get the same time stamp. `ctime` is included because copied folders may retain their original
 * `mtime`.
 */
function stampOf({ ino, mtimeMs, ctimeMs }: Stats): string | null {
  return Date.now() - Math.max(mtimeMs, ctimeMs) < SETTLED_MS ? null : `${ino} ${mtimeMs} ${ctimeMs}`;
}

const foldersIn = async (results: string): Promise<readonly string[]> => readdir(results).catch(() => []);

/**
 * Text that changes only if a result is added or removed. Reads only folders, not files. Null if a folder changed too
 * recently.
 */
async function resultsStamp(results: string): Promise<string | null> {
  const stamps: string[] = [];
  for (const name of await foldersIn(results)) {
    const stamp = stampOf(statSync(path.join(results, name)));
    if (stamp === null) return null;
    stamps.push(`${name} ${stamp}`);
  }
  return stamps.toSorted().join('\n');
}

async function finishedInFolder(folder: string): Promise<ReadonlyMap<string, PointState>> {
  const ended = new Map<string, PointState>();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, id, failed] = RESULT_FILE.exec(name) ?? [];
    if (id === undefined) continue;
    // After a failed point was solved, its old failure file may exist for a moment.
    if (failed === undefined) ended.set(id, 'done');
    else if (!ended.has(id)) ended.set(id, 'failed');
  }
  return ended;
}

async function finishedPoints(results: string): Promise<ReadonlyMap<string, PointState>> {
  const ended = new Map<string, PointState>();
  for (const name of await foldersIn(results))
    for (const [id, state] of await finishedInFolder(path.join(results, name))) ended.set(id, state);
  return ended;
}

interface Tally {
  readonly done: number;
  readonly failed: readonly string[];
}

/**
 * Cached counts of results by folder, so that unchanged folders need not be listed again. A study has up to 256
 * folders.
 */
const cachedTallies = new Map<string, { readonly stamp: string; readonly tally: Tally }>();
const MAX_TALLIED = 100 * 256;

async function tallyFolder(folder: string): Promise<Tally> {
  // The stamp is read before the names. If a file is added in between, the next call notices it.
  const looked = await stat(folder).catch(() => null);
  const stamp = looked === null ? null : stampOf(looked);
  const before = cachedTallies.get(folder);
  cachedTallies.delete(folder);
  if (before !== undefined && before.stamp === stamp) {
    cachedTallies.set(folder, before);
    return before.tally;
  }
  const ended = [...(await finishedInFolder(folder))];
  const failed = ended.flatMap(([id, state]) => (state === 'failed' ? [id] : []));
  const tally = { done: ended.length - failed.length, failed };
  if (stamp !== null) cachedTallies.set(folder, { stamp, tally });
  if (cachedTallies.size > MAX_TALLIED) cachedTallies.delete(cachedTallies.keys().next().value ?? '');
  return tally;
}

/** Number of finished points, and ids of the failed ones. A point's files are always in the same folder. */
async function tallyResults(results: string): Promise<Tally> {
  let done = 0;
  const failed: string[] = [];
  for (const name of await foldersIn(results)) {
    const some = await tallyFolder(path.join(results, name));
    done += some.done;
    for (const id of some.failed) failed.push(id);
  }
  return { done, failed };
}

const HEAD = 'plan.json';
const LINES = 'points.jsonl';
const STOP = 'stop';
const RESULTS = 'results';
const RUNNING_FILE = 'running';

/** Reads a regular file. Pipes, which may be in shared folders, would block and are rejected. */
const readText = async (file: string): Promise<string> => (await readRegularFile(file)).toString('utf8');

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export function linesText(lines: readonly PlanLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Keys of a study that affect neither its points nor their results. */
const IGNORED_KEYS: readonly string[] = ['$schema', 'name', 'notes', 'budget'];

function changedKeys(before: PlanHead['study'], now: PlanHead['study']): readonly string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return keys.filter((key) => !IGNORED_KEYS.includes(key) && canonicalJson(before[key]) !== canonicalJson(now[key]));
}

/** Whether a folder contains the plan of a study. */
export async function isStudyFolder(folder: string): Promise<boolean> {
  return (await stat(path.join(folder, HEAD)).catch(() => null))?.isFile() === true;
}

function parseFile<T>(text: string, parse: (value: unknown) => T, name: string): T {
  try {
    return parse(JSON.parse(text) as unknown);
  } catch (error) {
    throw new BraggError('foreign-file', `${name} is damaged, or not from a study.`, [], { cause: error });
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

  /** Creates a folder with a plan. If the folder already has the same plan it is opened; another plan is an error. */
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
        `${folder} contains the plan of another study (${differing.join(', ')}), with ${there.head.points} points, from ${there.head.created}: plans cannot change. Choose another folder with --out.`,
      );
    }
    const whole: PlanHead = { ...head, sha256 };
    // Tested first, because a recursive mkdir of Node.js hangs in /proc, and reports a read-only file system as a
    // missing file.
    await checkFolderWritable(folder);
    await mkdir(folder, { recursive: true }).catch((error: unknown) => {
      throw toFileError(error, folder);
    });
    await writeAtomically(path.join(folder, LINES), text, 'replace');
    // `plan.json` is written last, so that a folder with this file contains a complete plan.
    await writeAtomically(path.join(folder, HEAD), `${JSON.stringify(whole, null, 2)}\n`, 'refuse');
    return new StudyFolder(folder, whole);
  }

  /**
   * Opens a study. Throws BraggError `not-found`, or `foreign-file` for a folder that is not a study or is of a newer
   * version.
   */
  static async open(folder: string): Promise<StudyFolder> {
    const name = path.join(folder, HEAD);
    let text: string;
    try {
      text = await readText(name);
    } catch (error) {
      if (!isMissing(error)) throw toFileError(error, name);
      throw new BraggError('not-found', `${folder} contains no study: ${HEAD} is missing.`);
    }
    const head = parseFile(
      text,
      (value) => {
        const { format } = value as { readonly format?: unknown };
        if (format !== PLAN_FORMAT) throw new Error(`its format ${String(format)} is not supported`);
        return planHeadSchema.parse(value);
      },
      name,
    );
    return new StudyFolder(folder, head);
  }

  /** The study as it was planned. Its base scenarios are stored separately. */
  get study(): Study {
    return studySchema.parse({ ...this.head.study, base: [{ scenario: {} }] });
  }

  /** Lines of the plan. Throws BraggError `foreign-file` if they do not match the digest in `plan.json`. */
  async readLines(): Promise<readonly PlanLine[]> {
    const name = path.join(this.folder, LINES);
    const text = await readText(name).catch((error: unknown) => {
      throw toFileError(error, name);
    });
    if (digest(text) !== this.head.sha256)
      throw new BraggError('foreign-file', `${name} was changed after planning: its digest does not match ${HEAD}.`);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseFile(line, (value) => planLineSchema.parse(value) as PlanLine, name));
  }

  get #results(): string {
    return path.join(this.folder, RESULTS);
  }

  /** Text that changes only if a result is added or removed. Null if a folder changed too recently. */
  async currentStamp(): Promise<string | null> {
    return resultsStamp(this.#results);
  }

  /** States of all finished points, from the names of their files. */
  async finishedPoints(): Promise<ReadonlyMap<string, PointState>> {
    return finishedPoints(this.#results);
  }

  /** State of a point; null if it has not finished. */
  async stateOf(id: string): Promise<PointState | null> {
    for (const state of ['done', 'failed'] as const)
      if ((await stat(this.fileOf(id, state)).catch(() => null)) !== null) return state;
    return null;
  }

  /** Number of finished points, and ids of the failed ones. Does not block the event loop, even for 100,000 points. */
  async tally(): Promise<{ readonly done: number; readonly failed: readonly string[] }> {
    return tallyResults(this.#results);
  }

  fileOf(id: string, state: PointState): string {
    return path.join(this.#results, id.slice(0, 2), `${id}${state === 'done' ? '' : '.failed'}.json`);
  }

  /** Writes the complete result or nothing. Throws a BraggError, such as `no-space`. */
  async writeResult(result: PointResult): Promise<void> {
    const file = this.fileOf(result.id, result.status);
    const folder = path.dirname(file);
    if (!this.#made.has(folder)) {
      await mkdir(folder, { recursive: true }).catch((error: unknown) => {
        throw toFileError(error, folder);
      });
      this.#made.add(folder);
    }
    await writeWithoutSync(file, `${JSON.stringify(result)}\n`);
    if (result.status === 'done') await unlink(this.fileOf(result.id, 'failed')).catch(() => undefined);
  }

  /** Deletes the failure file of a point, so that the point is tried again. */
  async removeFailure(id: string): Promise<void> {
    await rm(this.fileOf(id, 'failed'), { force: true });
  }

  /**
   * Reads the result of a point. A damaged file is renamed to `.damaged`, so that the point counts as unfinished; the
   * result is then null.
   */
  async readResult(id: string, state: PointState): Promise<PointResult | null> {
    const file = this.fileOf(id, state);
    let text: string;
    try {
      text = readRegularFileSync(file).toString('utf8');
    } catch (error) {
      throw toFileError(error, file);
    }
    try {
      return pointResultSchema.parse(JSON.parse(text)) as PointResult;
    } catch {
      await rename(file, `${file}.damaged`).catch(() => undefined);
      return null;
    }
  }

  async requestStop(): Promise<void> {
    await writeWithoutSync(path.join(this.folder, STOP), '');
  }

  async hasStopRequest(): Promise<boolean> {
    return (await stat(path.join(this.folder, STOP)).catch(() => null)) !== null;
  }

  async clearStopRequest(): Promise<void> {
    await rm(path.join(this.folder, STOP), { force: true });
  }

  /** Writes the heartbeat of a process that works on the study. If writing fails, the work continues. */
  async writeHeartbeat(name: string, beat: Heartbeat): Promise<void> {
    const folder = path.join(this.folder, RUNNING_FILE);
    try {
      await mkdir(folder, { recursive: true });
      await writeWithoutSync(path.join(folder, `${name}.json`), JSON.stringify(beat));
    } catch {
      // Ignored, because the next heartbeat may be written successfully.
    }
  }

  async removeHeartbeat(name: string): Promise<void> {
    await rm(path.join(this.folder, RUNNING_FILE, `${name}.json`), { force: true });
  }

  /** Latest heartbeat of each process, by the name of its file. Killed processes are included. */
  async readHeartbeats(): Promise<ReadonlyMap<string, Heartbeat>> {
    const folder = path.join(this.folder, RUNNING_FILE);
    const beats = new Map<string, Heartbeat>();
    for (const file of await readdir(folder).catch(() => [])) {
      if (!file.endsWith('.json')) continue;
      const text = await readText(path.join(folder, file)).catch(() => '');
      try {
        beats.set(file.slice(0, -'.json'.length), heartbeatSchema.parse(JSON.parse(text)));
      } catch {
        // Ignored: the file may be incomplete on a full disk, or deleted because the process has ended.
      }
    }
    return beats;
  }
}
