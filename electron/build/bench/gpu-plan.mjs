/** Plans the sessions of `npm run bench -- gpu`: their order, expected duration and selection. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { recordingsOnOtherGpus } from '../../contract/bench/recorded-names.mjs';

/** Time to start the program, open the device and compute the reference answer, s. */
const START_S = 3;
/** Assumed time limit of a session without `--time`, s. Rounds end when the limit is reached. */
const DEFAULT_LIMIT_S = 30;

/** Date since which answers are audited and inputs are varied. Earlier recordings lack these checks. */
const JUDGE_SINCE = '2026-11-30';

/** Workloads in order of importance, most important first. */
const WORKLOADS = ['transport', 'diffraction', 'linear-relu', 'micro'];

/**
 * Programs of the user, which a session measures if their files are given.
 * @typedef {'nanobragg' | 'smatrix-2d'} UserProgram
 * @typedef {Readonly<Record<UserProgram, string | null>>} UserPrograms
 * @typedef {{ readonly file: string, readonly words: readonly string[], readonly userProgram?: UserProgram }} Planned
 * @typedef {'unrecorded' | 'without-instances' | 'earlier-judge' | 'recorded'} State
 * @typedef {{ created?: string, reports: readonly { rounds?: number, elapsed_s?: number, judged?: unknown,
 *   machine?: { gpu?: { name?: string } | null }, program?: { commit?: string | null } }[] }} SavedSession
 */

/** @param {{ readonly file: string }} session */
export const sessionName = ({ file }) => file.replace(/\.json$/, '');

/**
 * Command line that records a session. If the session's claims are about a user's program, it includes that program.
 * @param {Planned} planned @param {UserPrograms} files
 * @returns {readonly string[]}
 */
export function commandWords({ words, userProgram }, files) {
  const file = userProgram === undefined ? null : files[userProgram];
  if (file === null) return words;
  return words.map((word, i) => (words[i - 1] === '--external' ? `${word},${userProgram}=${file}` : word));
}

/** @param {{ readonly file: string }} session */
export const workloadOf = ({ file }) => (file.includes('/') ? path.dirname(file) : 'transport');

/** @param {string} file @returns {SavedSession | null} */
function readSession(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/**
 * Time at which a session was created, ISO 8601; empty if unknown. It is near the beginning of the file.
 * @param {string} file
 */
const readCreationTime = (file) => /"created":"([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';

/**
 * File of the newest recording of a session; null if there is none.
 * @param {string} folder @param {{ readonly file: string }} session
 */
export function recordedFile(folder, { file }) {
  const all = [file, ...recordingsOnOtherGpus(file)].filter((one) => existsSync(path.join(folder, one)));
  /** @param {string} one */
  const created = (one) => readCreationTime(path.join(folder, one));
  return all.toSorted((a, b) => created(b).localeCompare(created(a)))[0] ?? null;
}

/** @param {string} folder @param {Planned} planned */
function readRecording(folder, planned) {
  const file = recordedFile(folder, planned);
  return file === null ? null : readSession(path.join(folder, file));
}

/** @param {string} folder @param {Planned} planned @returns {State} */
export function recordingState(folder, planned) {
  const savedSession = readRecording(folder, planned);
  if (savedSession === null) return 'unrecorded';
  if (savedSession.reports.some(({ judged }) => judged === undefined)) return 'without-instances';
  return (savedSession.created ?? '') < JUDGE_SINCE ? 'earlier-judge' : 'recorded';
}

/** @param {readonly string[]} words @param {string} flag */
function flagNumber(words, flag) {
  const at = words.indexOf(flag);
  return at < 0 ? null : (words[at + 1] ?? null);
}

/** @param {Planned} planned */
function requestedWork({ words }) {
  const swept = flagNumber(words, '--sweep');
  return {
    limit: Number(flagNumber(words, '--time') ?? DEFAULT_LIMIT_S),
    rounds: Number(flagNumber(words, '--rounds') ?? Number.POSITIVE_INFINITY),
    values: swept === null ? 1 : (swept.split('=')[1] ?? '').split(',').length,
  };
}

/**
 * Expected duration of a session, s. It is that of the saved recording, scaled by the number of rounds and limited by
 * `--time`. If there is no recording, `known` is false, and each value of the sweep is assumed to need the full time
 * limit.
 * @param {string} folder @param {Planned} planned
 */
export function expectedDuration(folder, planned) {
  const { limit, rounds, values } = requestedWork(planned);
  const reports = readRecording(folder, planned)?.reports ?? [];
  const known = reports.length >= values && reports.every((one) => one.elapsed_s !== undefined && one.rounds);
  if (!known) return { known, seconds: START_S + values * limit };
  let seconds = START_S;
  for (const one of reports) {
    const each = (one.elapsed_s ?? 0) / (one.rounds ?? 1);
    seconds += Math.max(each, Math.min(limit + each, each * rounds));
  }
  return { known, seconds };
}

/** Recording states of sessions, in the order in which sessions are recorded. */
export const STATES = /** @type {const} */ (['unrecorded', 'without-instances', 'earlier-judge', 'recorded']);

/**
 * Sorts sessions by their state: never recorded, without instances, recorded before JUDGE_SINCE, others. Sessions of
 * equal state are sorted by importance of their workload.
 * @template {Planned} T
 * @param {string} folder @param {readonly T[]} sessions
 * @returns {readonly T[]}
 */
export function sortByImportance(folder, sessions) {
  /** @param {T} one */
  const rank = (one) =>
    STATES.indexOf(recordingState(folder, one)) * WORKLOADS.length + WORKLOADS.indexOf(workloadOf(one));
  return sessions.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Whether the session was already recorded with this commit.
 * @param {string} folder @param {Planned} planned @param {string | null} commit
 */
export function isRecordedFrom(folder, planned, commit) {
  const reports = readSession(path.join(folder, planned.file))?.reports;
  return commit !== null && (reports?.every(({ program }) => program?.commit === commit) ?? false);
}

/**
 * Lines of the plan: the expected duration of each session, and the total up to it, in seconds.
 * @param {string} folder @param {readonly Planned[]} sessions
 */
export function planLines(folder, sessions) {
  let sum = 0;
  const lines = sessions.map((one) => {
    const { known, seconds } = expectedDuration(folder, one);
    sum += seconds;
    const span = `${known ? ' ' : '≤'}${seconds.toFixed(0).padStart(4)} s`;
    return `${span}  ${(sum / 60).toFixed(1).padStart(5)} min  ${recordingState(folder, one).padEnd(18)} ${sessionName(one)}`;
  });
  return [...lines, `${sessions.length} sessions, ${(sum / 60).toFixed(1)} minutes at most`];
}
